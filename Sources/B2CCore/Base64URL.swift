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
    decodeBytes(text.utf8).map { Data($0) }
  }

  /// Decodes unpadded text from its ASCII bytes, by the same rules.
  package static func decodeBytes(_ characters: some Collection<UInt8>) -> [UInt8]? {
    characters.withContiguousStorageIfAvailable(decodeContiguous)
      ?? Array(characters).withUnsafeBufferPointer(decodeContiguous)
  }

  private static func decodeContiguous(_ input: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    let rest = input.count % 4
    guard rest != 1 else { return nil }
    // No value has a bit above the sixth, the mark of a foreign character has: one look at the end finds any.
    var seen: UInt8 = 0
    var strayBits: UInt8 = 0
    let output = values.withUnsafeBufferPointer { values in
      [UInt8](unsafeUninitializedCapacity: input.count / 4 * 3 + 2) { output, count in
        var index = 0
        while index + 4 <= input.count {
          let first = values[Int(input[index])]
          let second = values[Int(input[index + 1])]
          let third = values[Int(input[index + 2])]
          let fourth = values[Int(input[index + 3])]
          seen |= first | second | third | fourth
          output[count] = first << 2 | second >> 4
          output[count + 1] = second << 4 | third >> 2
          output[count + 2] = third << 6 | fourth
          count += 3
          index += 4
        }
        guard rest > 0 else { return }
        let first = values[Int(input[index])]
        let second = values[Int(input[index + 1])]
        let third = rest == 3 ? values[Int(input[index + 2])] : 0
        seen |= first | second | third
        strayBits = rest == 3 ? third << 6 : second << 4
        output[count] = first << 2 | second >> 4
        count += 1
        if rest == 3 {
          output[count] = second << 4 | third >> 2
          count += 1
        }
      }
    }
    return seen & 0xC0 == 0 && strayBits == 0 ? output : nil
  }
}
