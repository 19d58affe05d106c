import B2CTestKit
import TestSupport
import Testing

@Suite(.hangLimit)
struct TestGateTests {
  @Test("A gate holds its visitors until it is open, and lets everybody pass afterwards")
  func opening() async throws {
    let gate = TestGate()
    let task = Task { try await gate.wait() }
    await gate.waitForArrivals(1)
    gate.open()
    try await task.value
    try await gate.wait()
    #expect(gate.arrivals == 2)
  }

  @Test("A visitor that is cancelled leaves")
  func cancelledVisitor() async {
    let gate = TestGate()
    let task = Task { try await gate.wait() }
    await gate.waitForArrivals(1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("A watcher that is cancelled leaves")
  func cancelledWatcher() async {
    let gate = TestGate()
    let early = Task { await gate.waitForArrivals(1) }
    early.cancel()
    await early.value
    #expect(gate.arrivals == 0)
  }
}
