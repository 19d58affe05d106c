internal import B2CCore

/// The engine seen as a source of bearer tokens.
struct SilentTokenProvider: AccessTokenProvider {
  let client: OAuthClient
  let scopes: [String]?
  let policy: Policy?

  func accessToken(replacing refused: Secret?) async throws -> Secret {
    try await client.accessToken(for: scopes, policy: policy, options: TokenOptions(refused: refused)).token
  }
}
