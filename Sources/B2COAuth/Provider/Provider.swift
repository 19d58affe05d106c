package import B2CAuthority
package import B2CCore
internal import B2CHTTP
package import Foundation

/// A policy of an authority, with its metadata and its endpoints.
package struct Provider: Sendable {
  /// The policy as the caller wrote it, because one policy id can be used with two kinds.
  var policy: Policy?
  let metadata: ProviderMetadata
  let authorizationEndpoint: URL
  let tokenRoute: TokenRoute
  let endSessionEndpoint: URL?
  let deviceAuthorizationEndpoint: URL?

  /// Whether the provider uses Microsoft's extensions of the protocol.
  var isMicrosoft: Bool { tokenRoute.isMicrosoft }

  /// Whether requests add `offline_access` on their own.
  var addsOfflineAccess: Bool

  /// Returns all scopes that are sent to request the given ones.
  func sent(_ scopes: [String]) -> [String] { Scopes.forRequest(scopes, offlineAccess: addsOfflineAccess) }

  /// Returns a correlation id if the provider has received it.
  func known(_ correlationID: UUID) -> UUID? { tokenRoute.known(correlationID) }

  /// Returns the route of a request to another endpoint of this provider.
  func route(to url: URL) -> TokenRoute { TokenRoute(url: url, policy: policy, service: tokenRoute.service) }

  /// Creates the provider of a policy from its metadata.
  ///
  /// - Throws: ``ConnectorError`` with code `invalidResponse` if no endpoint for the sign-in page or the tokens is known.
  package init(
    authority: Authority, policy: Policy?, endpoints: Endpoints, metadata: ProviderMetadata
  ) throws(ConnectorError) {
    self.policy = policy
    self.metadata = metadata
    // At Microsoft's authorities the SDK builds the URLs, so that they contain the policy as the developer wrote it.
    guard let authorization = endpoints.authorization ?? metadata.authorizationEndpoint,
      let token = endpoints.token ?? metadata.tokenEndpoint
    else {
      throw ConnectorError(
        own: .invalidResponse, "The metadata document has no https authorization_endpoint or token_endpoint.")
    }
    authorizationEndpoint = authorization
    tokenRoute = TokenRoute(url: token, policy: policy, service: authority.kind(for: policy), issuer: metadata.issuer)
    let isMicrosoft = tokenRoute.isMicrosoft
    addsOfflineAccess = isMicrosoft || metadata.scopes.contains("offline_access")
    endSessionEndpoint = isMicrosoft ? endpoints.endSession : metadata.endSessionEndpoint
    // Microsoft does not document External ID's endpoint, so a published one on the authority's host is used.
    let (kind, published) = (tokenRoute.service, metadata.deviceAuthorizationEndpoint)
    let isOwn = published.flatMap { Origin($0) } == Origin(authority.baseURL)
    deviceAuthorizationEndpoint =
      kind == .openIDConnect || kind == .ciam && isOwn ? published : endpoints.deviceAuthorization
  }
}

/// The metadata that a provider publishes (OpenID Connect Discovery 1.0 section 3, RFC 8414 section 2).
package struct ProviderMetadata: Sendable {
  /// The issuer, as the document writes it.
  package let issuer: String
  /// The URL of the sign-in page.
  package let authorizationEndpoint: URL?
  /// The URL of the token endpoint.
  package let tokenEndpoint: URL?
  /// The URL of the sign-out page.
  package let endSessionEndpoint: URL?
  /// The URL of the key set (`jwks_uri`).
  package let keysEndpoint: URL
  /// The URL that gives device codes (RFC 8628).
  package let deviceAuthorizationEndpoint: URL?
  /// The URL that revokes tokens (RFC 7009).
  package let revocationEndpoint: URL?
  /// The URL of the claims of a user (OpenID Connect Core section 5.3).
  package let userInfoEndpoint: URL?
  /// Whether callbacks contain `iss` (RFC 9207 section 3).
  let sendsIssuerInCallback: Bool
  let signingAlgorithms: [String]
  /// The scopes that the provider lists in its metadata.
  let scopes: [String]
  /// The optional endpoints that the metadata contains but that cannot be used.
  let unusableEndpoints: [String]

  /// Reads a metadata document, in which an optional URL that cannot be used counts as missing.
  ///
  /// - Parameters:
  ///   - json: The document.
  ///   - allowsHTTP: Whether URLs of this machine may be http, because the authority is on this machine too.
  /// - Throws: ``ConnectorError`` with code `invalidResponse` if the issuer or the URL of the keys is missing.
  package init(json: Data, allowsHTTP: Bool) throws(ConnectorError) {
    let fields: [String: JSONValue]
    do {
      fields = try JSONReader.object(json)
    } catch {
      throw ConnectorError(
        own: .invalidResponse, "The metadata document \(error).",
        recoverySuggestion: "Check the authority in the settings. A proxy or a sign-in page may have answered instead.")
    }
    func url(_ name: String) -> URL? {
      fields[name]?.serverURL.flatMap { allowsHTTP || $0.scheme?.lowercased() == "https" ? $0 : nil }
    }
    guard let issuer = fields["issuer"]?.string, !issuer.isEmpty, let keys = url("jwks_uri") else {
      throw ConnectorError(own: .invalidResponse, "The metadata document has no issuer or no https jwks_uri.")
    }
    self.issuer = issuer
    keysEndpoint = keys
    authorizationEndpoint = url("authorization_endpoint")
    tokenEndpoint = url("token_endpoint")
    endSessionEndpoint = url("end_session_endpoint").flatMap {
      ReservedParameters.first(in: $0, or: ["post_logout_redirect_uri", "id_token_hint", "logout_hint"]) == nil
        ? $0 : nil
    }
    deviceAuthorizationEndpoint = url("device_authorization_endpoint")
    revocationEndpoint = url("revocation_endpoint")
    userInfoEndpoint = url("userinfo_endpoint")
    let optional = [
      "end_session_endpoint": endSessionEndpoint, "device_authorization_endpoint": deviceAuthorizationEndpoint,
      "revocation_endpoint": revocationEndpoint, "userinfo_endpoint": userInfoEndpoint,
    ]
    unusableEndpoints = optional.filter { $1 == nil && (fields[$0] ?? .null) != .null }.keys.sorted()
    sendsIssuerInCallback = fields["authorization_response_iss_parameter_supported"]?.bool ?? false
    scopes = fields["scopes_supported"]?.array?.compactMap(\.string) ?? []
    signingAlgorithms = fields["id_token_signing_alg_values_supported"]?.array?.compactMap(\.string) ?? []
  }
}

extension JSONValue {
  /// The text as a URL that may be opened: https, or http to this machine.
  ///
  /// A URL with a user name or a password does not count, because it can look like the URL of another host.
  var serverURL: URL? {
    guard let url = string.flatMap({ URL(string: $0) }), Loopback.isAllowed(url) else { return nil }
    return url.user == nil && url.password == nil ? url : nil
  }
}
