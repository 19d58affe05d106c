internal import B2CCore

/// The calls of an API, with the access tokens of a user.
package struct APICalls: Sendable {
  let tokens: TokenSource
  let sessions: UserSessions
  let events: OAuthEvents
  let transport: any HTTPTransport

  /// The tokens of a user for the calls of an API.
  package func bearerTokens(for scopes: [String]? = nil, user: UserInfo? = nil) -> BearerTokens {
    { [tokens] refused in
      // By the time a token is refused another user may be the current one.
      let token = try await tokens.token(for: scopes, userID: refused?.userID ?? user?.id, refused: refused?.token)
      return (token.token, token.userID)
    }
  }

  /// The transport of the calls of an API, with the tokens of a user unless others are given; repeats are events.
  package func transport(
    to origins: Set<Origin>, for scopes: [String]? = nil, user: UserInfo?, retry: RetryPolicy,
    tokens given: BearerTokens? = nil
  ) -> AuthorizedTransport {
    AuthorizedTransport(
      RetryingTransport(transport: transport, policy: retry, clock: sessions.wait.clock) { [sessions, events] code in
        let session = try? await sessions.session(user?.id)
        events.emit(.retry, session?.record.policyID, error: code)
      },
      tokens: given ?? bearerTokens(for: scopes, user: user), allowedOrigins: origins)
  }
}
