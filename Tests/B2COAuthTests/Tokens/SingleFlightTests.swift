import B2CCore
import B2COAuth
import B2CTestKit
import TestSupport
import Testing

@Suite("Single flight", .timeLimit(.minutes(10)))
struct SingleFlightTests {
  @Test("Ten thousand callers are served by one piece of work")
  func shared() async throws {
    let flights = SingleFlight<String, Int>()
    let runs = Locked(0)
    let joined = Locked(0)
    let gate = TestGate()
    let total = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<10_000 {
        group.addTask {
          try await flights.value(for: "a", onJoin: { joined.withLock { $0 += 1 } }) {
            runs.withLock { $0 += 1 }
            try await gate.wait()
            return 1
          }
        }
      }
      try await yielding { joined.withLock { $0 } == 9_999 }
      gate.open()
      return try await group.reduce(0, +)
    }
    #expect(total == 10_000)
    #expect(runs.withLock { $0 } == 1)
  }

  @Test("A caller that is cancelled leaves alone and at once")
  func leaving() async throws {
    let flights = SingleFlight<String, Int>()
    let gate = TestGate()
    let joined = Locked(0)
    @Sendable func call() async throws -> Int {
      try await flights.value(for: "a", onJoin: { joined.withLock { $0 += 1 } }) {
        try await gate.wait()
        return 7
      }
    }
    let stays = Task { try await call() }
    let leaves = Task { try await call() }
    try await yielding { joined.withLock { $0 } == 1 }
    leaves.cancel()
    await #expect(throws: CancellationError.self) { try await leaves.value }
    gate.open()
    #expect(try await stays.value == 7)
  }

  @Test("When the last caller has left, the work is cancelled, and a newcomer starts afresh")
  func stopping() async throws {
    let flights = SingleFlight<String, Int>()
    let started = TestGate()
    let stopped = TestGate()
    let first = Task {
      try await flights.value(for: "a") {
        started.open()
        do {
          try await TestGate().wait()
        } catch {
          stopped.open()
          throw error
        }
        return 1
      }
    }
    try await started.wait()
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    try await stopped.wait()
    #expect(try await flights.value(for: "a") { 2 } == 2)
  }

  @Test("Work that all callers have left does not end the work that follows it")
  func following() async throws {
    let flights = SingleFlight<String, Int>()
    let (left, ended, following) = (TestGate(), TestGate(), TestGate())
    let leaves = Task {
      try await flights.value(for: "a") {
        // It goes on when it is cancelled, as a request whose answer must be stored does.
        try await Task { try await left.wait() }.value
        ended.open()
        return 1
      }
    }
    await left.waitForArrivals(1)
    leaves.cancel()
    await #expect(throws: CancellationError.self) { try await leaves.value }
    let stays = Task {
      try await flights.value(for: "a") {
        try await following.wait()
        return 2
      }
    }
    await following.waitForArrivals(1)
    left.open()
    try await ended.wait()
    // The end of the first work is handled before what is asked for after it.
    for number in 0..<100 { #expect(try await flights.value(for: "b") { number } == number) }
    following.open()
    #expect(try await stays.value == 2)
  }

  @Test("A failure reaches everybody and is not kept")
  func failing() async throws {
    struct Failure: Error {}
    let flights = SingleFlight<String, Int>()
    await #expect(throws: Failure.self) { try await flights.value(for: "a") { throw Failure() } }
    #expect(try await flights.value(for: "a") { 3 } == 3)
  }
}
