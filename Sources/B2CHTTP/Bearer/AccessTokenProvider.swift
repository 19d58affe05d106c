internal import B2CCore

/// The source of an API client's bearer tokens (RFC 6750).
///
/// The client knows nothing of how a token is obtained. The OAuth engine conforms, and a closure of an app.
package protocol AccessTokenProvider: Sendable {
  /// Returns an access token that is valid now.
  ///
  /// - Parameter refused: A token that the API has just answered `401` to; `nil` for the first try. Its replacement is for
  ///   the same user, also when another user has signed in meanwhile. A provider without a newer token returns the
  ///   refused one again: it is not sent a second time, and the call ends in `unauthorized`.
  /// - Returns: The access token to send, with its user.
  /// - Throws: Whatever keeps the provider from having one, such as that the user has signed out; the API client passes
  ///   it on.
  func accessToken(replacing refused: BearerToken?) async throws -> BearerToken

  /// Tells the provider that the API has accepted this token: it answered neither `401` nor that it is busy or failing.
  ///
  /// It is called once for each such answer; the default does nothing.
  ///
  /// - Parameter token: The token that was sent.
  func noteAccepted(_ token: BearerToken)
}

extension AccessTokenProvider {
  /// Does nothing.
  ///
  /// - Parameter token: The token that was sent.
  package func noteAccepted(_ token: BearerToken) {}
}
