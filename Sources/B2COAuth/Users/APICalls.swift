internal import B2CCore

/// The calls of an API with the access tokens of a user.
package struct APICalls: Sendable {
  let tokens: TokenSource
  let sessions: UserSessions
  let events: OAuthEvents
  let transport: any HTTPTransport

  /// Returns the tokens of a user for the calls of an API.
  package func bearerTokens(for scopes: [String]? = nil, user: UserInfo? = nil) -> BearerTokens {
    { [tokens] refused in
      // A refused token is replaced for the same user, because another user may be current by now.
      let token = try await tokens.token(for: scopes, userID: refused?.userID ?? user?.id, refused: refused?.token)
      return (token.token, token.userID)
    }
  }

  /// Returns the transport for the calls of an API, which reports each retry as an event.
  ///
  /// It sends the tokens of the user, unless the caller passes others.
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
