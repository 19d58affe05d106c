package import Foundation

/// Base64 in the URL-safe alphabet without padding (RFC 4648 section 5, RFC 7515 section 2).
package enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// Encodes bytes as text without padding.
  package static func encode(_ bytes: some Sequence<UInt8>) -> String {
    let bytes = Array(bytes)
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count * 4 / 3 + 1)
    var bits: UInt32 = 0
    var count: UInt32 = 0
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      count += 8
      while count >= 6 {
        count -= 6
        output.append(alphabet[Int(bits >> count & 0x3F)])
      }
    }
    if count > 0 { output.append(alphabet[Int(bits << (6 - count) & 0x3F)]) }
    return String(decoding: output, as: UTF8.self)
  }

  /// Decodes unpadded text; `nil` for a foreign character, padding, an impossible length or stray bits at the end.
  package static func decode(_ text: some StringProtocol) -> Data? {
    decodeBytes(text.utf8).map { Data($0) }
  }

  /// Decodes unpadded text from its ASCII bytes, by the same rules.
  package static func decodeBytes(_ characters: some Collection<UInt8>) -> [UInt8]? {
    let characters = Array(characters)
    var output: [UInt8] = []
    output.reserveCapacity(characters.count * 3 / 4)
    var bits: UInt32 = 0
    var count: UInt32 = 0
    for character in characters {
      guard let value = sixBits(of: character) else { return nil }
      bits = bits << 6 | value
      count += 6
      if count >= 8 {
        count -= 8
        output.append(UInt8(truncatingIfNeeded: bits >> count))
      }
    }
    // Six bits over are a character too many; other bits that are set belong to no byte.
    return count < 6 && bits & (1 << count - 1) == 0 ? output : nil
  }

  private static func sixBits(of character: UInt8) -> UInt32? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "-"): 62
    case UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
