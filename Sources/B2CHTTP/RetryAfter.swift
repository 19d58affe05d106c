internal import B2CCore
package import Foundation

#if canImport(FoundationNetworking)
  package import FoundationNetworking
#endif

/// The wait that a server asks for (RFC 9110 section 10.2.3).
package enum RetryAfter {
  /// The longest wait that is reported: a day, so that an app may turn the seconds into an integer.
  private static let maximum = 86_400.0

  /// The wait in seconds, from a number of seconds or from a date; `nil` when there is none or it is not valid.
  ///
  /// A date is measured from the answer's own `Date`, so that a wrong clock on this side does not matter; `now` is used
  /// where that is missing. A date in the past means no wait, and a wait of more than a day a day.
  package static func seconds(in response: HTTPURLResponse, now: Date) -> Double? {
    guard let text = response.value(forHTTPHeaderField: "Retry-After")?.trimmingCharacters(in: .whitespaces)
    else { return nil }
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }) {
      return Double(text).map { min($0, maximum) }
    }
    guard let date = Dates.headerField(text) else { return nil }
    let reference = response.value(forHTTPHeaderField: "Date").flatMap(Dates.headerField) ?? now
    return min(max(0, date.timeIntervalSince(reference)), maximum)
  }
}
