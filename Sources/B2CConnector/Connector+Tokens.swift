/// Who is signed in, access tokens and claims: none of these calls opens a page.
extension Connector {
  /// Whether a user is signed in, by what is stored: nothing is sent.
  ///
  /// - Throws: ``ConnectorError`` with code `tokenCache` when the cache cannot be read.
  public var session: SessionState {
    get async throws { try await ConnectorError.mapping { try await oauth.session() } }
  }

  /// The states of ``session``: the present one, then each new one after a sign-in, a sign-out or a definite end.
  public var sessionUpdates: AsyncStream<SessionState> { oauth.sessionUpdates }

  /// Returns an access token, from the cache or by a refresh (the sample's `getToken…`).
  ///
  /// - Parameters:
  ///   - scopes: The scopes the token must cover; the settings' when `nil`.
  ///   - account: Whose token; that of the account that signed in last when `nil`.
  ///   - policy: By which policy the user signed in; whichever was last when `nil`.
  ///   - forceRefresh: Whether to ignore the cached token and refresh.
  ///   - claims: A claims request, a JSON object as text, such as ``ConnectorError/claims``: the token is refreshed to
  ///     satisfy it.
  /// - Returns: The token with its scopes and its expiry.
  /// - Throws: ``ConnectorError``: `interactionRequired` when only a sign-in helps; see
  ///   ``OAuthClient/accessToken(for:account:policy:options:)``.
  public func accessToken(
    scopes: [String]? = nil, account: Account? = nil, policy: Policy? = nil, forceRefresh: Bool = false,
    claims: String? = nil
  ) async throws -> AccessToken {
    var options = TokenOptions()
    options.forceRefresh = forceRefresh
    options.claims = claims
    return try await ConnectorError.mapping {
      try await oauth.accessToken(for: scopes, account: account, policy: policy, options: options)
    }
  }

  /// Returns the verified claims of the user who is signed in (the sample's `getClaims…`).
  ///
  /// - Parameter policy: By which policy the user signed in; whichever was last when `nil`.
  /// - Returns: Who the user is, or `nil` when no user is signed in or the session has expired; see ``session``. An id_token
  ///   that a refresh has just brought is verified first.
  /// - Throws: ``ConnectorError`` with code `tokenCache` when the cache cannot be read.
  public func claims(policy: Policy? = nil) async throws -> UserInfo? {
    try await ConnectorError.mapping { try await oauth.currentClaims(policy: policy) }
  }

  /// Returns the accounts that have signed in here, the latest first.
  ///
  /// - Returns: Each person once, whatever policies they used.
  /// - Throws: ``ConnectorError`` with code `tokenCache` when the cache cannot be read.
  public func accounts() async throws -> [Account] {
    try await ConnectorError.mapping { try await oauth.accounts() }
  }

  /// Writes what the token cache has refused so far, once more: call it before the process ends.
  ///
  /// A refreshed token that a full disk refused is kept in memory and written as soon as the disk takes it. If the
  /// process ends first, the user has to sign in again. The connector can be used after it as before.
  public func close() async {
    await oauth.close()
  }
}
