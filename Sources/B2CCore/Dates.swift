package import Foundation

/// The dates of servers, as Foundation reads and writes them.
package enum Dates {
  private static let seconds = Date.ISO8601FormatStyle()
  private static let offsets = Pattern(/[+-][0-9]{2}:?[0-5][0-9]/)
  private static let milliseconds = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
  private static let fieldFormat: Date.FormatString = """
    \(weekday: .abbreviated), \(day: .twoDigits) \(month: .abbreviated) \(year: .padded(4)) \
    \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\(second: .twoDigits) GMT
    """

  /// Reads a time as servers write it (RFC 3339 section 5.6): `2015-11-19T22:57:04.250Z`.
  ///
  /// The fraction has any length or is absent. The offset is `Z`, `±hh:mm`, `±hhmm` or absent, which is UTC: servers with .NET
  /// write so. Foundation's parser would take February 30 for March 2; it is refused here.
  ///
  /// - Parameter text: The text.
  /// - Returns: The time; `nil` for any other text.
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

  /// Writes a time as JavaScript's `toISOString` does, in UTC with milliseconds.
  ///
  /// - Parameter date: The time; one outside the years 1 to 9999 becomes the nearest one in them.
  /// - Returns: The text, for example `2015-11-19T22:57:04.250Z`.
  package static func internet(_ date: Date) -> String {
    // The style cuts what is below a millisecond, also the error of a `Double`.
    let rounded = (within(date).timeIntervalSinceReferenceDate * 1000).rounded() + 0.5
    return milliseconds.format(Date(timeIntervalSinceReferenceDate: rounded / 1000))
  }

  /// Reads the date of a header field: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 section 5.6.7).
  ///
  /// - Parameter text: The text.
  /// - Returns: The time; `nil` for any other text, the two obsolete forms too.
  package static func headerField(_ text: String) -> Date? {
    guard text.utf8.count == 29 else { return nil }
    let strategy = Date.ParseStrategy(
      format: fieldFormat, locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt, isLenient: false)
    return try? strategy.parse(text)
  }

  /// Writes the date of a header field.
  ///
  /// - Parameter date: The time; one outside the years 1 to 9999 becomes the nearest one in them.
  /// - Returns: The text, for example `Sun, 06 Nov 1994 08:49:37 GMT`.
  package static func headerField(_ date: Date) -> String {
    let style = Date.VerbatimFormatStyle(
      format: fieldFormat, locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt,
      calendar: Calendar(identifier: .gregorian))
    return within(date).formatted(style)
  }

  /// Takes numbers, since `max` of two dates returns what is not a number.
  private static func within(_ date: Date) -> Date {
    let first = Date.distantPast.timeIntervalSince1970
    return Date(timeIntervalSince1970: min(max(first, date.timeIntervalSince1970), 253_402_300_799.999))
  }
}
