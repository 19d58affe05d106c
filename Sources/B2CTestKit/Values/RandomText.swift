internal import B2CCore
internal import Foundation

/// Texts that nobody can guess: codes, tokens, session ids.
enum RandomText {
  static func make(bytes count: Int = 32) -> String {
    var generator = SystemRandomNumberGenerator()
    return Base64URL.encode((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
  }

  /// A user code for a device sign-in: letters that are hard to mistake (RFC 8628 section 6.1).
  static func userCode() -> String {
    let letters = Array("BCDFGHJKLMNPQRSTVWXZ")
    return String((0..<8).map { _ in letters.randomElement() ?? "B" })
  }

  static func guid() -> String { UUID().uuidString.lowercased() }
}
