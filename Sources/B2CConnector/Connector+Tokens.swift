/// The calls for the session, access tokens and claims, which open no page.
extension Connector {
  /// The state of the session according to the stored records, without a request.
  ///
  /// See <doc:AtLaunch>.
  ///
  /// ```swift
  /// switch try await connector.session {
  /// case .signedIn(let user): print("Hello \(user)")
  /// case .expired(let user): print("\(user) has to sign in again")
  /// case .signedOut: print("Sign in")
  /// }
  /// ```
  ///
  /// - Throws: ``ConnectorError`` with code `tokenCache` if the cache cannot be read.
  public var session: SessionState {
    get async throws { try await asConnectorError { try await engine.sessions.sessionState() } }
  }

  /// The current ``session``, and then each new state, after a sign-in, a sign-out or the end of the session.
  ///
  /// ```swift
  /// for await state in connector.sessionUpdates {
  ///   if case .signedIn(let user) = state { print("Hello \(user)") } else { print("Sign in") }
  /// }
  /// ```
  public var sessionUpdates: AsyncStream<SessionState> { engine.sessions.states }

  /// Returns an access token from the cache, or refreshes it first if needed.
  ///
  /// ```swift
  /// let token = try await connector.accessToken(scopes: ["https://contoso.onmicrosoft.com/tasks/read"])
  /// var request = URLRequest(url: url)
  /// request.setValue("Bearer \(token.token.value)", forHTTPHeaderField: "Authorization")
  /// ```
  ///
  /// - Parameters:
  ///   - scopes: The scopes that the token must cover. With `nil`, these are the scopes of the settings.
  ///   - user: The user whose token is returned. With `nil`, it is the user who signed in most recently.
  ///   - forceRefresh: Whether to ignore the cached token and refresh, by default `false`.
  ///   - claims: A claims request, as the text of a JSON object, for example ``ConnectorError/claims``. The token is
  ///     refreshed to satisfy it.
  /// - Returns: The token with its scopes and its expiry.
  /// - Throws: ``ConnectorError``:
  ///   - `interactionRequired` if the user must sign in.
  ///   - `missingAPIScope` if no scope names an API.
  ///   - `network`, `timedOut`, `serviceUnavailable` or `throttled` if the call may work later. The session continues.
  ///   - `refreshNotAllowed` if this process must not refresh.
  ///   - `userCancelled` if ``Options/beforeRefresh`` threw an error and no valid token is left.
  ///   - `suspended` if the system gave no background time for a refresh.
  ///   - `invalidResponse`, `configuration` or `server` if the provider's response cannot be used or refuses the app.
  ///   - `tokenCache` if the cache failed.
  ///
  ///   `CancellationError` if the calling task is cancelled. Other callers still get the result of the same refresh.
  public func accessToken(
    scopes: [String]? = nil, user: UserInfo? = nil, forceRefresh: Bool = false, claims: String? = nil
  ) async throws -> AccessToken {
    try await asConnectorError {
      try await engine.tokens.token(for: scopes, userID: user?.id, isForced: forceRefresh, claims: claims)
    }
  }

  /// Returns the user as the provider's userinfo endpoint describes it now, without opening a page.
  ///
  /// The SDK sends the user's access token to that endpoint (OpenID Connect Core section 5.3). At Microsoft's
  /// authorities it returns the verified claims of the last id_token instead, because Entra ID's endpoint belongs to
  /// Microsoft Graph. It does the same if a provider publishes no endpoint.
  ///
  /// ```swift
  /// let user = try await connector.fetchUserInfo()
  /// print(user.name ?? "", user.emails)
  /// ```
  ///
  /// - Parameter user: The user to ask about. With `nil`, it is the user who signed in most recently.
  /// - Returns: The user, whose `subject` is always that of the verified id_token.
  /// - Throws: ``ConnectorError``: `interactionRequired` if no user is signed in; `invalidResponse` if the response is
  ///   not JSON or is about another user; `unauthorized`, `insufficientScope` or `claimsRequired` if the endpoint wants
  ///   another token; `server`; the errors of ``accessToken(scopes:user:forceRefresh:claims:)``.
  public func fetchUserInfo(user: UserInfo? = nil) async throws -> UserInfo {
    try await asConnectorError { try await engine.userInfo.fetch(user: user) }
  }

  /// Returns the users who have signed in on this device, the latest first.
  ///
  /// ```swift
  /// for user in try await connector.users() {
  ///   print(user, user.hasSession ? "" : "has to sign in again")
  /// }
  /// ```
  ///
  /// - Returns: Each user once, whatever policies the user went through.
  /// - Throws: ``ConnectorError`` with code `tokenCache` if the cache cannot be read.
  public func users() async throws -> [UserInfo] {
    try await asConnectorError { try await engine.sessions.users() }
  }

  /// Returns the user with an id, reading only that user's record.
  ///
  /// ```swift
  /// guard let user = try await connector.user(id: userID) else { return }
  /// let tasks = try await connector.getTaskList(user: user)
  /// ```
  ///
  /// - Parameter id: The ``UserInfo/id``. At Microsoft's authorities, upper and lower case do not matter.
  /// - Returns: The user with the claims of the latest id_token, or `nil` if no such user is stored.
  /// - Throws: ``ConnectorError`` with code `tokenCache` if the cache cannot be read.
  public func user(id: String) async throws -> UserInfo? {
    try await asConnectorError { try await engine.sessions.user(id: id) }
  }

  /// Writes the tokens that the cache could not store so far.
  ///
  /// Call it before the process ends.
  ///
  /// It waits for the response to every refresh token that was sent, even if the call that needed it was cancelled, and
  /// stores it. It waits for at most twice the limit of a request. If the cache refuses a refreshed token, for example
  /// because the disk is full, the token is kept in memory and written as soon as the cache accepts it. If the process
  /// ends first, the user must sign in again. You can continue to use the connector after this call.
  ///
  /// ```swift
  /// let tasks = try await connector.getTaskList()
  /// await connector.close()    // the last line of a command line
  /// ```
  public func close() async {
    await engine.sessions.close()
  }
}
