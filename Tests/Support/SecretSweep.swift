/// Finds pieces of many secrets in few texts: the text is indexed, and each secret is read along it once.
///
/// A piece is twelve bytes of a form of a secret that ``SecretSearch`` knows. Shorter secrets are not searched for.
package struct SecretSweep: Sendable {
  private let forms: [[UInt8]]

  /// Makes a search.
  ///
  /// - Parameter secrets: What must not be found.
  package init(_ secrets: some Sequence<String>) {
    forms = Set(secrets).filter { $0.utf8.count >= Window.width }.flatMap { secret in
      let bytes = Array(secret.utf8)
      return Set(
        (SecretSearch.forms(of: bytes) + [SecretSearch.escaped(bytes)]).map { $0.map(SecretSearch.lowercased) })
    }
  }

  /// The first piece that some bytes hold, with what is around it; `nil` when there is none.
  package func trace(in bytes: some Sequence<UInt8>) -> String? {
    let bytes = bytes.map(SecretSearch.lowercased)
    let index = WindowIndex(bytes)
    for form in forms {
      guard let end = index.end(ofFirst: form) else { continue }
      return String(decoding: bytes[max(0, end - Window.width - 40)..<end], as: UTF8.self)
    }
    return nil
  }
}

/// The last twelve bytes of a text that is read byte by byte.
private struct Window: Hashable {
  static let width = 12

  private var high: UInt32 = 0
  private var low: UInt64 = 0

  /// Where its bit is in a table of 2^20.
  var slot: Int {
    let mixed = (low ^ (UInt64(high) &* 0x9E37_79B9_7F4A_7C15)) &* 0xD6E8_FEB8_6659_FD93
    return Int(mixed >> 44)
  }

  mutating func read(_ byte: UInt8) {
    high = high << 8 | UInt32(truncatingIfNeeded: low >> 56)
    low = low << 8 | UInt64(byte)
  }
}

/// Every window of a text, with its end.
private struct WindowIndex {
  private var ends: [Window: Int] = [:]
  /// Tells most windows that are not there without a look into the dictionary.
  private var isFilled = [Bool](repeating: false, count: 1 << 20)

  init(_ text: [UInt8]) {
    var window = Window()
    for (index, byte) in text.enumerated() {
      window.read(byte)
      guard index + 1 >= Window.width else { continue }
      ends[window] = index + 1
      isFilled[window.slot] = true
    }
  }

  /// Where the first window of some bytes ends that the text has as well.
  func end(ofFirst bytes: [UInt8]) -> Int? {
    guard bytes.count >= Window.width else { return nil }
    return isFilled.withUnsafeBufferPointer { isFilled in
      bytes.withUnsafeBufferPointer { bytes in
        var window = Window()
        var index = 0
        while index < bytes.count {
          window.read(bytes[index])
          index += 1
          if index >= Window.width, isFilled[window.slot], let end = ends[window] { return end }
        }
        return nil
      }
    }
  }
}
