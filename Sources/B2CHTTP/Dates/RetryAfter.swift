package import Foundation

/// How long a server asks to be left alone (RFC 9110 section 10.2.3).
package enum RetryAfter {
  /// The wait in seconds, from a number of seconds or from a date; `nil` when the server asks for none or unreadably.
  ///
  /// A date is measured from the answer's own `Date`, so that a wrong clock on this side does not matter; `now` stands
  /// in where that is missing. A date in the past means no wait.
  package static func seconds(in headers: HTTPHeaders, now: Date) -> Double? {
    guard let text = headers.values(of: "Retry-After").first?.trimmingCharacters(in: .whitespaces) else { return nil }
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }) {
      return Double(text).flatMap { $0.isFinite ? $0 : nil }
    }
    guard let date = HTTPDate.parse(text) else { return nil }
    let reference = headers.values(of: "Date").first.flatMap(HTTPDate.parse) ?? now
    return max(0, date.timeIntervalSince(reference))
  }
}
