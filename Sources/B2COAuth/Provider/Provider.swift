internal import B2CCore
internal import Foundation

/// One policy of one authority: its metadata and the URLs to use.
struct Provider: Sendable {
  let authority: Authority
  let policy: Policy?
  let metadata: ProviderMetadata
  let authorizationEndpoint: URL
  let tokenRoute: TokenRoute
  let endSessionEndpoint: URL?
  let deviceAuthorizationEndpoint: URL?

  /// Whether the provider speaks with Microsoft's extensions.
  var isMicrosoft: Bool { tokenRoute.isMicrosoft }
  /// The token request, for errors about its answer.
  var tokenRequest: FailedRequest { FailedRequest(TransportRequest(method: .post, url: tokenRoute.url)) }

  /// Whether requests ask for `offline_access` on their own.
  let addsOfflineAccess: Bool

  init(
    configuration: OAuthConfiguration, policy: Policy?, endpoints: Endpoints, metadata: ProviderMetadata
  ) throws(OAuthError) {
    let authority = configuration.authority
    self.authority = authority
    self.policy = policy
    self.metadata = metadata
    // URLs that the authority's form gives come first: they carry the policy the way the developer wrote it.
    guard let authorization = endpoints.authorization ?? metadata.authorizationEndpoint,
      let token = endpoints.token ?? metadata.tokenEndpoint
    else {
      throw OAuthError(.invalidResponse, "The metadata document has no authorization_endpoint or no token_endpoint.")
    }
    authorizationEndpoint = authorization
    let isMicrosoft = authority.kind(for: policy) != .openIDConnect
    tokenRoute = TokenRoute(url: token, policy: policy, isMicrosoft: isMicrosoft)
    addsOfflineAccess =
      switch configuration.offlineAccess {
      case .automatic: isMicrosoft || metadata.scopes.contains("offline_access")
      case .never: false
      case .withConsent: true
      }
    endSessionEndpoint = endpoints.endSession ?? metadata.endSessionEndpoint
    deviceAuthorizationEndpoint = endpoints.deviceAuthorization ?? metadata.deviceAuthorizationEndpoint
  }
}

/// Where token requests of a policy go.
struct TokenRoute: Sendable {
  let url: URL
  let policy: Policy?
  /// Whether the provider speaks with Microsoft's extensions.
  let isMicrosoft: Bool
}

/// The provider's own metadata (OpenID Connect Discovery 1.0 section 3, RFC 8414 section 2).
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
    let fields: [String: JSONValue]
    do {
      fields = try JSONReader.object(json)
    } catch {
      throw OAuthError(.invalidResponse, "The metadata document \(error).")
    }
    guard let issuer = fields["issuer"]?.string, !issuer.isEmpty else {
      throw OAuthError(.invalidResponse, "The metadata document has no issuer.")
    }
    self.issuer = issuer
    func url(_ name: String) throws(OAuthError) -> URL? {
      guard let text = fields[name]?.string else { return nil }
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
    sendsIssuerInCallback = fields["authorization_response_iss_parameter_supported"]?.bool ?? false
    scopes = fields["scopes_supported"]?.array?.compactMap(\.string) ?? []
    signingAlgorithms = fields["id_token_signing_alg_values_supported"]?.array?.compactMap(\.string) ?? []
  }

  /// The URLs of the document that have to be the authority's, of whatever kind it is.
  var endpoints: [URL] {
    [
      authorizationEndpoint, tokenEndpoint, endSessionEndpoint, keysEndpoint, deviceAuthorizationEndpoint,
      revocationEndpoint,
    ].compactMap(\.self)
  }
}
