internal import Foundation

/// ISO 8601 dates in the forms that servers write, without a formatter: those cost a thousand times more.
enum ISO8601 {
  /// Reads `2015-11-19T22:57:04.250Z` and its kin: `T`, `t` or a space between date and time, seconds and a fraction
  /// of any length or none, offset `Z`, `±hh:mm`, `±hhmm`, `±hh` or none, and a date without a time.
  ///
  /// What has no offset is taken as UTC. `nil` for everything else, impossible dates included.
  static func date(from text: String) -> Date? {
    var text = text
    return text.withUTF8 { bytes in
      var reader = ISO8601Reader(bytes)
      return reader.date()
    }
  }

  /// Writes a date as JavaScript's `toISOString` does, with milliseconds, or with microseconds where they count.
  static func text(from date: Date) -> String {
    let microseconds = (date.timeIntervalSince1970 * 1_000_000).rounded()
    // Beyond the year 9999 or before 0000 there is no four-digit form; the ends of the range stand in.
    let limited = min(max(microseconds, -62_167_219_200_000_000), 253_402_300_799_000_000)
    let (seconds, fraction) = floorDivide(limited.isFinite ? Int64(limited) : 0, by: 1_000_000)
    let (days, rest) = floorDivide(seconds, by: 86_400)
    let (year, month, day) = civil(fromDays: days)
    let digits = fraction % 1000 == 0 ? padded(fraction / 1000, 3) : padded(fraction, 6)
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
      + "T\(padded(rest / 3600, 2)):\(padded(rest / 60 % 60, 2)):\(padded(rest % 60, 2)).\(digits)Z"
  }

  /// Days from 1970-01-01 to a date of the Gregorian calendar, counted in years that begin in March.
  static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    let year = month <= 2 ? year - 1 : year
    let (era, yearOfEra) = floorDivide(year, by: 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func civil(fromDays days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = floorDivide(days + 719_468, by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
  }

  private static func floorDivide(_ value: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}
