import B2CCore

/// Why an id_token is refused (OpenID Connect Core 3.1.3.7 and 12.2, RFC 7515, RFC 8725).
package struct IDTokenRejection: Error, Sendable, Hashable {
  /// The fault in words, without anything secret or personal from the token.
  package let detail: String
  /// How to fix it, if anything is known to help.
  package let recoverySuggestion: String?
  /// Whether a fresh copy of the issuer's keys may change the answer, as after a key rollover.
  package let mayHaveStaleKeys: Bool

  /// Makes the refusal of a token.
  ///
  /// - Parameters:
  ///   - detail: The fault in words that go on after "the id_token is refused:".
  ///   - recoverySuggestion: How to fix it.
  ///   - mayHaveStaleKeys: Whether a fresh copy of the issuer's keys may change the answer.
  package init(_ detail: String, recoverySuggestion: String? = nil, mayHaveStaleKeys: Bool = false) {
    self.detail = detail
    self.recoverySuggestion = recoverySuggestion
    self.mayHaveStaleKeys = mayHaveStaleKeys
  }

  /// A text of a token's header or payload for a message: printable, cut, token-like parts hidden.
  static func quote(_ text: String, limit: Int = 100) -> String {
    "'\(PrintableText(limit: limit).show(text) ?? "")'"
  }
}

/// What to do about a refusal, where more than one rule has the same.
enum Advice {
  static let algorithm = "Allow the algorithm only if this issuer is known to sign with it."
  static let client = "Check that the client ID is the one registered for this app."
  static let clock = "Compare this device's clock with the server's."
  static let issuer = "Check that the authority in the settings is the one that issued the token."
  static let policy = "Check that the sign-in page and the token request used the same policy."
}
