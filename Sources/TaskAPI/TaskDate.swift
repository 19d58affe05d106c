package import Foundation

/// ISO 8601 dates as servers write them (RFC 3339 section 5.6).
package enum TaskDate {
  private static let zero = UInt8(ascii: "0")
  private static let form = Array("0000-00-00T00:00:00".utf8)

  /// Reads `2015-11-19T22:57:04.250Z`, with a fraction of any length or none.
  ///
  /// The offset is `Z`, `±hh:mm` or absent, which is UTC. `nil` for everything else, impossible dates included.
  package static func date(from text: String) -> Date? {
    let bytes = Array(text.utf8)
    guard bytes.count >= form.count,
      zip(bytes, form).allSatisfy({ byte, expected in expected == zero ? isDigit(byte) : byte == expected }),
      let day = CivilDate(year: number(bytes[0..<4]), month: number(bytes[5..<7]), day: number(bytes[8..<10])),
      let time = seconds(hours: bytes[11..<13], minutes: bytes[14..<16])
    else { return nil }
    let second = number(bytes[17..<19])
    // 60 is a leap second.
    guard second <= 60 else { return nil }
    var rest = bytes[form.count...]
    var fraction = 0.0
    if rest.first == UInt8(ascii: ".") {
      let digits = rest.dropFirst().prefix(while: isDigit)
      guard let value = Double("0." + String(decoding: digits, as: UTF8.self)), !digits.isEmpty else { return nil }
      fraction = value
      rest = rest.dropFirst(1 + digits.count)
    }
    guard let offset = offset(rest) else { return nil }
    return Date(timeIntervalSince1970: Double(day.daysSince1970 * 86_400 + time + second - offset) + fraction)
  }

  /// Writes a date as JavaScript's `toISOString` does, in UTC with milliseconds.
  static func text(from date: Date) -> String {
    let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
    // Four digits hold the years 0000 to 9999; a date beyond them becomes the nearest one that fits.
    let limited = min(max(milliseconds, -62_167_219_200_000), 253_402_300_799_999)
    let (seconds, fraction) = CivilDate.floorDivide(limited.isFinite ? Int(limited) : 0, by: 1000)
    let (days, time) = CivilDate.floorDivide(seconds, by: 86_400)
    let day = CivilDate(daysSince1970: days)
    return "\(padded(day.year, 4))-\(padded(day.month, 2))-\(padded(day.day, 2))"
      + "T\(padded(time / 3600, 2)):\(padded(time / 60 % 60, 2)):\(padded(time % 60, 2)).\(padded(fraction, 3))Z"
  }

  private static func offset(_ bytes: ArraySlice<UInt8>) -> Int? {
    if bytes.isEmpty || bytes.elementsEqual("Z".utf8) { return 0 }
    let start = bytes.startIndex
    guard bytes.count == 6, bytes[start + 3] == UInt8(ascii: ":"),
      let offset = seconds(hours: bytes[start + 1..<start + 3], minutes: bytes[(start + 4)...])
    else { return nil }
    switch bytes[start] {
    case UInt8(ascii: "+"): return offset
    case UInt8(ascii: "-"): return -offset
    default: return nil
    }
  }

  private static func seconds(hours: ArraySlice<UInt8>, minutes: ArraySlice<UInt8>) -> Int? {
    guard hours.allSatisfy(isDigit), minutes.allSatisfy(isDigit), number(hours) < 24, number(minutes) < 60 else {
      return nil
    }
    return number(hours) * 3600 + number(minutes) * 60
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int {
    digits.reduce(0) { $0 * 10 + Int($1 - zero) }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (zero...UInt8(ascii: "9")).contains(byte)
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}
