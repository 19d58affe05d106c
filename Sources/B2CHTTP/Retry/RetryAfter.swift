package import Foundation

/// The wait that a server asks for (RFC 9110 section 10.2.3).
package enum RetryAfter {
  /// The wait in seconds, from a number of seconds or from a date; `nil` when there is none or it is not valid.
  ///
  /// A date is measured from the answer's own `Date`, so that a wrong clock on this side does not matter; `now` is used
  /// where that is missing. A date in the past means no wait.
  package static func seconds(in headers: TransportRequest.Headers, now: Date) -> Double? {
    guard let text = headers.values(of: "Retry-After").first?.trimmingCharacters(in: .whitespaces) else { return nil }
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }) {
      return Double(text).flatMap { $0.isFinite ? $0 : nil }
    }
    guard let date = HTTPDate.parse(text) else { return nil }
    let reference = headers.values(of: "Date").first.flatMap(HTTPDate.parse) ?? now
    return max(0, date.timeIntervalSince(reference))
  }
}

/// The date of header fields, in the three forms that a recipient has to accept (RFC 9110 section 5.6.7).
package enum HTTPDate {
  /// Parses a date; `nil` when the text is not one.
  ///
  /// The two-digit year of the obsolete RFC 850 form is taken as 1970 to 2069. That the weekday fits is not checked.
  package static func parse(_ text: String) -> Date? {
    let parts = text.split { $0 == " " || $0 == "," || $0 == "-" }
    guard let weekday = parts.first, isWeekday(weekday) else { return nil }
    switch parts.count {
    case 6 where parts[5] == "GMT" || parts[5] == "UTC":
      return date(day: parts[1], month: parts[2], year: parts[3], time: parts[4])
    case 5:
      return date(day: parts[2], month: parts[1], year: parts[4], time: parts[3])
    default:
      return nil
    }
  }

  private static let weekdays: Set<Substring> = [
    "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday",
    "Saturday", "Sunday",
  ]

  private static let months: [Substring] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  private static func isWeekday(_ text: Substring) -> Bool { weekdays.contains(text) }

  private static func date(day: Substring, month: Substring, year: Substring, time: Substring) -> Date? {
    guard let day = number(day, 1...2), let month = months.firstIndex(of: month), let year = fullYear(year),
      (1...length(ofMonth: month, in: year)).contains(day)
    else { return nil }
    let clock = time.split(separator: ":", omittingEmptySubsequences: false).map { number($0, 2...2) }
    // A leap second is the sixty-first of its minute.
    guard clock.count == 3, let hour = clock[0], let minute = clock[1], let second = clock[2], hour < 24, minute < 60,
      second < 61
    else { return nil }
    let days = daysSinceEpoch(year: year, month: month + 1, day: day)
    return Date(timeIntervalSince1970: Double(((days * 24 + hour) * 60 + minute) * 60 + second))
  }

  private static func fullYear(_ text: Substring) -> Int? {
    if let year = number(text, 4...4) { return year }
    return number(text, 2...2).map { $0 < 70 ? 2000 + $0 : 1900 + $0 }
  }

  private static func number(_ text: Substring, _ digits: ClosedRange<Int>) -> Int? {
    guard digits.contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text)
  }

  private static func length(ofMonth month: Int, in year: Int) -> Int {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    return month == 1 && isLeap ? 29 : [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month]
  }

  /// Counts days in the proleptic Gregorian calendar, with years that begin in March so that the leap day is the last.
  private static func daysSinceEpoch(year: Int, month: Int, day: Int) -> Int {
    let year = month > 2 ? year : year - 1
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
  }
}
