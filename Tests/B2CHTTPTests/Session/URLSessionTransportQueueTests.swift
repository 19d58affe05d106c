import B2CCore
import B2CHTTP
import B2CLoopback
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// No more than so many requests at a time go to one host; the others wait.
@Suite(.descriptors(), .timeLimit(.minutes(10)))
struct URLSessionTransportQueueTests {
  /// Waiting on purpose must not be taken for silence on a busy machine.

  @Test func noMoreThanTheLimitAreUnderWay() async throws {
    let counts = Locked((now: 0, most: 0))
    let server = try await TestServer { exchange in
      counts.withLock {
        $0.now += 1
        $0.most = max($0.most, $0.now)
      }
      for _ in 0..<20 { await Task.yield() }
      counts.withLock { $0.now -= 1 }
      await exchange.respond(.text("ok"))
    }
    let transport = URLSessionTransport(maximumConnectionsPerHost: 3)
    let request = try server.request(limits: .patient)
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<60 {
        group.addTask { try await transport.send(request).status }
      }
      for try await status in group { #expect(status == 200) }
    }
    #expect(server.requests.count == 60)
    #expect((1...3).contains(counts.withLock { $0.most }))
  }

  @Test func oneThatWaitsCanBeCancelledOrRunLate() async throws {
    let (arrived, release) = (TestGate(), TestGate())
    let server = try await TestServer { exchange in
      arrived.open()
      try? await release.wait()
      await exchange.respond(.text("ok"))
    }
    let clock = TestClock(advancesItself: false)
    let transport = URLSessionTransport(maximumConnectionsPerHost: 1, clock: clock)
    let first = try server.request(
      "/first", limits: TransportLimits(deadline: .seconds(100), idleTimeout: .seconds(3600)))
    let running = Task { try await transport.send(first) }
    try? await arrived.wait()

    let late = try server.request("/late", limits: TransportLimits(deadline: .seconds(10), idleTimeout: .seconds(3600)))
    let waiting = Task { try await transport.send(late) }
    let unwanted = try server.request(
      "/unwanted", limits: TransportLimits(deadline: .seconds(100), idleTimeout: .seconds(3600)))
    let cancelled = Task { try await transport.send(unwanted) }
    let last = try server.request(
      "/last", limits: TransportLimits(deadline: .seconds(100), idleTimeout: .seconds(3600)))
    let patient = Task { try await transport.send(last) }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    while clock.now.offset < .seconds(50) {
      await clock.waitForSleepers()
      await clock.advance(by: .seconds(1))
    }
    await expectError(TransportError.self, .timedOut) { try await waiting.valueInTime }
    release.open()
    #expect(try await running.valueInTime.status == 200)
    #expect(try await patient.valueInTime.status == 200)
    #expect(server.requests.map(\.path) == ["/first", "/last"])
  }

  @Test func waitingIsNotTakenForSilence() async throws {
    let (arrived, release) = (TestGate(), TestGate())
    let server = try await TestServer { exchange in
      arrived.open()
      try? await release.wait()
      await exchange.respond(.text("ok"))
    }
    let transport = URLSessionTransport(maximumConnectionsPerHost: 1)
    let first = try server.request(limits: .patient)
    let impatient = try server.request(limits: TransportLimits(idleTimeout: .milliseconds(1)))
    let running = Task { try await transport.send(first) }
    try? await arrived.wait()
    let hasEnded = Locked(false)
    let waiting = Task {
      defer { hasEnded.withLock { $0 = true } }
      return try await transport.send(impatient)
    }
    // Others that were silent as long as the second has waited now are given up, one after the other.
    let silent = try await TestServer { await $0.waitForDisconnect() }
    let hopeless = try silent.request(limits: impatient.limits)
    for _ in 0..<2 {
      await expectError(TransportError.self, .timedOut) { try await URLSessionTransport().send(hopeless) }
    }
    #expect(!hasEnded.withLock { $0 })
    release.open()
    #expect(try await running.value.status == 200)
    // Its own silence counts from here, and a busy machine may be silent for longer: only the wait is looked at.
    _ = await waiting.result
  }
}

extension Task where Failure == any Error {
  /// The task's value; the task is cancelled with the test, so that a time limit ends a wait in vain.
  fileprivate var valueInTime: Success {
    get async throws {
      try await withTaskCancellationHandler {
        try await value
      } onCancel: {
        cancel()
      }
    }
  }
}
