package import B2CCore
internal import Foundation

/// Signs users in with Microsoft Entra External ID or Azure AD B2C and calls your web API with their tokens.
///
/// ```swift
/// let connector = try Connector(settings: .main)
/// let user = try await connector.doPolicy(.signIn)
/// let milk = try await connector.addTask(TaskItem(itemName: "Buy milk"))
/// let tasks = try await connector.getTaskList()
/// try await connector.deleteTask(milk)
/// try await connector.signOut()
/// ```
///
/// Every call throws ``ConnectorError``, or `CancellationError` if the calling task was cancelled, and nothing else.
public struct Connector: Sendable {
  /// The settings that the connector was made from.
  public let settings: ConnectorSettings
  /// The flows behind the calls of this connector.
  package let engine: OAuthEngine
  let options: Options
  let allowedOrigins: Set<Origin>

  /// Creates a connector with the platform's defaults.
  ///
  /// It opens and sends nothing yet, but it reports every problem of the settings.
  ///
  /// ```swift
  /// let connector = try Connector(settings: .main)
  /// let inMemory = try Connector(settings: .main, cache: .memory())
  /// ```
  ///
  /// - Parameters:
  ///   - settings: The settings. `.main` reads `settings.plist` from the main bundle.
  ///   - presenter: The presenter of the sign-in page, by default a web authentication session on Apple's platforms and
  ///     the system's browser with a loopback redirect elsewhere.
  ///   - cache: The token cache, by default the keychain on Apple's platforms and private files elsewhere.
  /// - Throws: ``ConnectorError`` with code `settings` or `configuration` if you must fix the settings;
  ///   `unsupportedRedirectURI` if the presenter that you pass cannot receive the redirect URI; `tokenCache` if the
  ///   default cache cannot be created. The platform's own presenter is checked when it is used, because
  ///   ``beginSignIn(policy:options:)`` needs none.
  public init(
    settings: @autoclosure () throws -> ConnectorSettings, presenter: (any SignInPresenter)? = nil,
    cache: (any TokenCache)? = nil
  ) throws {
    var environment = Environment()
    environment.presenter = presenter
    environment.cache = cache
    try self.init(settings: try settings(), environment: environment)
  }

  /// Creates a connector with your own parts and options.
  ///
  /// ```swift
  /// var environment = Connector.Environment()
  /// environment.onEvent = { print($0) }
  /// let connector = try Connector(settings: .main, environment: environment) { options in
  ///   options.taskDialect = .rest
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - settings: The settings. `.main` reads `settings.plist` from the main bundle.
  ///   - environment: The parts that reach outside the process, for example the token cache and the transport.
  ///   - configure: Changes the default options.
  /// - Throws: ``ConnectorError``, as ``init(settings:presenter:cache:)`` does; also with code `configuration` if no
  ///   token can be sent to an API in ``Options/allowedAPIs``.
  public init(
    settings: @autoclosure () throws -> ConnectorSettings, environment: Environment,
    configure: (inout Options) throws -> Void = { _ in }
  ) throws {
    do {
      let settings = try settings()
      var options = Options()
      try configure(&options)
      if let url = options.allowedAPIs.first(where: { Origin(allowed: $0) == nil }) {
        throw ConnectorError(
          own: .configuration, "No token can be sent to \(url.redacted), a URL in `allowedAPIs`.",
          recoverySuggestion: "Use an https URL. Plain http is allowed only to this machine.")
      }
      engine = try Self.engine(settings, environment, options)
      let apis = options.allowedAPIs + [settings.taskWebAPI].compactMap(\.self)
      allowedOrigins = Set(apis.compactMap { Origin($0) })
      self.settings = settings
      self.options = options
    } catch {
      throw ConnectorError(mapping: error)
    }
  }
}

/// The tutorial's calls for signing in and out.
extension Connector {
  /// Signs the user in and returns the user, the access token and the id_token.
  ///
  /// The default policy is the selected policy of the settings if it signs users in, or else the sign-in policy, a
  /// federated policy, a sign-up policy or the policy in the authority's URL. It is never a policy that edits a profile
  /// or resets a password. If the authority has no policies, the user signs in without one. See <doc:CustomPolicies>
  /// and <doc:Errors>.
  ///
  /// ```swift
  /// var options = SignInOptions(prompt: .login)
  /// options.uiLocales = ["de"]
  /// let result = try await connector.signIn(options: options)
  /// print("Hello \(result.user)")
  /// ```
  ///
  /// - Parameters:
  ///   - policy: The policy, for example `Policy("B2C_1_SignIn")`. With `nil`, it is the default policy. If it has no
  ///     kind, it gets the kind that the settings give it.
  ///   - options: The options of this sign-in. `fullScreen` always comes from the settings.
  /// - Returns: The user with verified claims, and an access token if a scope of an API was requested.
  /// - Throws: ``ConnectorError``: `userCancelledInPage`, `userClosedBrowser`, `passwordResetRequested`, `wrongUser` or
  ///   `identityProviderFailed` for something that the user did; `configuration` or `unsupportedRedirectURI` for
  ///   something that the developer can fix; `network`, `serviceUnavailable`, `throttled` or `invalidResponse` if a
  ///   request failed; `tokenCache` if the result could not be stored.
  @discardableResult
  public func signIn(policy: Policy? = nil, options: SignInOptions = SignInOptions()) async throws -> SignInResult {
    try await asConnectorError {
      var options = options
      options.prefersFullScreen = settings.fullScreen
      return try await engine.signIn.run(policy: configured(policy), options: options)
    }
  }

  /// Signs the user in on another device, on which the user types a code from your app (RFC 8628).
  ///
  /// Use it for command lines, televisions and watches. Azure AD B2C does not offer it. If an OpenID Connect provider
  /// sends no id_token, the user's claims are those of its userinfo endpoint. See <doc:SignIn>.
  ///
  /// ```swift
  /// let user = try await connector.signInWithDeviceCode { code in
  ///   print("Open \(code.verificationURL) on another device and enter \(code.userCode).")
  /// }.user
  /// ```
  ///
  /// - Parameters:
  ///   - scopes: The scopes of the API to get a token for. With `nil`, these are the scopes of the settings.
  ///   - show: Shows the code and the address to the user.
  /// - Returns: The same as ``signIn(policy:options:)``.
  /// - Throws: ``ConnectorError``: `unsupported` if the authority does not offer device codes, `userCancelledInPage` if
  ///   the user declined, `timedOut` if the code expired; the errors of ``signIn(policy:options:)`` and
  ///   ``fetchUserInfo(user:)``.
  @discardableResult
  public func signInWithDeviceCode(
    scopes: [String]? = nil, show: @Sendable (DeviceAuthorization) async throws -> Void
  ) async throws -> SignInResult {
    try await asConnectorError { try await engine.deviceFlow.run(scopes: scopes ?? settings.scopes, show: show) }
  }

  /// Sends the user through one of the settings' policies.
  ///
  /// `.signIn` uses the default policy, as ``signIn(policy:options:)`` does. Only Azure AD B2C has policies. At any
  /// other authority, `.signIn` signs in without one, and you cannot use any other kind.
  ///
  /// ```swift
  /// let user = try await connector.doPolicy(.signIn)
  /// print("Hello \(user.name ?? "there")")
  /// try await connector.doPolicy(.profileEdit)
  /// ```
  ///
  /// - Parameters:
  ///   - kind: The kind of the policy, for example `.signIn`, `.signUp` or `.profileEdit`.
  ///   - options: The options of this sign-in. `fullScreen` always comes from the settings.
  /// - Returns: The user with verified claims.
  /// - Throws: ``ConnectorError`` with code `configuration` if the settings have no policy of that kind; the errors of
  ///   ``signIn(policy:options:)``.
  @discardableResult
  public func doPolicy(_ kind: Policy.Kind, options: SignInOptions = SignInOptions()) async throws -> UserInfo {
    try await signIn(policy: try await asConnectorError { try policy(for: kind) }, options: options).user
  }

  /// Returns the policy that a sign-in of a kind uses, or `nil` if the authority has none.
  func policy(for kind: Policy.Kind) throws(ConnectorError) -> Policy? {
    let found = kind == .signIn ? engine.signInPolicy : settings.policies.policy(of: kind)
    // On a custom domain, only the policies in the settings show that the authority is Azure AD B2C.
    let hasPolicies = settings.authority.kind(for: settings.policies.all.first) == .b2c
    guard found != nil || kind == .signIn && !hasPolicies else {
      throw ConnectorError(
        own: .configuration, "The settings name no policy of the kind \(kind.rawValue).",
        recoverySuggestion: hasPolicies
          ? "Add it to the settings, or pass the policy itself." : "Use `.signIn`. This authority has no policies.")
    }
    return found
  }

  /// Sends the user through a policy, which need not be in the settings.
  ///
  /// ```swift
  /// let invitation = try Policy(id: "B2C_1A_Invite", kind: .signUp)
  /// let user = try await connector.doPolicy(invitation)
  /// ```
  ///
  /// - Parameters:
  ///   - policy: The policy, for example `Policy("B2C_1_SignIn")`.
  ///   - options: The options of this sign-in. `fullScreen` always comes from the settings.
  /// - Returns: The user with verified claims.
  /// - Throws: ``ConnectorError``, as ``signIn(policy:options:)`` does.
  @discardableResult
  public func doPolicy(_ policy: Policy, options: SignInOptions = SignInOptions()) async throws -> UserInfo {
    try await signIn(policy: policy, options: options).user
  }

  /// Returns the policy to use, which is the default one for `nil`.
  ///
  /// The settings complete a policy that was created without a kind, and change nothing that the caller set.
  func configured(_ policy: Policy?) -> Policy? {
    guard let policy, policy.kind == nil else { return policy ?? engine.signInPolicy }
    guard var listed = settings.policies.all.first(where: { $0.key == policy.key }) else { return policy }
    listed.domainHint = policy.domainHint ?? listed.domainHint
    return listed
  }

  /// Removes the stored tokens of all users of this app.
  ///
  /// When it returns, all tokens are gone. If it throws a ``ConnectorError``, only the code `tokenCache` means that the
  /// cache may still contain some. If the calling task was already cancelled, it removes nothing and throws
  /// `CancellationError`.
  ///
  /// If the provider's metadata names a `revocation_endpoint`, the refresh tokens are also revoked there (RFC 7009),
  /// for at most 2 seconds. This includes fetching the metadata if necessary. A failure is ignored, so that you can
  /// sign out offline. Microsoft's authorities have no such endpoint. See <doc:SignOut>.
  ///
  /// ```swift
  /// try await connector.signOut()                            // the tokens on this device
  /// try await connector.signOut(endsBrowserSession: true)    // and the session in the browser
  /// ```
  ///
  /// - Parameters:
  ///   - endsBrowserSession: Whether to end the session in the browser too, by default `false`. This shows a page and
  ///     waits for the browser for up to 60 seconds, because many servers do not send it back.
  ///   - sendsIDTokenHint: Whether the URL of the page contains the id_token (`id_token_hint`), by default `false`.
  ///     Some servers require it, but it puts personal data into a URL.
  /// - Returns: The state of the session in the browser.
  /// - Throws: ``ConnectorError`` with code `tokenCache` if the cache cannot be listed or changed, even if the calling
  ///   task was cancelled meanwhile. Everything that can be removed is gone then. With `endsBrowserSession`, also the
  ///   error that prevents the page from being shown. A closed page and the end of the 60 seconds are no errors.
  @discardableResult
  public func signOut(endsBrowserSession: Bool = false, sendsIDTokenHint: Bool = false) async throws -> BrowserSignOut {
    try await asConnectorError(evenIfCancelled: .tokenCache) {
      try await engine.signOut.run(nil, endsBrowserSession: endsBrowserSession, sendsIDTokenHint: sendsIDTokenHint)
    }
  }

  /// Removes the stored tokens of one user, and revokes them like ``signOut(endsBrowserSession:sendsIDTokenHint:)``.
  ///
  /// ```swift
  /// for user in try await connector.users() where !user.hasSession {
  ///   try await connector.signOut(user)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - user: The user to sign out.
  ///   - endsBrowserSession: Whether to end the session in the browser too, by default `false`. This shows a page.
  ///   - sendsIDTokenHint: Whether the URL of the page contains the id_token, by default `false`.
  /// - Returns: The state of the session in the browser.
  /// - Throws: ``ConnectorError``, as ``signOut(endsBrowserSession:sendsIDTokenHint:)`` does.
  @discardableResult
  public func signOut(
    _ user: UserInfo, endsBrowserSession: Bool = false, sendsIDTokenHint: Bool = false
  ) async throws -> BrowserSignOut {
    try await asConnectorError(evenIfCancelled: .tokenCache) {
      try await engine.signOut.run(user.id, endsBrowserSession: endsBrowserSession, sendsIDTokenHint: sendsIDTokenHint)
    }
  }
}

extension ConnectorSettings.Policies {
  /// The default policy: the selected one if it signs users in, or else a policy that does.
  var forSignIn: Policy? {
    if let selected, [.signIn, .signUpOrSignIn, .federatedSignIn].contains(selected.kindOrDefault) { return selected }
    return policy(of: .signIn) ?? policy(of: .federatedSignIn) ?? policy(of: .signUp)
  }
}

extension Connector: Redacted {
  /// The authority, client ID and policies, which tell two connectors apart.
  public var description: String {
    let policies = settings.policies.all.map(\.id).joined(separator: ", ")
    return "Connector(\(settings.authority), client \(settings.clientID), policies \(policies))"
  }
}
