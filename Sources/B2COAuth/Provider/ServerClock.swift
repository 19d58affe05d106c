internal import B2CCore
internal import Foundation

/// How far this device's clock is from the server's, by the `Date` of its last answer.
///
/// A wrong device clock then locks nobody out: an id_token's times are compared with the server's time.
final class ServerClock: Sendable {
  let localNow: @Sendable () -> Date
  private let offset = Locked<TimeInterval>(0)

  init(localNow: @escaping @Sendable () -> Date) {
    self.localNow = localNow
  }

  /// The server's time, as far as it is known.
  var now: Date { localNow().addingTimeInterval(offset.withLock { $0 }) }

  /// The measured difference in seconds: positive when this device is behind.
  var measuredOffset: TimeInterval { offset.withLock { $0 } }

  /// Takes the time from an answer, if it has one.
  func note(_ response: TransportResponse) {
    guard let text = response.headers["Date"], let date = HTTPDate.parse(text) else { return }
    let difference = date.timeIntervalSince(localNow())
    // The header counts whole seconds and the answer travelled: a small difference is none.
    offset.withLock { $0 = abs(difference) < 2 ? 0 : difference }
  }
}
