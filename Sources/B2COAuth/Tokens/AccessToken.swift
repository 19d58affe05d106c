public import Foundation

/// An access token with what a caller may want to know of it.
public struct AccessToken: Sendable, Hashable {
  /// The token.
  ///
  /// Send it in an `Authorization: Bearer` header, to the API it is meant for and to no other.
  public let token: Secret
  /// The scopes it was granted for; the server may have granted fewer than were asked for.
  public let scopes: Set<String>
  /// When it ends, by this device's clock.
  public let expiresAt: Date
  /// Whose it is: `<object id>.<tenant id>`.
  public let accountID: String

  init(_ cached: CachedAccessToken, accountID: String) {
    token = cached.token
    scopes = cached.scopes
    expiresAt = cached.expiresAt
    self.accountID = accountID
  }
}

/// The engine seen as a source of bearer tokens.
struct SilentTokenProvider: AccessTokenProvider {
  let client: OAuthClient
  let scopes: [String]?
  let account: Account?
  let policy: Policy?

  func accessToken(replacing refused: Secret?) async throws -> Secret {
    try await client.accessToken(
      for: scopes, account: account, policy: policy, options: TokenOptions(refused: refused)
    ).token
  }
}
