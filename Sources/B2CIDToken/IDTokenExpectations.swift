package import B2CCore
package import Foundation

/// The values that a valid id_token must have, according to the client and its sign-in.
package struct IDTokenExpectations: Sendable {
  /// The client ID, which must be in `aud`.
  package var clientID: String
  /// The issuer that must have issued the token.
  package var issuer: IssuerExpectation
  /// The current time by the server's clock.
  package var now: Date
  /// The difference between two clocks that is allowed.
  package var skew: Duration
  /// The algorithms that the issuer may sign with.
  package var allowedAlgorithms: Set<JWSAlgorithm> = .microsoft
  /// The nonce of the request, or `nil` if the request had none.
  package var nonce: Secret?
  /// The id that `tfp` or `acr` must have, ignoring upper and lower case, or `nil` at authorities without policies.
  package var policy: String?
  /// The access token that arrived with the id_token, which `at_hash` must match.
  package var accessToken: Secret?

  /// Creates the expectations that every sign-in has.
  ///
  /// - Parameters:
  ///   - clientID: The client ID.
  ///   - issuer: The issuer that must have issued the token.
  ///   - now: The current time by the server's clock.
  ///   - skew: The difference between two clocks that is allowed.
  package init(clientID: String, issuer: IssuerExpectation, now: Date, skew: Duration) {
    self.clientID = clientID
    self.issuer = issuer
    self.now = now
    self.skew = skew
  }
}

/// The `iss` that an id_token must have.
package enum IssuerExpectation: Sendable, Hashable {
  /// Exactly this text, including a slash at the end.
  case exact(String)
  /// This text with the token's `tid` in place of `{tenantid}`, as Entra ID publishes it for `common`.
  case template(String)

  /// Reads the `issuer` of a metadata document, which is a template if it contains `{tenantid}`.
  package init(published issuer: String) {
    self = !issuer.contains(Self.placeholder) ? .exact(issuer) : .template(issuer)
  }

  private static let placeholder = Pattern(/\{tenantid\}/.ignoresCase())

  /// Whether a token with this `tid` may have this issuer.
  package func accepts(_ issuer: String, tenantID: String?) -> Bool {
    switch self {
    case .exact(let expected): return ASCIIText.isSame(issuer, expected)
    case .template(let template):
      // Only a GUID is accepted as a tenant, because other text could turn the template into another address.
      guard let tenantID, UUID(uuidString: tenantID) != nil else { return false }
      return ASCIIText.isSame(issuer, template.replacing(Self.placeholder, with: tenantID))
    }
  }

  /// Whether a callback may have this issuer (RFC 9207 section 2.4), which for a template may be of any tenant.
  package func accepts(callbackIssuer issuer: String) -> Bool {
    let tenant = issuer.split(separator: "/").first { UUID(uuidString: String($0)) != nil }
    return accepts(issuer, tenantID: tenant.map(String.init))
  }
}
