/// The scopes of OpenID Connect itself, which name no API (OpenID Connect Core sections 5.4 and 11).
package enum ReservedScopes {
  /// The scopes in lower case.
  package static let all: Set<String> = ["openid", "offline_access", "profile", "email", "address", "phone"]
}
