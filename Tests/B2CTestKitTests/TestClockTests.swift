import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite(.hangLimit)
struct TestClockTests {
  @Test("A clock moved by hand stands still until it is moved")
  func byHand() async throws {
    let clock = TestClock(start: Date(timeIntervalSince1970: 100), advancesItself: false)
    let task = Task { try await clock.sleep(for: .seconds(10)) }
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(9))
    await clock.waitForSleepers()
    #expect(clock.date == Date(timeIntervalSince1970: 109))
    await clock.advance(by: .seconds(1))
    try await task.value
    #expect(clock.date == Date(timeIntervalSince1970: 110))
  }

  @Test("Sleeps that no one ends move the clock, the shortest first, and never hang")
  func movesItself() async throws {
    let clock = TestClock()
    let start = clock.now
    let order = Locked<[Int]>([])
    try await simultaneously(3) { number in
      let seconds = [3, 1, 2][number]
      try await clock.sleep(for: .seconds(seconds))
      order.withLock { $0.append(seconds) }
    }
    #expect(order.withLock { $0 } == [1, 2, 3])
    #expect(start.duration(to: clock.now) >= .seconds(3))
    // Also after the test has moved it, and one sleep after the other.
    await clock.advance(by: .seconds(3600))
    for _ in 0..<3 { try await clock.sleep(for: .milliseconds(200)) }
    #expect(start.duration(to: clock.now) >= .seconds(3603))
  }

  @Test("A short sleep that begins under a long one ends soon, and the long one goes on")
  func shortUnderLong() async throws {
    let clock = TestClock()
    let long = Task { try await clock.sleep(for: .seconds(1_000_000)) }
    defer { long.cancel() }
    for _ in 0..<100 {
      try await clock.sleep(for: .milliseconds(1))
      // The clock looks at the long sleep alone meanwhile.
      for _ in 0..<100 { await Task.yield() }
    }
    #expect(clock.date < TestClock().date.addingTimeInterval(1))
  }

  @Test("A test that waits for sleepers moves the clock itself from then on")
  func waits() async throws {
    let clock = TestClock()
    let task = Task { try await clock.sleep(for: .seconds(3600)) }
    await clock.waitForSleepers()
    #expect(clock.date == TestClock().date)
    await clock.advance(by: .seconds(3600))
    try await task.value
  }

  @Test("A sleeper and a watcher that are cancelled leave", arguments: [false, true])
  func cancellation(_ advancesItself: Bool) async {
    let clock = TestClock(advancesItself: advancesItself)
    let sleeper = Task { try await clock.sleep(for: .seconds(1_000_000)) }
    sleeper.cancel()
    await #expect(throws: CancellationError.self) { try await sleeper.value }
    #expect(clock.date == TestClock().date)
    let watcher = Task { await clock.waitForSleepers() }
    watcher.cancel()
    await watcher.value
  }
}

@Suite(.hangLimit)
struct TestGateTests {
  let gate = TestGate()

  @Test("A gate holds its visitors until it is open, and lets everybody pass afterwards")
  func opening() async throws {
    let task = Task { [gate] in try await gate.wait() }
    await gate.waitForArrivals(1)
    gate.open()
    try await task.value
    try await gate.wait()
    #expect(gate.arrivals == 2)
  }

  @Test("A visitor and a watcher that are cancelled leave")
  func cancellation() async {
    let watcher = Task { [gate] in await gate.waitForArrivals(2) }
    let visitor = Task { [gate] in try await gate.wait() }
    await gate.waitForArrivals(1)
    watcher.cancel()
    await watcher.value
    visitor.cancel()
    await #expect(throws: CancellationError.self) { try await visitor.value }
  }
}
