internal import B2CCore
internal import B2CIDToken
internal import Foundation

/// The engine under `Connector`: signs users in at one authority and keeps their tokens fresh.
///
/// It serves Azure AD B2C with policies, Entra ID and Entra External ID without, and any other OpenID
/// Connect provider. A client is meant to be shared: all its calls may come from any task at any time.
package final class OAuthClient: Sendable {
  /// The client's configuration.
  package let configuration: OAuthConfiguration

  let services: OAuthServices
  private let tokens: TokenSource

  /// Makes a client.
  ///
  /// Nothing is opened, read or sent yet.
  ///
  /// - Parameters:
  ///   - configuration: What to work with.
  ///   - environment: The network, token cache, sign-in page and clocks.
  /// - Throws: ``ConnectorError`` with code ``ErrorCode/retiredAuthority`` when Azure AD B2C has retired the authority's
  ///   host; with code ``ErrorCode/unsupportedRedirectURI`` when the presenter cannot serve the redirect URI;
  ///   ``TokenCacheError`` when the default token cache cannot be created.
  package init(configuration: OAuthConfiguration, environment: OAuthEnvironment) throws {
    if let retired = configuration.authority.retirement(for: configuration.defaultPolicy) {
      throw ConnectorError(retired)
    }
    self.configuration = configuration
    services = try OAuthServices(configuration: configuration, environment: environment)
    tokens = TokenSource(services: services)
  }

  /// The presenter in use, the default one included.
  package var presenter: any SignInPresenter { services.presenter }

  /// The token cache in use, the default one included.

  /// Shows the sign-in page of a policy and keeps what comes of it.
  ///
  /// - Parameters:
  ///   - policy: The policy to run; the configuration's when `nil`.
  ///   - prompt: The OpenID Connect `prompt` parameter; the options' when it is `automatic`.
  ///   - options: What to ask for beyond the settings.
  /// - Returns: The user, by verified claims, and, if an API scope was asked for, an access token.
  /// - Throws: ``ConnectorError``: `userCancelledInPage`, `userClosedBrowser`, `passwordResetRequested`, `wrongUser`,
  ///   `identityProviderFailed` and other things the user did; `configuration`,
  ///   `unsupportedRedirectURI` for what the developer can fix; `network`, `serviceUnavailable`, `throttled`,
  ///   `invalidResponse` for the wire;
  ///   `tokenCache` when the result could not be kept. `CancellationError` when the calling task was cancelled.
  @discardableResult
  package func signIn(
    policy: Policy? = nil, prompt: Prompt = .automatic, options: SignInOptions = SignInOptions()
  ) async throws -> SignInResult {
    var options = options
    if prompt != .automatic { options.prompt = prompt }
    return try await SignIn(services: services, tokens: tokens).run(
      policy: policy ?? configuration.defaultPolicy, options: options)
  }

  /// Returns an access token without showing anything: a cached one, else a refreshed one.
  ///
  /// - Parameters:
  ///   - scopes: The scopes the token must cover; the configuration's when `nil`.
  ///   - user: Whose token; that of ``currentUser()`` when `nil`.
  ///   - policy: By which policy the user signed in; whichever was last when `nil`.
  ///   - options: What to ask for beyond the settings.
  /// - Returns: A token that outlives the configured margin, or, if a refresh failed, one that has not ended yet.
  /// - Throws: ``ConnectorError``: `interactionRequired` when only a sign-in helps; `missingAPIScope` when no scope names an
  ///   API; `network`, `timedOut`, `serviceUnavailable`, `throttled` when it may work later (the
  ///   session stays); `invalidResponse`, `configuration`, `server`; `tokenCache`. `CancellationError`
  ///   when the calling task was cancelled; other callers of the same refresh go on.
  package func accessToken(
    for scopes: [String]? = nil, user: UserInfo? = nil, policy: Policy? = nil, options: TokenOptions = TokenOptions()
  ) async throws -> AccessToken {
    try await tokens.token(
      for: scopes ?? configuration.scopes, userID: user?.id, policy: policy, options: options)
  }

  /// A source of bearer tokens for an API client.
  ///
  /// - Parameters:
  ///   - scopes: The scopes the tokens must cover; the configuration's when `nil`.
  ///   - user: Whose tokens; those of ``currentUser()`` when `nil`.
  ///   - policy: By which policy the user signed in; whichever was last when `nil`.
  /// - Returns: A provider of cached or refreshed tokens, which replaces a token that the API has refused.
  package func tokenProvider(
    for scopes: [String]? = nil, user: UserInfo? = nil, policy: Policy? = nil
  ) -> some AccessTokenProvider {
    SilentTokenProvider(client: self, scopes: scopes, user: user, policy: policy)
  }

  /// Notes that an API has accepted a token for these scopes; the configuration's when `nil`.
  func noteAccepted(_ token: BearerToken, for scopes: [String]?) {
    tokens.noteAccepted(token, for: scopes ?? configuration.scopes)
  }

  /// The users who have signed in here, the latest first.
  ///
  /// A record that cannot be read hides its own user only.
  ///
  /// - Returns: Each person once, whatever policies they used.
  /// - Throws: ``ConnectorError`` with code `tokenCache` when the cache cannot be read.
  package func users() async throws -> [UserInfo] {
    users(of: try await readableRecords())
  }

  /// All records that can be read; only where none can, the cache's error is thrown.
  private func readableRecords() async throws -> [StoredRecord] {
    let (records, failure) = try await services.users.read()
    if let failure, records.isEmpty { throw failure }
    return records
  }

  /// Each person once, by the first record.
  private func users(of records: [StoredRecord]) -> [UserInfo] {
    var seen: Set<String> = []
    return records.filter { seen.insert($0.key.userID).inserted }.map(user)
  }

  private func user(_ stored: StoredRecord) -> UserInfo {
    UserInfo(stored, now: services.environment.now(), isMicrosoft: services.users.isMicrosoft)
  }

  /// The user who signed in last.
  ///
  /// Where the configuration requires a user, no other user is current. A sign-in by another client of the same cache
  /// counts at once; one by another process at the next call where the cache can tell that it has changed, otherwise when
  /// ``session()`` is read.
  ///
  /// - Returns: The user, with the claims of the latest id_token: one that is being verified is waited for. `nil` when
  ///   no user is signed in.
  /// - Throws: ``ConnectorError`` with code `tokenCache` when the cache cannot be read; `CancellationError`.
  package func currentUser() async throws -> UserInfo? {
    try await record(policy: nil, userID: nil).map(user)
  }

  /// The record of a user, the current one for `nil`, after the id_token that is being verified for it.
  func record(policy: Policy?, userID: String?) async throws -> StoredRecord? {
    guard let stored = try await services.users.record(userID: userID, policy: policy) else { return nil }
    try await services.adoptions.wait(for: stored.key.userID)
    return try await services.users.record(userID: userID, policy: policy)
  }

  /// Returns whether a user is signed in, by what is stored: no page opens and nothing is sent.
  ///
  /// A sign-in or sign-out by another process is noticed here, whatever the cache can tell.
  ///
  /// - Returns: The state of the session of ``currentUser()``.
  /// - Throws: ``ConnectorError`` with code `tokenCache` when the cache cannot be read.
  package func session() async throws -> SessionState {
    let state = try await sessionState(looksAgain: true)
    // Another process may have ended the session: observers are told what this caller is.
    services.sessions.changed()
    return state
  }

  private func sessionState(looksAgain: Bool) async throws -> SessionState {
    let stored = try await services.users.record(userID: nil, policy: nil, looksAgain: looksAgain)
    guard let user = stored.map(user) else { return .signedOut }
    return user.hasSession ? .signedIn(user) : .expired(user)
  }

  /// Fetches the metadata of a policy anew, for a diagnosis.
  ///
  /// - Parameter policy: The policy; `nil` where the authority has none.
  /// - Returns: The issuer that it names, and a way to fetch the keys and to count those that can verify a signature.
  /// - Throws: ``ConnectorError``, as a sign-in throws it.
  package func fetchProvider(
    _ policy: Policy?
  ) async throws -> (issuer: String, usableKeyCount: @Sendable () async throws -> Int) {
    let provider = try await services.providers.fetchProvider(policy)
    return (
      provider.metadata.issuer,
      { [services] in try await services.providers.fetchKeys(of: provider).keys.count { $0.unsuitability == nil } }
    )
  }

  /// The states of ``session()``: the present one, then each new one after a sign-in, a sign-out or a definite end.
  ///
  /// A state is new when it is about another user, or when a claim about the user differs; a refresh alone is none.
  /// Every client over the same cache is told. What another process does is seen with the next call that notices it.
  package var sessionUpdates: AsyncStream<SessionState> {
    services.sessions.states { [self] in try await sessionState(looksAgain: false) }
  }

  /// Waits for the answers to refresh tokens that were sent and for their claims, and
  /// tries once more to write what the token cache has refused so far.
  package func close() async {
    // Not a child: a task that is cancelled, as at the end of a process, waits as well.
    try? await Task { [services] in
      try await services.sentRefreshes.wait()
      try await services.adoptions.wait()
    }.value
    await services.cache.writeWaitingChanges()
  }

  /// Returns the user of an id; only that user's records are read.
  ///
  /// - Parameter id: The ``UserInfo/id``; at Microsoft's authorities in any case.
  /// - Returns: The user, with the claims of the latest id_token: one that is being verified is waited for. `nil` when
  ///   there is none.
  /// - Throws: ``ConnectorError`` with code `tokenCache` when the cache cannot be read; `CancellationError`.
  package func user(id: String) async throws -> UserInfo? {
    try await services.adoptions.wait(for: services.users.folded(id))
    let (records, failure) = try await services.users.read(userID: id)
    if let failure, records.isEmpty { throw failure }
    return users(of: records).first
  }

  /// Signs one user out: removes its tokens, has the server revoke them and, if asked to, ends the browser session.
  ///
  /// The tokens go first. Whatever becomes of the browser, they do not come back, and a refresh under way writes nothing.
  ///
  /// - Parameters:
  ///   - user: Whose tokens to remove.
  ///   - endsBrowserSession: Whether to end the session at the server too, for which a page is shown.
  ///   - options: How to end the browser session.
  /// - Returns: What is known of the session in the browser.
  /// - Throws: ``ConnectorError`` with code `tokenCache` when the cache cannot be listed or changed, after everything that
  ///   could be removed is gone; with `endsBrowserSession` also what keeps the page from being shown, after the tokens are
  ///   gone. A closed page and the end of the waiting time are no errors.
  @discardableResult
  package func signOut(
    _ user: UserInfo, endsBrowserSession: Bool = false, options: SignOutOptions = SignOutOptions()
  ) async throws -> BrowserSignOut {
    try await SignOut(services: services).run(
      .one(id: user.id), endsBrowserSession: endsBrowserSession, options: options)
  }

  /// Signs all users of this authority and client out; see ``signOut(_:endsBrowserSession:options:)``.
  ///
  /// - Parameters:
  ///   - endsBrowserSession: Whether to end the session at the server too, for which a page is shown.
  ///   - options: How to end the browser session.
  /// - Returns: What is known of the session in the browser.
  /// - Throws: ``ConnectorError``, as for one user.
  @discardableResult
  package func signOut(
    endsBrowserSession: Bool = false, options: SignOutOptions = SignOutOptions()
  ) async throws -> BrowserSignOut {
    try await SignOut(services: services).run(.all, endsBrowserSession: endsBrowserSession, options: options)
  }

  /// Signs in on another device: shows a code here that the user types there (RFC 8628).
  ///
  /// For command lines without a browser, at authorities that offer it; Azure AD B2C does not.
  ///
  /// - Parameters:
  ///   - scopes: Scopes of the API to get a token for; the configuration's when `nil`.
  ///   - show: Shows the user the code and the address.
  /// - Returns: The same as ``signIn(policy:prompt:options:)``.
  /// - Throws: ``ConnectorError``: `unsupported` when the authority does not offer it, `userCancelledInPage` when the user
  ///   declined, `timedOut` when the code expired, and what a sign-in throws. `CancellationError` when the calling task was
  ///   cancelled.
  @discardableResult
  package func signInWithDeviceCode(
    scopes: [String]? = nil, show: @Sendable (DeviceAuthorization) async throws -> Void
  ) async throws -> SignInResult {
    try await DeviceFlow(services: services, tokens: tokens).run(scopes: scopes ?? configuration.scopes, show: show)
  }
}

extension OAuthClient: Redacted {
  /// Authority and client: enough to tell two clients apart.
  package var description: String { "OAuthClient(\(configuration.authority), client \(configuration.clientID))" }
}
