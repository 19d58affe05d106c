internal import Foundation

/// The only percent-encoding of the package, for `application/x-www-form-urlencoded` values, queries and path segments.
///
/// `URLComponents.queryItems` does not escape `+ / ; : '` and never reads `+` as a space, so a value could change its
/// meaning. Here every character is escaped that is not one of RFC 3986's unreserved ones.
package enum FormEncoding {
  private static let digits = Array("0123456789ABCDEF".utf8)

  /// Escapes all bytes except those to keep, which by default are `A-Z a-z 0-9 - . _ ~`.
  package static func escape(_ text: String, keeping isKept: (UInt8) -> Bool = isUnreserved) -> String {
    var escaped: [UInt8] = []
    escaped.reserveCapacity(2 * text.utf8.count)
    for byte in text.utf8 {
      if isKept(byte) {
        escaped.append(byte)
      } else {
        escaped += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: escaped, as: UTF8.self)
  }

  package static func isUnreserved(_ byte: UInt8) -> Bool {
    switch Unicode.Scalar(byte) {
    case "A"..."Z", "a"..."z", "0"..."9", "-", ".", "_", "~": true
    default: false
    }
  }

  /// Joins pairs as `name=value&…` in the given order.
  package static func encode(_ pairs: [(name: String, value: String)]) -> String {
    pairs.map { escape($0.name) + "=" + escape($0.value) }.joined(separator: "&")
  }

  /// Splits a query or form body into decoded pairs, in order, in which a pair without `=` has an empty value.
  package static func decode(_ text: some StringProtocol) -> [(name: String, value: String)] {
    text.split(separator: "&", omittingEmptySubsequences: true).map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (unescape(parts[0]), parts.count > 1 ? unescape(parts[1]) : "")
    }
  }

  /// Decodes the value of a query or form body, in which `+` is a space.
  package static func unescape(_ text: some StringProtocol) -> String {
    percentDecode(String(decoding: text.utf8.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 }, as: UTF8.self))
  }

  /// Decodes percent-escapes only, because in a path `+` is a plus sign (RFC 3986 section 3.3).
  ///
  /// If an escape is malformed or the result is not UTF-8, the text is returned unchanged.
  package static func percentDecode(_ text: some StringProtocol) -> String {
    (text.utf8.contains(UInt8(ascii: "%")) ? text.removingPercentEncoding : nil) ?? String(text)
  }
}
