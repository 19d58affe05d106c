/// The date of header fields (RFC 9110 section 5.6.7), as seconds since 1970.
package enum HTTPTime {
  // 1970-01-01 was a Thursday.
  private static let weekdays = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Reads a date in one of the three forms that a recipient has to accept; `nil` when the text is not one.
  ///
  /// The two-digit year of the obsolete RFC 850 form is taken as 1970 to 2069. That the weekday fits is not checked.
  package static func seconds(from text: String) -> Int64? {
    let parts = Array(text.utf8).split {
      $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "-")
    }
    guard let weekday = parts.first,
      weekdays.contains(where: { weekday.elementsEqual($0.utf8) || weekday.elementsEqual($0.utf8.prefix(3)) })
    else { return nil }
    switch parts.count {
    case 6 where parts[5].elementsEqual("GMT".utf8) || parts[5].elementsEqual("UTC".utf8):
      return seconds(day: parts[1], month: parts[2], year: parts[3], clock: parts[4])
    case 5:
      return seconds(day: parts[2], month: parts[1], year: parts[4], clock: parts[3])
    default:
      return nil
    }
  }

  /// Writes the form that a sender has to use.
  ///
  /// Four digits hold the years 0000 to 9999; a time beyond them becomes the nearest one that fits.
  package static func text(from seconds: Int64) -> String {
    let years = CivilTime.fourDigitYears
    let time = CivilTime(secondsSince1970: min(max(seconds, years.lowerBound), years.upperBound))
    let weekday = name(CivilDate.floorDivide(time.date.daysSince1970, by: 7).remainder, in: weekdays)
    let month = name(time.date.month - 1, in: months)
    return "\(weekday), \(WholeNumber.padded(time.date.day, 2)) \(month) \(WholeNumber.padded(time.date.year, 4)) "
      + InternetTime.clock(time) + " GMT"
  }

  /// Three letters, as every form but one has them.
  private static func name(_ number: Int64, in names: [String]) -> String {
    String(decoding: (zip(Int64(0)..., names).first { $0.0 == number }?.1 ?? "").utf8.prefix(3), as: UTF8.self)
  }

  private static func seconds(
    day: ArraySlice<UInt8>, month: ArraySlice<UInt8>, year: ArraySlice<UInt8>, clock: ArraySlice<UInt8>
  ) -> Int64? {
    guard let day = number(day, 1...2), let month = months.firstIndex(where: { month.elementsEqual($0.utf8) }),
      let year = fullYear(year), let date = CivilDate(year: year, month: Int64(month) + 1, day: day)
    else { return nil }
    let parts = clock.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard parts.count == 3, let hour = number(parts[0], 2...2), let minute = number(parts[1], 2...2),
      let second = number(parts[2], 2...2)
    else { return nil }
    return CivilTime(date, hour: hour, minute: minute, second: second)?.secondsSince1970
  }

  private static func fullYear(_ digits: ArraySlice<UInt8>) -> Int64? {
    if let year = number(digits, 4...4) { return year }
    return number(digits, 2...2).map { $0 < 70 ? 2000 + $0 : 1900 + $0 }
  }

  private static func number(_ digits: ArraySlice<UInt8>, _ counts: ClosedRange<Int64>) -> Int64? {
    guard counts.contains(Int64(digits.count)), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
  }
}
