internal import B2CCore
internal import B2CIDToken
internal import Foundation

/// The engine under `Connector`: signs users in at one authority and keeps their tokens fresh.
package final class OAuthClient: Sendable {
  /// The client's configuration.
  package let configuration: OAuthConfiguration

  let services: OAuthServices
  private let tokens: TokenSource

  package init(configuration: OAuthConfiguration, environment: OAuthEnvironment) throws {
    self.configuration = configuration
    services = try OAuthServices(configuration: configuration, environment: environment)
    tokens = TokenSource(services: services)
  }

  /// The presenter in use, the default one included.
  package var presenter: any SignInPresenter { services.presenter }

  @discardableResult
  package func signIn(
    policy: Policy? = nil, prompt: Prompt = .automatic, options: SignInOptions = SignInOptions()
  ) async throws -> SignInResult {
    var options = options
    if prompt != .automatic { options.prompt = prompt }
    return try await SignIn(services: services).run(policy: policy ?? configuration.defaultPolicy, options: options)
  }

  package func accessToken(
    for scopes: [String]? = nil, user: UserInfo? = nil, forceRefresh: Bool = false, claims: String? = nil,
    refused: Secret? = nil
  ) async throws -> AccessToken {
    try await tokens.token(
      TokenSource.Request(
        scopes: scopes ?? configuration.scopes, userID: user?.id, refused: refused, isForced: forceRefresh,
        claims: claims))
  }

  /// The engine seen as a source of bearer tokens.
  package func bearerTokens(for scopes: [String]? = nil, user: UserInfo? = nil) -> BearerTokens {
    { refused in
      // By the time a token is refused another user may be the current one.
      let owner = refused?.userID.map { UserInfo(id: $0) } ?? user
      let token = try await self.accessToken(for: scopes, user: owner, refused: refused?.token)
      return (token.token, token.userID)
    }
  }

  package func users() async throws -> [UserInfo] { try await services.users() }

  package func user(id: String) async throws -> UserInfo? { try await services.user(id: id) }

  package func session() async throws -> SessionState {
    let state = try await services.state(looksAgain: true)
    // Another process may have ended the session: observers are told what this caller is.
    services.store.observers.changed()
    return state
  }

  package var sessionUpdates: AsyncStream<SessionState> { services.states }

  package func fetchProvider(
    _ policy: Policy?
  ) async throws -> (issuer: String, usableKeyCount: @Sendable () async throws -> Int) {
    let provider = try await services.providers.fetchProvider(policy)
    return (
      provider.metadata.issuer,
      { [services] in try await services.providers.fetchKeys(of: provider).keys.count { $0.unsuitability == nil } }
    )
  }

  package func close() async { await services.store.close() }

  @discardableResult
  package func signOut(
    _ user: UserInfo, endsBrowserSession: Bool = false, options: SignOutOptions = SignOutOptions()
  ) async throws -> BrowserSignOut {
    try await SignOut(services: services).run(user.id, endsBrowserSession: endsBrowserSession, options: options)
  }

  @discardableResult
  package func signOut(
    endsBrowserSession: Bool = false, options: SignOutOptions = SignOutOptions()
  ) async throws -> BrowserSignOut {
    try await SignOut(services: services).run(nil, endsBrowserSession: endsBrowserSession, options: options)
  }

  @discardableResult
  package func signInWithDeviceCode(
    scopes: [String]? = nil, show: @Sendable (DeviceAuthorization) async throws -> Void
  ) async throws -> SignInResult {
    try await DeviceFlow(services: services).run(scopes: scopes ?? configuration.scopes, show: show)
  }
}

extension OAuthClient: Redacted {
  /// Authority and client: enough to tell two clients apart.
  package var description: String { "OAuthClient(\(configuration.authority), client \(configuration.clientID))" }
}
