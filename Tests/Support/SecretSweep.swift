internal import Foundation

/// Finds pieces of secrets in what a program has left behind, in whatever case or encoding.
///
/// A piece is twelve bytes of a secret as it is, in base64 and base64url at any offset, in hexadecimal or
/// percent-encoded. Shorter secrets are not searched for.
package struct SecretSweep: Sendable {
  private static let width = 12
  /// The hashes of the pieces.
  private var pieces: Set<UInt64> = []
  /// Tells most pieces that are not there without a look into the set.
  private var isFilled = [Bool](repeating: false, count: 1 << 20)

  /// Makes a search for what must not be found.
  package init(_ secrets: some Sequence<String>) {
    for form in Set(secrets).flatMap({ Self.forms(of: Array($0.utf8)) }) {
      Self.forEachPiece(of: form.map(Self.lowercased)) { piece, _ in
        pieces.insert(piece)
        isFilled[Int(piece >> 44)] = true
        return true
      }
    }
  }

  /// The first piece that some bytes hold, with what is around it; `nil` when there is none.
  package func trace(in bytes: some Sequence<UInt8>) -> String? {
    let bytes = bytes.map(Self.lowercased)
    var trace: String?
    Self.forEachPiece(of: bytes) { piece, end in
      guard isFilled[Int(piece >> 44)], pieces.contains(piece) else { return true }
      trace = String(decoding: bytes[max(0, end - Self.width - 40)..<end], as: UTF8.self)
      return false
    }
    return trace
  }

  /// Visits the hash of each piece of a text, with its end, while the visitor returns `true`.
  private static func forEachPiece(of text: [UInt8], _ visit: (UInt64, _ end: Int) -> Bool) {
    var (high, low): (UInt64, UInt64) = (0, 0)
    for (index, byte) in text.enumerated() {
      high = (high << 8 | low >> 56) & 0xFFFF_FFFF
      low = low << 8 | UInt64(byte)
      let hash = (low ^ (high &* 0x9E37_79B9_7F4A_7C15)) &* 0xD6E8_FEB8_6659_FD93
      if index + 1 >= width, !visit(hash, index + 1) { return }
    }
  }

  private static func forms(of bytes: [UInt8]) -> [[UInt8]] {
    guard bytes.count >= width else { return [] }
    let digits = Array("0123456789abcdef".utf8)
    let hexadecimal = bytes.map { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    var forms = [bytes, hexadecimal.flatMap(\.self), hexadecimal.flatMap { [UInt8(ascii: "%")] + $0 }]
    for offset in 0..<3 {
      // Behind other bytes a secret looks different; the first and the last characters mix with its neighbours.
      let text = Data([UInt8](repeating: 0, count: offset) + bytes).base64EncodedString().filter { $0 != "=" }
      let own = text.dropFirst(offset == 0 ? 0 : offset + 1).dropLast()
      forms += [own, own.replacing("+", with: "-").replacing("/", with: "_")].map { Array($0.utf8) }
    }
    return forms
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
