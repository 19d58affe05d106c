internal import B2CCore
internal import Foundation

#if canImport(CryptoKit)
  internal import CryptoKit
#else
  internal import Crypto
#endif

/// Unguessable texts: codes, tokens, session ids.
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

/// The server's half of RFC 7636.
enum PKCE {
  /// Whether a text is 43 to 128 unreserved characters (section 4.1).
  static func isWellFormed(_ text: String) -> Bool {
    (43...128).contains(text.utf8.count) && FormEncoding.escape(text) == text
  }

  /// `BASE64URL(SHA256(verifier))` (section 4.2).
  static func challenge(for verifier: String) -> String {
    Base64URL.encode(SHA256.hash(data: Data(verifier.utf8)))
  }

  /// The left half of a SHA-256, as `at_hash` has it (OpenID Connect Core section 3.1.3.6).
  static func leftHalfHash(_ text: String) -> String {
    Base64URL.encode(SHA256.hash(data: Data(text.utf8)).prefix(16))
  }
}
