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

  /// Whether requests ask for `offline_access` on their own: elsewhere than at Microsoft only where it is offered.
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
      configuration.requestsOfflineAccess && (isMicrosoft || metadata.scopes.contains("offline_access"))
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
