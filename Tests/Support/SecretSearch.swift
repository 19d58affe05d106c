internal import Foundation

/// Finds pieces of secrets in what a program has left behind, in whatever case or encoding.
///
/// A piece is twelve bytes, or as many as asked for, of a secret as it is, in base64 and base64url at any offset or in
/// hexadecimal; or eight bytes of it percent-encoded. For few secrets and many texts; ``SecretSweep`` is for the reverse.
package struct SecretSearch: Sendable {
  /// Eight bytes of a secret, percent-encoded: fewer are of no use to anyone.
  private static let escapedWidth = 24
  /// What pieces begin with, so that most places of a text need no more than one look.
  private var starts = [Bool](repeating: false, count: 1 << 16)
  private var pieces: [Int: Set<ArraySlice<UInt8>>] = [:]

  /// Makes a search.
  ///
  /// - Parameters:
  ///   - secrets: The secrets; those that are shorter than a piece are left out.
  ///   - width: The number of bytes of a piece.
  ///   - findsEncoded: Whether base64 and hexadecimal are searched for too.
  package init(_ secrets: some Sequence<String>, width: Int = 12, findsEncoded: Bool = true) {
    for secret in secrets where secret.utf8.count >= width {
      let secret = Array(secret.utf8)
      for form in findsEncoded ? Self.forms(of: secret) : [secret] { add(form, width: width) }
      add(Self.escaped(secret), width: Self.escapedWidth)
    }
  }

  private mutating func add(_ form: [UInt8], width: Int) {
    let bytes = form.map(Self.lowercased)
    guard bytes.count >= width else { return }
    // A slice keeps its whole array alive, and its indices are no part of its value.
    for start in 0...(bytes.count - width) {
      pieces[width, default: []].insert(bytes[start..<(start + width)])
      starts[Self.start(bytes, start)] = true
    }
  }

  /// The first piece that some bytes hold, with what is around it; `nil` when there is none.
  package func trace(in bytes: some Sequence<UInt8>) -> String? {
    let bytes = bytes.map(Self.lowercased)
    for index in bytes.indices.dropLast() where starts[Self.start(bytes, index)] {
      for (width, pieces) in pieces where index + width <= bytes.count {
        guard pieces.contains(bytes[index..<(index + width)]) else { continue }
        return String(decoding: bytes[max(0, index - 40)..<(index + width)], as: UTF8.self)
      }
    }
    return nil
  }

  private static func start(_ bytes: [UInt8], _ index: Int) -> Int { Int(bytes[index]) << 8 | Int(bytes[index + 1]) }

  static func escaped(_ bytes: [UInt8]) -> [UInt8] {
    bytes.flatMap { [UInt8(ascii: "%"), digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
  }

  private static let digits = Array("0123456789abcdef".utf8)

  static func forms(of bytes: [UInt8]) -> [[UInt8]] {
    var forms = [bytes, bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }]
    for offset in 0..<3 {
      // Behind other bytes a secret looks different; the first and the last characters mix with its neighbours.
      let text = Data([UInt8](repeating: 0, count: offset) + bytes).base64EncodedString().filter { $0 != "=" }
      let own = text.dropFirst(offset == 0 ? 0 : offset + 1).dropLast()
      forms.append(Array(own.utf8))
      forms.append(Array(own.replacing("+", with: "-").replacing("/", with: "_").utf8))
    }
    return forms
  }

  static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
