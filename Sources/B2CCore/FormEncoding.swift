/// The one percent-encoder of the package: `application/x-www-form-urlencoded` values, queries and path segments.
///
/// `URLComponents.queryItems` leaves `+ / ; : '` as they are and never reads `+` as a space, so a value can change its
/// meaning on the way. Here everything outside RFC 3986's unreserved set is escaped.
package enum FormEncoding {
  /// Escapes everything but `A-Z a-z 0-9 - . _ ~`.
  package static func escape(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var output: [UInt8] = []
    output.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      if isUnreserved(byte) {
        output.append(byte)
      } else {
        output.append(contentsOf: [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0x0F)]])
      }
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// Joins pairs as `name=value&…` in the given order.
  package static func encode(_ pairs: [(name: String, value: String)]) -> String {
    pairs.map { escape($0.name) + "=" + escape($0.value) }.joined(separator: "&")
  }

  /// Splits a query or form body into decoded pairs, in order; a pair without `=` has an empty value.
  ///
  /// A malformed escape stays as it was written: what it means is the caller's decision.
  package static func decode(_ text: some StringProtocol) -> [(name: String, value: String)] {
    text.split(separator: "&", omittingEmptySubsequences: true).map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (unescape(parts[0]), parts.count > 1 ? unescape(parts[1]) : "")
    }
  }

  /// Decodes the value of a query or form body, in which `+` is a space.
  package static func unescape(_ text: some StringProtocol) -> String {
    decodeBytes(text.utf8) { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
  }

  /// Decodes percent-escapes alone: in a path `+` is a plus sign (RFC 3986 section 3.3).
  package static func percentDecode(_ text: some StringProtocol) -> String {
    decodeBytes(text.utf8) { $0 }
  }

  /// Decodes percent-escapes, and maps each byte that is not part of one.
  private static func decodeBytes(_ text: some Sequence<UInt8>, _ unescaped: (UInt8) -> UInt8) -> String {
    let input = Array(text)
    var output: [UInt8] = []
    output.reserveCapacity(input.count)
    var index = 0
    while index < input.count {
      if input[index] == UInt8(ascii: "%"), index + 2 < input.count,
        let high = hexValue(input[index + 1]), let low = hexValue(input[index + 2])
      {
        output.append(high << 4 | low)
        index += 3
      } else {
        output.append(unescaped(input[index]))
        index += 1
      }
    }
    return String(decoding: output, as: UTF8.self)
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      true
    default: false
    }
  }

  private static func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
