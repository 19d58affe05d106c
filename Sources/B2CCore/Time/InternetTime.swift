/// ISO 8601 times as servers write them (RFC 3339 section 5.6), as seconds since 1970.
///
/// `Date.ISO8601FormatStyle` does not read times without an offset or with another fraction than milliseconds. It accepts
/// February 29 of every year and text behind the end, and cuts milliseconds where this rounds them.
package enum InternetTime {
  private static let zero = UInt8(ascii: "0")
  private static let form = Array("0000-00-00T00:00:00".utf8)

  /// Reads `2015-11-19T22:57:04.250Z`, with a fraction of any length or none.
  ///
  /// The offset is `Z`, `±hh:mm` or absent, which is UTC. `nil` for everything else, impossible dates included.
  package static func seconds(from text: String) -> Double? {
    let bytes = Array(text.utf8)
    guard bytes.count >= form.count,
      zip(bytes, form).allSatisfy({ byte, expected in expected == zero ? isDigit(byte) : byte == expected }),
      let date = CivilDate(year: number(bytes[0..<4]), month: number(bytes[5..<7]), day: number(bytes[8..<10])),
      let time = CivilTime(
        date, hour: number(bytes[11..<13]), minute: number(bytes[14..<16]), second: number(bytes[17..<19]))
    else { return nil }
    var rest = bytes[form.count...]
    var fraction = 0.0
    if rest.first == UInt8(ascii: ".") {
      let digits = rest.dropFirst().prefix(while: isDigit)
      guard !digits.isEmpty else { return nil }
      fraction = self.fraction(digits)
      rest = rest.dropFirst(1 + digits.count)
    }
    guard let offset = offset(rest) else { return nil }
    return Double(time.secondsSince1970 - offset) + fraction
  }

  /// Writes a time as JavaScript's `toISOString` does, in UTC with milliseconds.
  ///
  /// Four digits hold the years 0000 to 9999; a time beyond them becomes the nearest one that fits.
  package static func text(from seconds: Double) -> String {
    let years = CivilTime.fourDigitYears
    let bounds = (Double(years.lowerBound * 1000), Double(years.upperBound * 1000 + 999))
    let milliseconds = WholeNumber.rounding(min(max(seconds * 1000, bounds.0), bounds.1), .toNearestOrEven)
    let (whole, fraction) = CivilDate.floorDivide(milliseconds, by: 1000)
    let time = CivilTime(secondsSince1970: whole)
    return date(time, separator: "T") + "." + WholeNumber.padded(fraction, 3) + "Z"
  }

  /// Writes date and time without offset.
  package static func date(_ time: CivilTime, separator: String) -> String {
    numbers([(time.date.year, 4), (time.date.month, 2), (time.date.day, 2)], "-") + separator + clock(time)
  }

  /// Writes `22:57:04`.
  static func clock(_ time: CivilTime) -> String {
    numbers([(time.hour, 2), (time.minute, 2), (time.second, 2)], ":")
  }

  private static func numbers(_ parts: [(number: Int64, width: Int64)], _ separator: String) -> String {
    parts.map { WholeNumber.padded($0.number, $0.width) }.joined(separator: separator)
  }

  /// Digits after the ninth are less than a `Double` can tell apart.
  private static func fraction(_ digits: ArraySlice<UInt8>) -> Double {
    let counted = digits.prefix(9)
    return Double(number(counted)) / counted.reduce(1.0) { power, _ in power * 10 }
  }

  private static func offset(_ bytes: ArraySlice<UInt8>) -> Int64? {
    if bytes.isEmpty || bytes.elementsEqual("Z".utf8) { return 0 }
    let start = bytes.startIndex
    guard bytes.count == 6, bytes[start + 3] == UInt8(ascii: ":"), bytes[start + 1..<start + 3].allSatisfy(isDigit),
      bytes[(start + 4)...].allSatisfy(isDigit)
    else { return nil }
    let (hours, minutes) = (number(bytes[start + 1..<start + 3]), number(bytes[(start + 4)...]))
    guard hours < 24, minutes < 60 else { return nil }
    switch bytes[start] {
    case UInt8(ascii: "+"): return hours * 3600 + minutes * 60
    case UInt8(ascii: "-"): return -(hours * 3600 + minutes * 60)
    default: return nil
    }
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int64 {
    digits.reduce(0) { $0 * 10 + Int64($1 - zero) }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (zero...UInt8(ascii: "9")).contains(byte)
  }
}
