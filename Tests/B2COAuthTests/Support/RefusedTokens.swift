import B2CConnector
import B2CCore

extension Connector {
  /// Returns the token to use after an API has refused one.
  func accessToken(scopes: [String]? = nil, user: UserInfo? = nil, refused: Secret) async throws -> AccessToken {
    try await engine.tokens.token(for: scopes, userID: user?.id, refused: refused, isForced: false, claims: nil)
  }
}
