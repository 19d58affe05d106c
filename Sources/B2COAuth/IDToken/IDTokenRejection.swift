/// Why an id_token is refused, with the rule as a value, for the engine and for tests; users get it as an ``OAuthError``.
package struct IDTokenRejection: Error, Sendable, Hashable {
  package let reason: Reason
  /// What is wrong, in words, without anything secret or personal from the token.
  package let detail: String
  /// Whether a fresh copy of the issuer's keys may change the answer, as after a key rollover.
  package let mayHaveStaleKeys: Bool

  init(_ reason: Reason, _ detail: String, mayHaveStaleKeys: Bool = false) {
    self.reason = reason
    self.detail = detail
    self.mayHaveStaleKeys = mayHaveStaleKeys
  }
}

extension IDTokenRejection {
  /// The same as users see it.
  package var oauthError: OAuthError {
    OAuthError(
      .invalidIDToken, "The id_token is refused (\(reason.rawValue)): \(detail).",
      recoverySuggestion: recoverySuggestion, underlying: self)
  }

  private var recoverySuggestion: String? {
    switch reason {
    case .expired, .notYetValid, .issuedInFuture:
      "Compare this device's clock with the server's."
    case .issuer:
      "Check that authority, tenant and policy are those that issued the token."
    case .audience, .authorizedParty:
      "Check that the client id is the one registered for this app."
    case .policy:
      "Check that the sign-in page and the token request used the same policy."
    case .algorithm:
      "Allow the algorithm only if this issuer is known to sign with it."
    default: nil
    }
  }

  /// A piece of a token's header or payload as it may stand in a message: short, printable ASCII.
  static func quote(_ text: String) -> String {
    let shown = text.unicodeScalars.prefix(100).map { (0x20..<0x7F).contains($0.value) ? Character($0) : "?" }
    return "'" + String(shown) + (text.unicodeScalars.count > 100 ? "…'" : "'")
  }
}
