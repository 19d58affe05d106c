package import B2CAuthority
package import B2CConnector
package import B2CCore
package import B2CHTTP
package import B2COAuth

/// The flows of a connector as one object, whose errors are those of the engine.
package struct OAuthClient: Sendable {
  package let engine: OAuthEngine
  package let configuration: OAuthConfiguration

  package init(configuration: OAuthConfiguration, environment: Connector.Environment) throws {
    engine = try Connector.engine(configuration.settings(), environment, configuration.options)
    self.configuration = configuration
  }

  @discardableResult
  package func signIn(
    policy: Policy? = nil, prompt: Prompt = .automatic, options: SignInOptions = SignInOptions()
  ) async throws -> SignInResult {
    var options = options
    if prompt != .automatic { options.prompt = prompt }
    return try await engine.signIn.run(
      policy: policy ?? engine.signInPolicy, options: options)
  }

  package func accessToken(
    for scopes: [String]? = nil, user: UserInfo? = nil, forceRefresh: Bool = false, claims: String? = nil,
    refused: Secret? = nil
  ) async throws -> AccessToken {
    try await engine.tokens.token(
      for: scopes, userID: user?.id, refused: refused, isForced: forceRefresh, claims: claims)
  }

  package func bearerTokens(for scopes: [String]? = nil, user: UserInfo? = nil) -> BearerTokens {
    engine.calls.bearerTokens(for: scopes, user: user)
  }

  package func userInfo(user: UserInfo? = nil) async throws -> UserInfo {
    try await engine.userInfo.fetch(user: user)
  }

  package func users() async throws -> [UserInfo] { try await engine.sessions.users() }

  package func user(id: String) async throws -> UserInfo? { try await engine.sessions.user(id: id) }

  package func session() async throws -> SessionState { try await engine.sessions.sessionState() }

  package var sessionUpdates: AsyncStream<SessionState> { engine.sessions.states }

  /// The user of the session, with or without tokens.
  package func currentUser() async throws -> UserInfo? {
    switch try await session() {
    case .signedOut: nil
    case .signedIn(let user), .expired(let user): user
    }
  }

  package func close() async { await engine.sessions.close() }

  @discardableResult
  package func signOut(
    _ user: UserInfo? = nil, endsBrowserSession: Bool = false, sendsIDTokenHint: Bool = false
  ) async throws -> BrowserSignOut {
    try await engine.signOut.run(
      user?.id, endsBrowserSession: endsBrowserSession, sendsIDTokenHint: sendsIDTokenHint)
  }

  @discardableResult
  package func signInWithDeviceCode(
    scopes: [String]? = nil, show: @Sendable (DeviceAuthorization) async throws -> Void
  ) async throws -> SignInResult {
    try await engine.deviceFlow.run(scopes: scopes ?? configuration.scopes, show: show)
  }
}
