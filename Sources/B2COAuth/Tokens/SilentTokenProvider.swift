internal import B2CCore

/// The engine seen as a source of bearer tokens.
struct SilentTokenProvider: AccessTokenProvider {
  let client: OAuthClient
  let scopes: [String]?
  let user: UserInfo?
  let policy: Policy?

  func accessToken(replacing refused: BearerToken?) async throws -> BearerToken {
    // By the time a token is refused another user may be the current one.
    let owner = refused?.userID.map { UserInfo(id: $0) } ?? user
    let token = try await client.accessToken(
      for: scopes, user: owner, policy: policy, options: TokenOptions(refused: refused?.token))
    return BearerToken(token.token, userID: token.userID)
  }

  func noteAccepted(_ token: BearerToken) {
    client.noteAccepted(token, for: scopes)
  }
}
