internal import B2CCore

/// Access tokens for the calls of an API.
extension TokenSource {
  /// The tokens of a user for the calls of an API.
  package func bearerTokens(for scopes: [String]? = nil, user: UserInfo? = nil) -> BearerTokens {
    { refused in
      // By the time a token is refused another user may be the current one.
      let token = try await token(for: scopes, userID: refused?.userID ?? user?.id, refused: refused?.token)
      return (token.token, token.userID)
    }
  }

  /// The transport of the calls of an API, with the tokens of a user unless others are given; repeats are events.
  package func transport(
    to origins: Set<Origin>, for scopes: [String]? = nil, user: UserInfo?, retry: RetryPolicy,
    tokens: BearerTokens? = nil
  ) -> AuthorizedTransport {
    AuthorizedTransport(
      RetryingTransport(
        transport: services.environment.transport, policy: retry, clock: services.environment.clock
      ) { [services] code in
        let session = try? await services.session(user?.id)
        services.report(.retry, session?.record.policyID, error: code)
      },
      tokens: tokens ?? bearerTokens(for: scopes, user: user), allowedOrigins: origins)
  }
}
