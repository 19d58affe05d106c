package import B2CAuthority
package import B2CConnector
package import B2CCore
package import B2CHTTP
package import B2COAuth

/// The flows of the engine as one object, without the facade's settings.
package struct OAuthClient: Sendable {
  package let services: OAuthServices

  package init(configuration: OAuthConfiguration, environment: Connector.Environment) throws {
    services = try OAuthServices(configuration: configuration, environment: environment.engine)
  }

  @discardableResult
  package func signIn(
    policy: Policy? = nil, prompt: Prompt = .automatic, options: SignInOptions = SignInOptions()
  ) async throws -> SignInResult {
    var options = options
    if prompt != .automatic { options.prompt = prompt }
    return try await SignIn(services: services).run(
      policy: policy ?? services.configuration.defaultPolicy, options: options)
  }

  package func accessToken(
    for scopes: [String]? = nil, user: UserInfo? = nil, forceRefresh: Bool = false, claims: String? = nil,
    refused: Secret? = nil
  ) async throws -> AccessToken {
    try await TokenSource(services: services).token(
      for: scopes, userID: user?.id, refused: refused, isForced: forceRefresh, claims: claims)
  }

  package func bearerTokens(for scopes: [String]? = nil, user: UserInfo? = nil) -> BearerTokens {
    TokenSource(services: services).bearerTokens(for: scopes, user: user)
  }

  package func userInfo(user: UserInfo? = nil) async throws -> UserInfo {
    try await TokenSource(services: services).userInfo(user: user)
  }

  package func users() async throws -> [UserInfo] { try await services.users() }

  package func user(id: String) async throws -> UserInfo? { try await services.user(id: id) }

  package func session() async throws -> SessionState { try await services.sessionState() }

  package var sessionUpdates: AsyncStream<SessionState> { services.states }

  /// The user of the session, with or without tokens.
  package func currentUser() async throws -> UserInfo? {
    switch try await session() {
    case .signedOut: nil
    case .signedIn(let user), .expired(let user): user
    }
  }

  package func close() async { await services.close() }

  @discardableResult
  package func signOut(
    _ user: UserInfo? = nil, endsBrowserSession: Bool = false, sendsIDTokenHint: Bool = false
  ) async throws -> BrowserSignOut {
    try await SignOut(services: services).run(
      user?.id, endsBrowserSession: endsBrowserSession, sendsIDTokenHint: sendsIDTokenHint)
  }

  @discardableResult
  package func signInWithDeviceCode(
    scopes: [String]? = nil, show: @Sendable (DeviceAuthorization) async throws -> Void
  ) async throws -> SignInResult {
    try await DeviceFlow(services: services).run(scopes: scopes ?? services.configuration.scopes, show: show)
  }
}
