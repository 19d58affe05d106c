internal import Foundation

/// One policy of one authority, ready for use: its endpoints, its metadata, its keys.
struct Provider: Sendable {
  let authority: Authority
  let policy: Policy?
  let metadata: ProviderMetadata
  let keys: JWKSet
  let authorizationEndpoint: URL
  let tokenEndpoint: URL
  let endSessionEndpoint: URL?
  let deviceAuthorizationEndpoint: URL?

  /// Whether the provider speaks with Microsoft's extensions.
  var isMicrosoft: Bool { authority.kind(for: policy) != .openIDConnect }

  init(authority: Authority, policy: Policy?, endpoints: Endpoints, metadata: ProviderMetadata, keys: JWKSet)
    throws(OAuthError)
  {
    self.authority = authority
    self.policy = policy
    self.metadata = metadata
    self.keys = keys
    // URLs that the authority's form gives come first: they carry the policy the way the developer wrote it.
    guard let authorization = endpoints.authorization ?? metadata.authorizationEndpoint,
      let token = endpoints.token ?? metadata.tokenEndpoint
    else {
      throw OAuthError(.invalidResponse, "The metadata document has no authorization_endpoint or no token_endpoint.")
    }
    authorizationEndpoint = authorization
    tokenEndpoint = token
    endSessionEndpoint = endpoints.endSession ?? metadata.endSessionEndpoint
    deviceAuthorizationEndpoint = endpoints.deviceAuthorization ?? metadata.deviceAuthorizationEndpoint
  }
}
