import B2CTestKit
import Foundation

/// The time of day with something added, so that an hour passes at once.
final class AdjustableTime: Sendable {
  private let clock = TestClock(start: Date(timeIntervalSince1970: 0))

  /// Now, as the tenant, the task server and the connector see it.
  var now: Date { Date().addingTimeInterval(clock.date.timeIntervalSince1970) }

  func pass(_ duration: Duration) async {
    await clock.advance(by: duration)
  }
}
