internal import B2CCore
internal import Foundation

/// How far this device's clock is from the server's, by the `Date` of its last answer.
///
/// A wrong device clock then locks no one out: an id_token's times are compared with the server's time. A `Date` is not
/// signed, so it may not make tokens valid again that expired long ago: a server may be behind only so far.
struct ServerClock: Sendable {
  /// How far the server's time may be before this device's: what the wrong time zone and summer time make together.
  private static let furthestBehind: TimeInterval = 15 * 3_600

  let localNow: @Sendable () -> Date
  /// The measured difference in seconds, positive when this device is behind.
  private let offset = Locked<TimeInterval>(0)

  /// The server's time, as far as its difference is accepted; this device's when no server has told its time yet.
  var now: Date {
    let offset = offset.withLock { $0 }
    return localNow().addingTimeInterval(offset < -Self.furthestBehind ? 0 : offset)
  }

  /// Takes the time from an answer, if it has one.
  func update(from response: HTTPURLResponse) {
    guard let text = response.value(forHTTPHeaderField: "Date"), let date = Dates.headerField(text) else { return }
    // An answer out of a cache has the time of when it was made (RFC 9111 section 5.1).
    let seconds = response.value(forHTTPHeaderField: "Age").flatMap { Double($0) } ?? 0
    let age = (0..<31_536_000).contains(seconds) ? seconds : 0
    let difference = date.addingTimeInterval(age).timeIntervalSince(localNow())
    // The header counts whole seconds and the answer travelled: a small difference is none.
    offset.withLock { $0 = abs(difference) < 2 ? 0 : difference }
  }
}
