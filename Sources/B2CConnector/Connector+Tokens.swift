/// The session, access tokens and claims: none of these calls opens a page.
extension Connector {
  /// Whether a user is signed in, by what is stored: nothing is sent.
  ///
  /// ```swift
  /// switch try await connector.session {
  /// case .signedIn(let user): print("Hello \(user)")
  /// case .expired(let user): print("\(user) has to sign in again")
  /// case .signedOut: print("Sign in")
  /// }
  /// ```
  ///
  /// - Throws: ``ConnectorError`` with code `tokenCache` when the cache cannot be read.
  public var session: SessionState {
    get async throws { try await asConnectorError { try await engine.sessions.sessionState() } }
  }

  /// The current ``session``, then each new state: after a sign-in, a sign-out, and when the server ends the session.
  ///
  /// ```swift
  /// for await state in connector.sessionUpdates {
  ///   if case .signedIn(let user) = state { print("Hello \(user)") } else { print("Sign in") }
  /// }
  /// ```
  public var sessionUpdates: AsyncStream<SessionState> { engine.sessions.states }

  /// Returns an access token, from the cache or by a refresh (the sample's `getToken…`).
  ///
  /// ```swift
  /// let token = try await connector.accessToken(scopes: ["https://contoso.onmicrosoft.com/tasks/read"])
  /// var request = URLRequest(url: url)
  /// request.setValue("Bearer \(token.token.value)", forHTTPHeaderField: "Authorization")
  /// ```
  ///
  /// - Parameters:
  ///   - scopes: The scopes the token must cover; the settings' when `nil`.
  ///   - user: Whose token; that of the user who signed in last when `nil`.
  ///   - forceRefresh: Whether to ignore the cached token and refresh.
  ///   - claims: A claims request, a JSON object as text, such as ``ConnectorError/claims``: the token is refreshed to
  ///     satisfy it.
  /// - Returns: The token with its scopes and its expiry.
  /// - Throws: ``ConnectorError``: `interactionRequired` when only a sign-in helps; `missingAPIScope` when no scope names an
  ///   API; `network`, `timedOut`, `serviceUnavailable`, `throttled` when it may work later (the
  ///   session stays); `refreshNotAllowed`, `suspended`; `invalidResponse`, `configuration`, `server`;
  ///   `tokenCache`. Other callers of the same refresh go on when this one is cancelled.
  public func accessToken(
    scopes: [String]? = nil, user: UserInfo? = nil, forceRefresh: Bool = false, claims: String? = nil
  ) async throws -> AccessToken {
    try await asConnectorError {
      try await engine.tokens.token(for: scopes, userID: user?.id, isForced: forceRefresh, claims: claims)
    }
  }

  /// Returns the user as the provider's userinfo endpoint describes it now, without opening a page.
  ///
  /// It is asked for at the provider's userinfo endpoint (OpenID Connect Core section 5.3), with the user's access token.
  /// Microsoft's authorities have none for an app's tokens, since Entra ID's is an API of Microsoft Graph: there, and
  /// where a provider publishes none, the verified claims of the last id_token are returned.
  ///
  /// ```swift
  /// let user = try await connector.fetchUserInfo()
  /// print(user.name ?? "", user.emails)
  /// ```
  ///
  /// - Parameter user: The user to ask about; the one who signed in last when `nil`.
  /// - Returns: The user; `subject` is always that of the verified id_token.
  /// - Throws: ``ConnectorError``: `interactionRequired` when no user is signed in; `invalidResponse` when the answer is
  ///   not JSON or is about another user; `unauthorized`, `insufficientScope` and `claimsRequired` when the endpoint wants
  ///   another token; `server` and what ``accessToken(scopes:user:forceRefresh:claims:)`` throws.
  public func fetchUserInfo(user: UserInfo? = nil) async throws -> UserInfo {
    try await asConnectorError { try await engine.userInfo.fetch(user: user) }
  }

  /// Returns the users who have signed in here, the latest first.
  ///
  /// ```swift
  /// for user in try await connector.users() {
  ///   print(user, user.hasSession ? "" : "has to sign in again")
  /// }
  /// ```
  ///
  /// - Returns: Each person once, whatever policies they used.
  /// - Throws: ``ConnectorError`` with code `tokenCache` when the cache cannot be read.
  public func users() async throws -> [UserInfo] {
    try await asConnectorError { try await engine.sessions.users() }
  }

  /// Returns the user of an id; only that user's records are read.
  ///
  /// ```swift
  /// guard let user = try await connector.user(id: userID) else { return }
  /// let tasks = try await connector.getTaskList(user: user)
  /// ```
  ///
  /// - Parameter id: The ``UserInfo/id``; at Microsoft's authorities in any case.
  /// - Returns: The user, with the claims of the latest id_token; `nil` when there is none.
  /// - Throws: ``ConnectorError`` with code `tokenCache` when the cache cannot be read.
  public func user(id: String) async throws -> UserInfo? {
    try await asConnectorError { try await engine.sessions.user(id: id) }
  }

  /// Writes the tokens that the cache could not store so far; call it before the process ends.
  ///
  /// The answer to every refresh token that was sent is waited for and stored, even if the call that wanted it was
  /// cancelled; for twice the limit of a request at most.
  /// A refreshed token that a full disk refused is kept in memory and written as soon as the disk takes it. If the
  /// process ends first, the user has to sign in again. The connector can be used after it as before.
  ///
  /// ```swift
  /// let tasks = try await connector.getTaskList()
  /// await connector.close()    // the last line of a command line
  /// ```
  public func close() async {
    await engine.sessions.close()
  }
}
