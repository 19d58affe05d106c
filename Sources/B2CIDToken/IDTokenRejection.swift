import B2CCore

/// Why an id_token is refused, with the rule as a value.
package struct IDTokenRejection: Error, Sendable, Hashable {
  package let reason: Reason
  /// The fault in words, without anything secret or personal from the token.
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
  /// A text of a token's header or payload for a message: printable, cut, token-like parts hidden.
  static func quote(_ text: String, limit: Int = 100) -> String {
    "'\(PrintableText(limit: limit).show(text) ?? "")'"
  }
}

extension IDTokenRejection {
  /// The rule that an id_token broke (OpenID Connect Core 3.1.3.7 and 12.2, RFC 7515, RFC 8725).
  package enum Reason: String, Sendable, Hashable, CaseIterable {
    /// Not three base64url parts around JSON objects.
    case malformed
    /// Longer than any id_token has reason to be.
    case tooLarge
    /// Encrypted (JWE), which no one asked for.
    case encrypted
    /// The header demands an extension (`crit`, `b64`, `zip`, `enc`).
    case extensionDemanded
    /// The header's `typ` says that it is another kind of token.
    case type
    /// The header's `alg` is missing or not allowed.
    case algorithm
    /// None of the issuer's keys has the header's `kid`.
    case unknownKey
    /// The issuer's key is too weak, not meant for signatures, or of another kind than `alg`.
    case unsuitableKey
    /// The signature is not the key's over these bytes.
    case signature
    /// `iss` is missing or another issuer.
    case issuer
    /// `aud` is missing or does not name this client.
    case audience
    /// `aud` names others beside this client.
    case untrustedAudience
    /// `azp` is missing among several audiences, or another client.
    case authorizedParty
    /// `exp` is missing or no time.
    case expiration
    /// `exp` is over.
    case expired
    /// `nbf` is to come, or no time.
    case notYetValid
    /// `iat` is missing or no time.
    case issuedAt
    /// `iat` is to come.
    case issuedInFuture
    /// `auth_time` is another than at the sign-in.
    case authenticationTime
    /// `nonce` is missing or another than the one sent.
    case nonce
    /// `tfp` or `acr` is missing or another policy.
    case policy
    /// `sub` is missing.
    case subject
    /// `sub` says that `oid` is the user, and `oid` is missing.
    case objectID
    /// `iss`, `sub` or `aud` is another than at the sign-in.
    case identityChanged
    /// `at_hash` is not that of the access token.
    case accessTokenHash
  }
}
