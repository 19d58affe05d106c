package import Foundation

/// Base64 with the URL-safe alphabet and without padding (RFC 4648 section 5, RFC 7515 section 2).
package enum Base64URL {
  /// Returns bytes as text without padding.
  package static func encode(_ bytes: some Sequence<UInt8>) -> String {
    let encoded = Data(bytes).base64EncodedString().utf8.prefix { $0 != UInt8(ascii: "=") }
    return String(decoding: encoded.map(swapped), as: UTF8.self)
  }

  /// Converts Base64 in either alphabet to the URL-safe one.
  package static func urlSafe(_ text: String) -> String {
    String(decoding: text.utf8.map { "+/".utf8.contains($0) ? swapped($0) : $0 }, as: UTF8.self)
  }

  /// Decodes a text, or returns `nil` for other characters, padding, an impossible length or stray bits at the end.
  package static func decode(_ text: String) -> Data? {
    let given = Array(text.utf8)
    var bytes = given.map(swapped)
    while bytes.count % 4 != 0 { bytes.append(UInt8(ascii: "=")) }
    guard !given.contains(UInt8(ascii: "=")), let data = Data(base64Encoded: Data(bytes)),
      // Foundation ignores stray bits at the end, so encode the last bytes again and compare.
      ASCIIText.isSame(encode(data.suffix(data.count % 3)), given.suffix(given.count % 4))
    else { return nil }
    return data
  }

  /// Swaps the characters in which the two alphabets differ.
  private static func swapped(_ byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "+"): UInt8(ascii: "-")
    case UInt8(ascii: "-"): UInt8(ascii: "+")
    case UInt8(ascii: "/"): UInt8(ascii: "_")
    case UInt8(ascii: "_"): UInt8(ascii: "/")
    default: byte
    }
  }
}
