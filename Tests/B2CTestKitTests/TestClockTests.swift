import B2CTestKit
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TestClockTests {
  @Test func standsStillUntilMoved() async throws {
    let clock = TestClock(start: Date(timeIntervalSince1970: 100))
    #expect(clock.date == Date(timeIntervalSince1970: 100))
    let task = Task { try await clock.sleep(for: .seconds(10)) }
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(10))
    try await task.value
    #expect(clock.date == Date(timeIntervalSince1970: 110))
  }

  @Test func cancelledSleeperLeaves() async {
    let clock = TestClock()
    let task = Task { try await clock.sleep(for: .seconds(10)) }
    await clock.waitForSleepers()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func cancelledWatcherLeaves() async {
    let clock = TestClock()
    let watcher = Task { await clock.waitForSleepers() }
    watcher.cancel()
    await watcher.value
    #expect(watcher.isCancelled)
  }
}
