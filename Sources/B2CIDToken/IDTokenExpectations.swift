package import B2CCore
package import Foundation

/// The expected values for the validation of an id_token: all that the client knows about its sign-in.
package struct IDTokenExpectations: Sendable {
  /// The client ID, which must be in `aud`.
  package var clientID: String
  /// Who may have issued the token.
  package var issuer: IssuerExpectation
  /// The time, already corrected by the offset measured against the server's clock.
  package var now: Date
  /// How far clocks may be apart.
  package var skew: Duration
  /// The algorithms the issuer may sign with.
  package var allowedAlgorithms: Set<JWSAlgorithm> = .microsoft
  /// The nonce sent with the request; `nil` after a refresh.
  package var nonce: Secret?
  /// The policy's id, compared with `tfp` or `acr` without case; `nil` for authorities without policies.
  package var policy: String?
  /// The access token that came with the id_token, for `at_hash`.
  package var accessToken: Secret?

  /// Makes the expectations that every sign-in has.
  ///
  /// - Parameters:
  ///   - clientID: The client ID.
  ///   - issuer: Who may have issued the token.
  ///   - now: The time by the server's clock.
  ///   - skew: How far clocks may be apart.
  package init(clientID: String, issuer: IssuerExpectation, now: Date, skew: Duration) {
    self.clientID = clientID
    self.issuer = issuer
    self.now = now
    self.skew = skew
  }
}

/// Which `iss` an id_token may have.
package enum IssuerExpectation: Sendable, Hashable {
  /// This text and no other, to the last slash.
  case exact(String)
  /// This text with `{tenantid}` replaced by the token's `tid`, as Entra ID's `common` publishes it.
  case template(String)

  /// Takes the `issuer` of a discovery document, which is a template when it has `{tenantid}` in it.
  package init(published issuer: String) {
    self = !issuer.contains(Self.placeholder) ? .exact(issuer) : .template(issuer)
  }

  private static let placeholder = Pattern(/\{tenantid\}/.ignoresCase())

  /// Whether a token that names this tenant may name this issuer.
  package func accepts(_ issuer: String, tenantID: String?) -> Bool {
    switch self {
    case .exact(let expected): return ASCIIText.isSame(issuer, expected)
    case .template(let template):
      // Only a GUID is a tenant; any other text could turn the template into another address.
      guard let tenantID, UUID(uuidString: tenantID) != nil else { return false }
      return ASCIIText.isSame(issuer, template.replacing(Self.placeholder, with: tenantID))
    }
  }

  /// Whether a callback may name this issuer (RFC 9207 section 2.4); where a template is published, of any tenant.
  package func accepts(callbackIssuer issuer: String) -> Bool {
    let tenant = issuer.split(separator: "/").first { UUID(uuidString: String($0)) != nil }
    return accepts(issuer, tenantID: tenant.map(String.init))
  }
}
