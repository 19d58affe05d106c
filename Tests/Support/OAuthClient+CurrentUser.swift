package import B2COAuth

extension OAuthClient {
  /// The user of the session, with or without tokens.
  package func currentUser() async throws -> UserInfo? {
    switch try await session() {
    case .signedOut: nil
    case .signedIn(let user), .expired(let user): user
    }
  }
}
