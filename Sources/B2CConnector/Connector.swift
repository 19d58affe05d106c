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
/// Every call throws ``ConnectorError``, and `CancellationError` when the calling task was cancelled; nothing else.
public struct Connector: Sendable {
  /// The settings that the connector was made from.
  public let settings: ConnectorSettings
  /// The flows below.
  package let engine: OAuthEngine
  let options: Options
  let allowedOrigins: Set<Origin>

  /// Creates a connector with the platform's defaults.
  ///
  /// Nothing is opened or sent yet, but every problem of the settings is found here.
  ///
  /// ```swift
  /// let connector = try Connector(settings: .main)
  /// let inMemory = try Connector(settings: .main, cache: .memory())
  /// ```
  ///
  /// - Parameters:
  ///   - settings: The settings; `.main` reads `settings.plist` of the main bundle.
  ///   - presenter: The presenter of the sign-in page; when `nil`, a web authentication session on Apple's platforms and
  ///     the system's browser with a loopback redirect elsewhere.
  ///   - cache: The token cache; the keychain on Apple's platforms and a private file elsewhere when `nil`.
  /// - Throws: ``ConnectorError`` with code `settings`, `configuration` or `unsupportedRedirectURI`
  ///   for what must be fixed in the settings; the last one for a presenter that is passed, while the platform's own is
  ///   asked when it is used, since ``beginSignIn(policy:options:)`` needs none. `tokenCache` when the default cache cannot
  ///   be created.
  public init(
    settings: @autoclosure () throws -> ConnectorSettings, presenter: (any SignInPresenter)? = nil,
    cache: (any TokenCache)? = nil
  ) throws {
    var environment = Environment()
    environment.presenter = presenter
    environment.cache = cache
    try self.init(settings: try settings(), environment: environment)
  }

  /// Creates a connector with custom parts and options.
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
  ///   - settings: The settings; `.main` reads `settings.plist` of the main bundle.
  ///   - environment: The network, token cache and sign-in page.
  ///   - configure: Changes the options after the settings have filled them in.
  /// - Throws: ``ConnectorError``, as ``init(settings:presenter:cache:)``; with code `configuration` also for an API in
  ///   ``Options/allowedAPIs`` that no token can be sent to.
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
          own: .configuration, "No token can be sent to the allowed API \(url.redacted).",
          recoverySuggestion: "Use an https URL; plain http is allowed to this machine only.")
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

/// The tutorial's calls.
extension Connector {
  /// Signs the user in and returns the user, access token and id_token.
  ///
  /// The default policy is the selected one if it signs in, else the sign-in policy, a federated one, or that of the
  /// authority's text; a policy that edits a profile or resets a password never is. Where the authority has no policies,
  /// the user signs in without one.
  ///
  /// ```swift
  /// var options = SignInOptions(prompt: .selectAccount)
  /// options.uiLocales = ["de"]
  /// let result = try await connector.signIn(options: options)
  /// print("Hello \(result.user)")
  /// ```
  ///
  /// - Parameters:
  ///   - policy: The policy, such as `Policy("B2C_1_SignIn")`; the default one when `nil`. If it was
  ///     made without a kind, it has the kind that the settings give it.
  ///   - options: What to ask for beyond the settings, whose `fullScreen` holds all the same.
  /// - Returns: The user, by verified claims, and, if an API scope was asked for, an access token.
  /// - Throws: ``ConnectorError``: `userCancelledInPage`, `userClosedBrowser`, `passwordResetRequested`, `wrongUser`,
  ///   `identityProviderFailed` and other things the user did; `configuration`, `unsupportedRedirectURI` for what the
  ///   developer can fix; `network`, `serviceUnavailable`, `throttled`, `invalidResponse` for the wire; `tokenCache` when
  ///   the result could not be kept.
  @discardableResult
  public func signIn(policy: Policy? = nil, options: SignInOptions = SignInOptions()) async throws -> SignInResult {
    try await asConnectorError {
      var options = options
      options.prefersFullScreen = settings.fullScreen
      return try await engine.signIn.run(policy: configured(policy), options: options)
    }
  }

  /// Signs the user in on another device: shows a code here that the user types there (RFC 8628).
  ///
  /// For command lines, televisions and watches, at authorities that offer it; Azure AD B2C does not. An OpenID Connect
  /// provider that sends no id_token then is asked at its userinfo endpoint who signed in: the claims are those of the answer.
  ///
  /// ```swift
  /// let user = try await connector.signInWithDeviceCode { code in
  ///   print("Open \(code.verificationURL) on another device and enter \(code.userCode).")
  /// }.user
  /// ```
  ///
  /// - Parameters:
  ///   - scopes: Scopes of the API to get a token for; the settings' when `nil`.
  ///   - show: Shows the user the code and the address.
  /// - Returns: As ``signIn(policy:options:)``.
  /// - Throws: ``ConnectorError``: `unsupported` when the authority does not offer it, `userCancelledInPage` when the user
  ///   declined, `timedOut` when the code expired, and what ``signIn(policy:options:)`` and ``fetchUserInfo(user:)`` throw.
  @discardableResult
  public func signInWithDeviceCode(
    scopes: [String]? = nil, show: @Sendable (DeviceAuthorization) async throws -> Void
  ) async throws -> SignInResult {
    try await asConnectorError { try await engine.deviceFlow.run(scopes: scopes ?? settings.scopes, show: show) }
  }

  /// Sends the user through one of the settings' policies.
  ///
  /// `.signIn` means the default policy, as ``signIn(policy:options:)``. Only Azure AD B2C has policies: at any other authority
  /// `.signIn` signs in without one, and no other kind can be used.
  ///
  /// ```swift
  /// let user = try await connector.doPolicy(.signIn)
  /// print("Hello \(user.name ?? "there")")
  /// try await connector.doPolicy(.profileEdit)
  /// ```
  ///
  /// - Parameters:
  ///   - kind: Which kind of policy: `.signIn`, `.signUp`, `.federatedSignIn` and so on.
  ///   - options: What to ask for beyond the settings.
  /// - Returns: Who the user is, by verified claims.
  /// - Throws: ``ConnectorError``: with code `configuration` when the settings have no policy of that kind;
  ///   otherwise see ``signIn(policy:options:)``.
  @discardableResult
  public func doPolicy(_ kind: Policy.Kind, options: SignInOptions = SignInOptions()) async throws -> UserInfo {
    try await signIn(policy: try await asConnectorError { try policy(for: kind) }, options: options).user
  }

  /// Returns the policy that a sign-in of a kind runs; `nil` where the authority has none.
  func policy(for kind: Policy.Kind) throws(ConnectorError) -> Policy? {
    let found = kind == .signIn ? engine.signInPolicy : settings.policies.policy(of: kind)
    // On a custom domain the settings' policies are what makes the authority Azure AD B2C.
    let hasPolicies = settings.authority.kind(for: settings.policies.all.first) == .b2c
    guard found != nil || kind == .signIn && !hasPolicies else {
      throw ConnectorError(
        own: .configuration, "The settings name no policy of the kind \(kind.rawValue).",
        recoverySuggestion: hasPolicies
          ? "Add it to the settings, or pass the policy itself." : "This authority has no policies: use `.signIn`.")
    }
    return found
  }

  /// Sends the user through a policy, which may be one that the settings do not list.
  ///
  /// ```swift
  /// let invitation = try Policy(id: "B2C_1A_Invite", kind: .signUp)
  /// let user = try await connector.doPolicy(invitation)
  /// ```
  ///
  /// - Parameters:
  ///   - policy: The policy, such as `Policy("B2C_1_SignIn")`.
  ///   - options: What to ask for beyond the settings, whose `fullScreen` holds all the same.
  /// - Returns: Who the user is, by verified claims.
  /// - Throws: ``ConnectorError``; see ``signIn(policy:options:)``.
  @discardableResult
  public func doPolicy(_ policy: Policy, options: SignInOptions = SignInOptions()) async throws -> UserInfo {
    try await signIn(policy: policy, options: options).user
  }

  /// Returns the policy to run.
  ///
  /// The settings complete a policy that was made without a kind, and change nothing that was given.
  func configured(_ policy: Policy?) -> Policy? {
    guard let policy, policy.kind == nil else { return policy ?? engine.signInPolicy }
    guard var listed = settings.policies.all.first(where: { $0.key == policy.key }) else { return policy }
    listed.domainHint = policy.domainHint ?? listed.domainHint
    return listed
  }

  /// Removes the stored tokens of all users of this app.
  ///
  /// The tokens are gone when it returns, and also when it throws for what became of the browser. Only an error with code
  /// `tokenCache` means that the cache may still hold some.
  ///
  /// Where the provider's metadata names a `revocation_endpoint`, the refresh tokens are revoked there (RFC 7009). That is
  /// tried for 2 seconds at most, and is no error where it fails: offline the call returns at once. Metadata that is not
  /// at hand is fetched within that time, except at Microsoft's authorities, which have no such endpoint.
  ///
  /// ```swift
  /// try await connector.signOut()                            // the tokens on this device
  /// try await connector.signOut(endsBrowserSession: true)    // and the session in the browser
  /// ```
  ///
  /// - Parameters:
  ///   - endsBrowserSession: Whether to end the session at the server too, for which a page is shown. The browser is waited
  ///     for 60 seconds: many servers do not send it back.
  ///   - sendsIDTokenHint: Whether the page's URL carries the id_token (`id_token_hint`). Needed where the server asks for it;
  ///     it puts personal data into a URL.
  /// - Returns: What is known of the session in the browser.
  /// - Throws: ``ConnectorError`` with code `tokenCache` when the cache cannot be listed or changed, after everything that
  ///   could be removed is gone, also if the calling task was cancelled meanwhile; with `endsBrowserSession` also what
  ///   keeps the page from being shown, after the tokens are gone. A closed page and the end of the waiting time are no
  ///   errors.
  @discardableResult
  public func signOut(endsBrowserSession: Bool = false, sendsIDTokenHint: Bool = false) async throws -> BrowserSignOut {
    try await asConnectorError(evenIfCancelled: .tokenCache) {
      try await engine.signOut.run(nil, endsBrowserSession: endsBrowserSession, sendsIDTokenHint: sendsIDTokenHint)
    }
  }

  /// Removes the stored tokens of one user, and has them revoked as ``signOut(endsBrowserSession:sendsIDTokenHint:)`` does.
  ///
  /// ```swift
  /// for user in try await connector.users() where !user.hasSession {
  ///   try await connector.signOut(user)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - user: Whose tokens to remove.
  ///   - endsBrowserSession: Whether to end the session at the server too, for which a page is shown.
  ///   - sendsIDTokenHint: Whether the page's URL carries the id_token.
  /// - Returns: What is known of the session in the browser.
  /// - Throws: ``ConnectorError``, as for all users.
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
  /// The default policy: the selected one if it signs in, else the sign-in policy, else another way in.
  var forSignIn: Policy? {
    if let selected, [.signIn, .signUpOrSignIn, .federatedSignIn].contains(selected.kindOrDefault) { return selected }
    return policy(of: .signIn) ?? policy(of: .federatedSignIn) ?? policy(of: .signUp)
  }
}

extension Connector: Redacted {
  /// Authority, client and policies: enough to tell two connectors apart.
  public var description: String {
    let policies = settings.policies.all.map(\.id).joined(separator: ", ")
    return "Connector(\(settings.authority), client \(settings.clientID), policies \(policies))"
  }
}
