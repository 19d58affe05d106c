package import Foundation

/// The forms in which servers write dates.
package enum Dates {
  private static let seconds = Date.ISO8601FormatStyle()
  private static let offsets = Pattern(/[+-][0-9]{2}:?[0-5][0-9]/)
  private static let milliseconds = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
  private static let fieldFormat: Date.FormatString = """
    \(weekday: .abbreviated), \(day: .twoDigits) \(month: .abbreviated) \(year: .padded(4)) \
    \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\(second: .twoDigits) GMT
    """

  /// Reads a date in the form of RFC 3339 section 5.6, for example `2015-11-19T22:57:04.250Z`.
  ///
  /// The fraction of a second is optional and may have any length. The offset is `Z`, `±hh:mm` or `±hhmm`. Without one,
  /// as .NET servers write dates, it is UTC. February 30 is refused, which Foundation's parser alone would read as
  /// March 2.
  ///
  /// - Parameter text: The text.
  /// - Returns: The date, or `nil` if the text has another form.
  package static func internet(_ text: String) -> Date? {
    let clock = text.utf8.prefix(19)
    var offset = text.utf8.dropFirst(19)
    var fraction = 0.0
    if offset.first == UInt8(ascii: ".") {
      let digits = offset.dropFirst().prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      guard let number = Double("0." + String(Substring(digits))), !digits.isEmpty else { return nil }
      fraction = number
      offset = offset.dropFirst(1 + digits.count)
    }
    let zone = offset.isEmpty ? "Z" : String(Substring(offset))
    let local = String(Substring(clock)) + "Z"
    guard let read = try? seconds.parse(local), seconds.format(read) == local,
      let time = zone == "Z"
        ? read : zone.wholeMatch(of: offsets).flatMap({ _ in try? seconds.parse(local.dropLast() + zone) })
    else { return nil }
    return Date(timeIntervalSince1970: time.timeIntervalSince1970 + fraction)
  }

  /// Writes a date as JavaScript's `toISOString` does, in UTC with milliseconds.
  ///
  /// - Parameter date: The date. If it is outside the years 1 to 9999, the nearest date in them is written.
  /// - Returns: The text, for example `2015-11-19T22:57:04.250Z`.
  package static func internet(_ date: Date) -> String {
    // The style cuts instead of rounding, and a `Double` may be slightly too small, so round and add half a
    // millisecond.
    let rounded = (within(date).timeIntervalSinceReferenceDate * 1000).rounded() + 0.5
    return milliseconds.format(Date(timeIntervalSinceReferenceDate: rounded / 1000))
  }

  /// Reads the date of a header field, for example `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 section 5.6.7).
  ///
  /// - Parameter text: The text.
  /// - Returns: The date, or `nil` if the text has another form, even one of the two obsolete forms.
  package static func headerField(_ text: String) -> Date? {
    guard text.utf8.count == 29 else { return nil }
    let strategy = Date.ParseStrategy(
      format: fieldFormat, locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt, isLenient: false)
    return try? strategy.parse(text)
  }

  /// Writes the date of a header field.
  ///
  /// - Parameter date: The date. If it is outside the years 1 to 9999, the nearest date in them is written.
  /// - Returns: The text, for example `Sun, 06 Nov 1994 08:49:37 GMT`.
  package static func headerField(_ date: Date) -> String {
    let style = Date.VerbatimFormatStyle(
      format: fieldFormat, locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt,
      calendar: Calendar(identifier: .gregorian))
    return within(date).formatted(style)
  }

  /// Returns the nearest date in the years 1 to 9999, by comparing numbers, because `max` of two dates would keep NaN.
  private static func within(_ date: Date) -> Date {
    let first = Date.distantPast.timeIntervalSince1970
    return Date(timeIntervalSince1970: min(max(first, date.timeIntervalSince1970), 253_402_300_799.999))
  }
}
