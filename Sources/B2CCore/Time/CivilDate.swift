/// A day of the proleptic Gregorian calendar.
///
/// Foundation's formatters cost thousands of times more than this arithmetic. Its parsers accept February 30, and count in
/// the Julian calendar before 1582. All numbers have 64 bits, since `Int` has 32 on a watch with watchOS 9.
package struct CivilDate: Sendable, Hashable {
  package let year: Int64
  /// 1 to 12.
  package let month: Int64
  /// 1 to 31.
  package let day: Int64

  /// Makes a day; `nil` when the calendar does not have it.
  package init?(year: Int64, month: Int64, day: Int64) {
    guard (1...12).contains(month), (1...Self.length(of: month, in: year)).contains(day) else { return nil }
    self.year = year
    self.month = month
    self.day = day
  }

  /// Makes a day from its distance to 1970-01-01.
  package init(daysSince1970 days: Int64) {
    // Years are counted from March, so that the leap day is the last of its year.
    let (era, dayOfEra) = Self.floorDivide(days + 719_468, by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    month = shifted < 10 ? shifted + 3 : shifted - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    day = dayOfYear - (153 * shifted + 2) / 5 + 1
  }

  /// The distance to 1970-01-01 in days, negative before it.
  package var daysSince1970: Int64 {
    let (era, yearOfEra) = Self.floorDivide(month <= 2 ? year - 1 : year, by: 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// Divides so that the remainder is never negative.
  package static func floorDivide(_ value: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }

  private static func length(of month: Int64, in year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}
