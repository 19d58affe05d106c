package import B2CCore
package import Foundation

/// What the id_token of a refresh has to keep from the one of the sign-in (OpenID Connect Core 12.2); `nil` is not compared.
package struct PreviousIdentity: Sendable, Hashable {
  package var issuer: String?
  package var subject: String?
  package var audience: [String]?
  package var authenticationTime: Date?
  /// The nonce of the sign-in, which a refreshed token need not repeat but may not change.
  package var nonce: Secret?

  package init(
    issuer: String? = nil, subject: String? = nil, audience: [String]? = nil, authenticationTime: Date? = nil,
    nonce: Secret? = nil
  ) {
    self.issuer = issuer
    self.subject = subject
    self.audience = audience
    self.authenticationTime = authenticationTime
    self.nonce = nonce
  }

  /// Takes what is there from the claims of the sign-in.
  package init(_ claims: [String: JSONValue]) {
    self.init(
      issuer: claims["iss"]?.string, subject: try? IDTokenClaims.subject(claims),
      audience: try? IDTokenClaims.audience(claims), authenticationTime: claims["auth_time"].flatMap(NumericDate.date),
      nonce: (claims["nonce"]?.string).map { Secret($0) })
  }
}
