internal import B2CCore
internal import Foundation

/// What a provider publishes of itself (OpenID Connect Discovery 1.0 section 3, RFC 8414 section 2).
struct ProviderMetadata: Sendable {
  let issuer: String
  let authorizationEndpoint: URL?
  let tokenEndpoint: URL?
  let endSessionEndpoint: URL?
  let keysEndpoint: URL
  let deviceAuthorizationEndpoint: URL?
  let revocationEndpoint: URL?
  let userInfoEndpoint: URL?
  /// Whether callbacks carry `iss` (RFC 9207 section 3).
  let sendsIssuerInCallback: Bool
  let signingAlgorithms: [String]
  /// The scopes that the provider says it offers.
  let scopes: [String]

  /// Reads a metadata document; every URL in it must be https, or http to this machine.
  init(json: Data) throws(OAuthError) {
    let members: [String: JSONValue]
    do {
      members = try JSONReader.object(json)
    } catch {
      throw OAuthError(.invalidResponse, "The metadata document \(error).")
    }
    guard let issuer = members["issuer"]?.string, !issuer.isEmpty else {
      throw OAuthError(.invalidResponse, "The metadata document has no issuer.")
    }
    self.issuer = issuer
    func url(_ name: String) throws(OAuthError) -> URL? {
      guard let text = members[name]?.string else { return nil }
      guard let url = URL(string: text), Loopback.isAllowed(url) else {
        throw OAuthError(.invalidResponse, "The metadata document's \(name) is not an https URL.")
      }
      return url
    }
    authorizationEndpoint = try url("authorization_endpoint")
    tokenEndpoint = try url("token_endpoint")
    endSessionEndpoint = try url("end_session_endpoint")
    deviceAuthorizationEndpoint = try url("device_authorization_endpoint")
    revocationEndpoint = try url("revocation_endpoint")
    userInfoEndpoint = try url("userinfo_endpoint")
    guard let keys = try url("jwks_uri") else {
      throw OAuthError(.invalidResponse, "The metadata document has no jwks_uri.")
    }
    keysEndpoint = keys
    sendsIssuerInCallback = members["authorization_response_iss_parameter_supported"]?.bool ?? false
    scopes = members["scopes_supported"]?.array?.compactMap(\.string) ?? []
    signingAlgorithms = members["id_token_signing_alg_values_supported"]?.array?.compactMap(\.string) ?? []
  }

  /// Every URL of the document that has to be the authority's; Entra ID's userinfo endpoint is Microsoft Graph's.
  var endpoints: [URL] {
    [
      authorizationEndpoint, tokenEndpoint, endSessionEndpoint, keysEndpoint, deviceAuthorizationEndpoint,
      revocationEndpoint,
    ].compactMap(\.self)
  }
}
