package import B2CCore
package import Foundation

/// What an id_token has to be, to be believed: everything the client knows about the sign-in it belongs to.
package struct IDTokenExpectations: Sendable {
  /// The client id, which must be in `aud`.
  package var clientID: String
  /// Who may have issued the token.
  package var issuer: IssuerExpectation
  /// The time, already corrected by the offset measured against the server's clock.
  package var now: Date
  /// How far clocks may be apart.
  package var skew: Duration
  /// The algorithms the issuer may sign with.
  package var allowedAlgorithms: Set<JWSAlgorithm>
  /// The nonce sent with the request; `nil` after a refresh.
  package var nonce: Secret?
  /// The policy's id, compared with `tfp` or `acr` without case; `nil` for authorities without policies.
  package var policy: String?
  /// The access token that came with the id_token, for `at_hash`.
  package var accessToken: Secret?
  /// The code that came with the id_token, for `c_hash`.
  package var code: Secret?
  /// The `max_age` of the request.
  package var maximumAge: Duration?
  /// After a refresh: who was signed in.
  package var previous: PreviousIdentity?

  /// Makes expectations.
  ///
  /// - Parameters:
  ///   - clientID: The client id.
  ///   - issuer: Who may have issued the token.
  ///   - nonce: The nonce sent with the request.
  ///   - policy: The policy's id.
  ///   - now: The time by the server's clock.
  ///   - skew: How far clocks may be apart.
  ///   - previous: After a refresh: the claims of the sign-in.
  ///   - accessToken: The access token that came with the id_token.
  ///   - code: The code that came with the id_token.
  ///   - allowedAlgorithms: The algorithms the issuer may sign with.
  ///   - maximumAge: The `max_age` of the request.
  package init(
    clientID: String, issuer: IssuerExpectation, nonce: Secret? = nil, policy: String? = nil, now: Date,
    skew: Duration = .seconds(300), previous: [String: JSONValue]? = nil, accessToken: Secret? = nil,
    code: Secret? = nil, allowedAlgorithms: Set<JWSAlgorithm> = .microsoft, maximumAge: Duration? = nil
  ) {
    self.clientID = clientID
    self.issuer = issuer
    self.nonce = nonce
    self.policy = policy
    self.now = now
    self.skew = skew
    self.previous = previous.map(PreviousIdentity.init)
    self.accessToken = accessToken
    self.code = code
    self.allowedAlgorithms = allowedAlgorithms
    self.maximumAge = maximumAge
  }
}
