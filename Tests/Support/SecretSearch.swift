internal import Foundation

/// Finds pieces of secrets in what a program has left behind, in whatever case or encoding.
///
/// A piece is twelve bytes of a secret as it is, in base64 and base64url at any offset, in hexadecimal or percent-encoded.
package struct SecretSearch: Sendable {
  private static let width = 12
  private var pieces: Set<ArraySlice<UInt8>> = []

  package init(_ secrets: some Sequence<String>) {
    for secret in secrets where secret.utf8.count >= Self.width {
      for form in Self.forms(of: Array(secret.utf8)) {
        let bytes = form.map(Self.lowercased)
        guard bytes.count >= Self.width else { continue }
        // A slice keeps its whole array alive, and its indices are no part of its value.
        for start in 0...(bytes.count - Self.width) { pieces.insert(bytes[start..<(start + Self.width)]) }
      }
    }
  }

  /// The first piece that some bytes hold, with what is around it; `nil` when there is none.
  package func trace(in bytes: some Sequence<UInt8>) -> String? {
    let bytes = bytes.map(Self.lowercased)
    guard bytes.count >= Self.width else { return nil }
    for start in 0...(bytes.count - Self.width) where pieces.contains(bytes[start..<(start + Self.width)]) {
      return String(decoding: bytes[max(0, start - 40)..<min(bytes.count, start + Self.width)], as: UTF8.self)
    }
    return nil
  }

  private static func forms(of bytes: [UInt8]) -> [[UInt8]] {
    let digits = Array("0123456789abcdef".utf8)
    var forms = [
      bytes, bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
      bytes.flatMap { [UInt8(ascii: "%"), digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
    ]
    for offset in 0..<3 {
      // Behind other bytes a secret looks different; the first and the last characters mix with its neighbours.
      let text = Data([UInt8](repeating: 0, count: offset) + bytes).base64EncodedString().filter { $0 != "=" }
      let own = text.dropFirst(offset == 0 ? 0 : offset + 1).dropLast()
      forms.append(Array(own.utf8))
      forms.append(Array(own.replacing("+", with: "-").replacing("/", with: "_").utf8))
    }
    return forms
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
