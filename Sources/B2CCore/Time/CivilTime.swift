/// A second of a day, in UTC.
package struct CivilTime: Sendable, Hashable {
  /// The first second of the year 0000 and the last one of 9999: what four digits of year can hold.
  package static let fourDigitYears: ClosedRange<Int64> = -62_167_219_200...253_402_300_799

  package let date: CivilDate
  /// 0 to 23.
  package let hour: Int64
  /// 0 to 59.
  package let minute: Int64
  /// 0 to 60, since a leap second is the sixty-first of its minute.
  package let second: Int64

  /// Makes a time; `nil` when the day does not have it.
  package init?(_ date: CivilDate, hour: Int64, minute: Int64, second: Int64) {
    guard (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second) else { return nil }
    self.date = date
    self.hour = hour
    self.minute = minute
    self.second = second
  }

  /// Makes a time from its distance to the first second of 1970.
  package init(secondsSince1970 seconds: Int64) {
    let (days, rest) = CivilDate.floorDivide(seconds, by: 86_400)
    date = CivilDate(daysSince1970: days)
    hour = rest / 3600
    minute = rest / 60 % 60
    second = rest % 60
  }

  /// The distance to the first second of 1970, negative before it; a leap second counts as the second after it.
  package var secondsSince1970: Int64 {
    ((date.daysSince1970 * 24 + hour) * 60 + minute) * 60 + second
  }
}
