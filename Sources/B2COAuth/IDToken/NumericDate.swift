import B2CCore
import Foundation

/// A time in seconds since 1970 (RFC 7519 section 2), as a number or, as Azure AD B2C also writes it, as a text.
enum NumericDate {
  /// The last second of the year 9999; what lies beyond is no time a server means.
  private static let latest = 253_402_300_799.0

  static func date(_ value: JSONValue) -> Date? {
    let seconds: Double
    switch value {
    case .integer(let number): seconds = Double(number)
    case .number(let number): seconds = number
    case .string(let text):
      // Not `Double(text)` alone, which takes "nan", "0x10" and "1e3".
      guard (1...20).contains(text.utf8.count), text.utf8.allSatisfy(isDigitOrPoint), let number = Double(text) else {
        return nil
      }
      seconds = number
    default: return nil
    }
    return (0...latest).contains(seconds) ? Date(timeIntervalSince1970: seconds) : nil
  }

  private static func isDigitOrPoint(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: ".")
  }
}
