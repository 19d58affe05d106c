/// Tokens and claims, silently where they can be had so.
extension Connector {
  /// Gives an access token, from the cache or by a refresh (the sample's `getToken…`).
  ///
  /// - Parameters:
  ///   - policy: By which policy the user signed in; whichever was last when `nil`.
  ///   - extraParameters: Further form parameters for the token request.
  ///   - clearingCache: Whether the cached token is passed over and replaced.
  /// - Returns: The token with its scopes and its end.
  /// - Throws: ``ConnectorError``: `interactionRequired` when only a sign-in helps; see
  ///   ``OAuthClient/accessToken(for:account:policy:options:)``.
  public func accessToken(
    policy: Policy? = nil, extraParameters: [String: String] = [:], clearingCache: Bool = false
  ) async throws -> AccessToken {
    try await ConnectorError.mapping {
      try await oauth.accessToken(
        policy: policy, options: TokenOptions(clearingCache: clearingCache, extraParameters: extraParameters))
    }
  }

  /// Gives the user's verified claims: the stored ones, or those of a new sign-in (the sample's `getClaims…`).
  ///
  /// - Parameters:
  ///   - policy: By which policy the user signed in; whichever was last when `nil`.
  ///   - extraParameters: Further query parameters for the sign-in page, if one has to be shown.
  ///   - clearingCache: Whether the user is sent through the policy again for fresh claims.
  /// - Returns: Who the user is.
  /// - Throws: ``ConnectorError``; see ``OAuthClient/signIn(policy:prompt:options:)``.
  public func claims(
    policy: Policy? = nil, extraParameters: [String: String] = [:], clearingCache: Bool = false
  ) async throws -> UserInfo {
    try await ConnectorError.mapping {
      if !clearingCache, extraParameters.isEmpty, let account = try await oauth.currentAccount(policy: policy) {
        return account.claims
      }
      var options = SignInOptions(extraParameters: extraParameters)
      options.add(settings)
      return try await oauth.signIn(policy: policy ?? settings.policies.policy(of: .signIn), options: options).user
    }
  }
}
