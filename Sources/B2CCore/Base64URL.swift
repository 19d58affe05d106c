package import Foundation

/// Base64 in the URL-safe alphabet without padding (RFC 4648 section 5, RFC 7515 section 2).
package enum Base64URL {
  /// Encodes bytes as text without padding.
  package static func encode(_ bytes: some Sequence<UInt8>) -> String {
    Data(bytes).base64EncodedString().replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
      .replacingOccurrences(of: "=", with: "")
  }

  /// Decodes unpadded text; `nil` for a foreign character, padding, an impossible length or stray bits at the end.
  package static func decode(_ text: some StringProtocol) -> Data? {
    let standard = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
    let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    // Foundation ignores bits that belong to no byte, and takes both alphabets' rest.
    guard let data = Data(base64Encoded: standard + padding), encode(data) == text else { return nil }
    return data
  }
}
