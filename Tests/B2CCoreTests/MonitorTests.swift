import B2CCore
import TestSupport
import Testing

@Suite(.hangLimit)
struct MonitorTests {
  @Test("A waiter returns as soon as its condition holds")
  func condition() async throws {
    let monitor = Monitor(0)
    let waiters = (1...50).map { count in Task { try await monitor.wait { $0 >= count } } }
    for _ in 0..<50 { monitor.withLock { $0 += 1 } }
    for waiter in waiters { try await waiter.value }
    try await monitor.wait { $0 == 50 }
  }

  @Test("Thousands of waiters are woken by one change, and those that were cancelled at any moment before it leave")
  func many() async throws {
    let monitor = Monitor(0)
    let waiters = (1...30_000).map { count in
      Task { try await monitor.wait { $0 >= (count > 20_000 ? 3 : 1 + count % 2) } }
    }
    for waiter in waiters.dropFirst(20_000) { waiter.cancel() }
    monitor.withLock { $0 = 2 }
    for waiter in waiters.prefix(20_000) { try await waiter.value }
    var cancelled = 0
    for waiter in waiters.dropFirst(20_000) {
      if case .failure(let error) = await waiter.result, error is CancellationError { cancelled += 1 }
    }
    #expect(cancelled == 10_000)
  }

  @Test("A waiter that is cancelled leaves alone", arguments: 0..<20)
  func cancelled(_ round: Int) async throws {
    let monitor = Monitor(false)
    let patient = Task { try await monitor.wait { $0 } }
    let impatient = Task { try await monitor.wait { $0 } }
    for _ in 0..<round { await Task.yield() }
    impatient.cancel()
    await #expect(throws: CancellationError.self) { try await impatient.value }
    monitor.withLock { $0 = true }
    try await patient.value
  }
}
