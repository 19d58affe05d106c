internal import Foundation

/// The three ways in which the servers write a moment.
enum LocalDates {
  private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// The `Date` header's form (RFC 9110 section 5.6.7).
  static func http(_ date: Date) -> String {
    let parts = parts(date)
    let day = days[((parts.weekday ?? 1) - 1) % 7]
    let month = months[((parts.month ?? 1) - 1) % 12]
    return "\(day), \(pad(parts.day)) \(month) \(pad(parts.year, 4)) \(time(parts)) GMT"
  }

  /// The form in B2C's error descriptions: `2026-01-01 00:00:00Z`.
  static func timestamp(_ date: Date) -> String {
    let parts = parts(date)
    return "\(pad(parts.year, 4))-\(pad(parts.month))-\(pad(parts.day)) \(time(parts))Z"
  }

  /// ISO 8601 with milliseconds, as the task server stores it.
  static func iso8601(_ date: Date) -> String {
    let milliseconds = Int((date.timeIntervalSince1970 * 1000).rounded())
    let parts = parts(Date(timeIntervalSince1970: Double(milliseconds) / 1000))
    let fraction = pad(((milliseconds % 1000) + 1000) % 1000, 3)
    return "\(pad(parts.year, 4))-\(pad(parts.month))-\(pad(parts.day))T\(time(parts)).\(fraction)Z"
  }

  /// Whole seconds since 1970, as claims count them.
  static func epoch(_ date: Date) -> Int64 { Int64(date.timeIntervalSince1970.rounded(.down)) }

  private static func parts(_ date: Date) -> DateComponents {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? calendar.timeZone
    return calendar.dateComponents([.year, .month, .day, .hour, .minute, .second, .weekday], from: date)
  }

  private static func time(_ parts: DateComponents) -> String {
    "\(pad(parts.hour)):\(pad(parts.minute)):\(pad(parts.second))"
  }

  private static func pad(_ number: Int?, _ width: Int = 2) -> String {
    let text = String(number ?? 0)
    return String(repeating: "0", count: max(0, width - text.count)) + text
  }
}
