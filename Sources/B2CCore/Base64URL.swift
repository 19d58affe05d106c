package import Foundation

/// Base64 in the URL-safe alphabet without padding (RFC 4648 section 5, RFC 7515 section 2).
package enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  private static let values: [UInt8] = {
    var table = [UInt8](repeating: 0xFF, count: 256)
    for (value, character) in alphabet.enumerated() {
      table[Int(character)] = UInt8(value)
    }
    return table
  }()

  /// Encodes bytes as text without padding.
  package static func encode(_ bytes: some Sequence<UInt8>) -> String {
    let input = Array(bytes)
    var output: [UInt8] = []
    output.reserveCapacity((input.count * 4 + 2) / 3)
    var index = 0
    while index < input.count {
      let left = min(3, input.count - index)
      let first = UInt32(input[index]) << 16
      let second = left > 1 ? UInt32(input[index + 1]) << 8 : 0
      let third = left > 2 ? UInt32(input[index + 2]) : 0
      let group = first | second | third
      for position in 0...left {
        output.append(alphabet[Int(group >> (18 - 6 * UInt32(position)) & 0x3F)])
      }
      index += 3
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// Decodes unpadded text; `nil` for a foreign character, padding, an impossible length or stray bits at the end.
  package static func decode(_ text: some StringProtocol) -> Data? {
    let input = Array(text.utf8)
    guard input.count % 4 != 1 else { return nil }
    var output = Data(capacity: input.count * 3 / 4)
    var group: UInt32 = 0
    var bits: UInt32 = 0
    for character in input {
      let value = values[Int(character)]
      guard value != 0xFF else { return nil }
      group = group << 6 | UInt32(value)
      bits += 6
      if bits >= 8 {
        bits -= 8
        output.append(UInt8(group >> bits & 0xFF))
        group &= (1 << bits) - 1
      }
    }
    return group == 0 ? output : nil
  }
}
