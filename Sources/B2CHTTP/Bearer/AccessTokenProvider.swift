/// Where an API client gets its bearer tokens from (RFC 6750).
///
/// The client knows nothing of how a token is obtained. The OAuth engine conforms; so can ten lines of an app.
public protocol AccessTokenProvider: Sendable {
  /// Gives an access token that is good now.
  ///
  /// - Parameter refused: A token that the API has just answered `401` to; a provider that would give the same one
  ///   again gets a new one instead. `nil` for the first try.
  /// - Returns: The access token to send.
  /// - Throws: Whatever keeps the provider from having one; the API client passes it on unchanged.
  func accessToken(replacing refused: Secret?) async throws -> Secret
}
