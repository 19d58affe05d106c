internal import B2CCore
internal import Foundation

/// The forms in which the servers write a date.
enum LocalDates {
  private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// The `Date` header's form (RFC 9110 section 5.6.7).
  static func http(_ date: Date) -> String {
    let (distance, day, time) = parts(Int(epoch(date)))
    // 1970-01-01 was a Thursday.
    let name = days[CivilDate.floorDivide(distance, by: 7).remainder]
    return "\(name), \(pad(day.day)) \(months[day.month - 1]) \(pad(day.year, 4)) \(time) GMT"
  }

  /// The form in B2C's error descriptions: `2026-01-01 00:00:00Z`.
  static func timestamp(_ date: Date) -> String {
    let (_, day, time) = parts(Int(epoch(date)))
    return "\(text(day)) \(time)Z"
  }

  /// ISO 8601 with milliseconds, as the task server stores it.
  static func iso8601(_ date: Date) -> String {
    let milliseconds = Int((date.timeIntervalSince1970 * 1000).rounded())
    let (seconds, fraction) = CivilDate.floorDivide(milliseconds, by: 1000)
    let (_, day, time) = parts(seconds)
    return "\(text(day))T\(time).\(pad(fraction, 3))Z"
  }

  /// Whole seconds since 1970, as claims count them.
  static func epoch(_ date: Date) -> Int64 { Int64(date.timeIntervalSince1970.rounded(.down)) }

  private static func parts(_ seconds: Int) -> (distance: Int, day: CivilDate, time: String) {
    let (distance, rest) = CivilDate.floorDivide(seconds, by: 86_400)
    let time = "\(pad(rest / 3600)):\(pad(rest / 60 % 60)):\(pad(rest % 60))"
    return (distance, CivilDate(daysSince1970: distance), time)
  }

  private static func text(_ day: CivilDate) -> String { "\(pad(day.year, 4))-\(pad(day.month))-\(pad(day.day))" }

  private static func pad(_ number: Int, _ width: Int = 2) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, width - text.count)) + text
  }
}
