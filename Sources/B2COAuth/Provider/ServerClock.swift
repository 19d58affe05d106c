internal import B2CCore
internal import Foundation

/// The difference between this device's clock and the server's, according to the `Date` of the server's last response.
///
/// The times of an id_token are compared with the server's time, so that a wrong device clock locks no one out. A
/// `Date` is not signed, so it must not make tokens valid again that expired long ago. Therefore the server's time may
/// be earlier than the device's only up to a limit.
struct ServerClock: Sendable {
  /// How far the server's time may be behind this device's, in seconds: a wrong time zone plus summer time.
  private static let furthestBehind: TimeInterval = 15 * 3_600

  let localNow: @Sendable () -> Date
  /// The measured difference in seconds, which is positive if this device is behind.
  private let offset = Locked<TimeInterval>(0)

  /// The server's time, or this device's if no server has sent its time yet or the difference is too large.
  var now: Date {
    let offset = offset.withLock { $0 }
    return localNow().addingTimeInterval(offset < -Self.furthestBehind ? 0 : offset)
  }

  /// Measures the difference from a response, if it has a `Date`.
  func update(from response: HTTPURLResponse) {
    guard let text = response.value(forHTTPHeaderField: "Date"), let date = Dates.headerField(text) else { return }
    // A cached response has the `Date` of its creation (RFC 9111 section 5.1), so its age is added.
    let seconds = response.value(forHTTPHeaderField: "Age").flatMap { Double($0) } ?? 0
    let age = (0..<31_536_000).contains(seconds) ? seconds : 0
    let difference = date.addingTimeInterval(age).timeIntervalSince(localNow())
    // The header counts whole seconds, and the response took time to arrive, so a small difference counts as none.
    offset.withLock { $0 = abs(difference) < 2 ? 0 : difference }
  }
}
