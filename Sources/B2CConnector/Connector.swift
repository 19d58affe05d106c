public import B2CCore
public import Foundation

/// Signs a user in through a policy of Azure AD B2C and calls the task API with the tokens.
///
/// ```swift
/// let connector = try Connector(settings: .main)
/// let user = try await connector.doPolicy(.signIn)
/// let tasks = try await connector.getTaskList()
/// try await connector.addTask(TaskItem(itemName: "Buy milk"))
/// try await connector.deleteTask(tasks[0])
/// try await connector.signOut()
/// ```
///
/// Every call throws ``ConnectorError``, and `CancellationError` when the calling task was cancelled; nothing else.
public struct Connector: Sendable {
  /// What the connector was made from.
  public let settings: ConnectorSettings
  /// The engine below, for more than the five calls: accounts, prompts, scopes.
  public let oauth: OAuthClient
  /// The client of the task API; `nil` when the settings name none.
  public let tasks: TaskAPIClient?

  let environment: OAuthEnvironment
  let retry: RetryPolicy
  /// Shared by every call: the task API's, ``data(for:scopes:limits:)``'s and the engine's.
  let retryBudget: RetryBudget
  let allowedOrigins: Set<Origin>

  /// Makes a connector.
  ///
  /// Nothing is opened or sent yet, but whatever is wrong with the settings is found here.
  ///
  /// - Parameters:
  ///   - settings: What to connect to; `.main` reads `settings.plist` of the main bundle.
  ///   - presenter: How the sign-in page is shown; a web authentication session on Apple's systems and the system's
  ///     browser with a loopback redirect elsewhere, unless said otherwise.
  ///   - cache: Where tokens are kept; the keychain on Apple's systems and a private file elsewhere, unless said
  ///     otherwise.
  ///   - transport: How requests are sent.
  ///   - taskAPI: How the task API wants to be spoken to; the tutorial's way at the settings' address when `nil`.
  ///   - allowedAPIs: Further APIs that ``data(for:scopes:limits:)`` may send tokens to: their origins count, such as
  ///     `https://graph.microsoft.com`. The task API's origin is always allowed.
  ///   - retry: How often and when a failed request is sent again.
  ///   - configure: Changes the engine's configuration after the settings have filled it in: limits, expiry margin, clock
  ///     skew and the like.
  ///   - clock: The clock that deadlines and pauses run on.
  ///   - now: The wall time that token lifetimes are measured by.
  ///   - onEvent: Told of everything the engine does, in values that hold no secret.
  /// - Throws: ``ConnectorError`` with code `settings`, `retiredAuthority`, `configuration` or `unsupportedRedirectURI`
  ///   for what has to be mended in the settings; `tokenCache` when the default cache cannot be had.
  public init(
    settings: @autoclosure () throws -> ConnectorSettings, presenter: (any SignInPresenter)? = nil,
    cache: (any TokenCache)? = nil, transport: any HTTPTransport = URLSessionTransport(),
    taskAPI: TaskAPIConfiguration? = nil, allowedAPIs: [URL] = [], retry: RetryPolicy = .standard,
    configure: (inout OAuthConfiguration) -> Void = { _ in },
    clock: any Clock<Duration> = ContinuousClock(), now: @escaping @Sendable () -> Date = { Date() },
    onEvent: @escaping @Sendable (OAuthEvent) -> Void = { _ in }
  ) throws {
    self = try ConnectorError.mapping {
      try Connector(
        wiring: try settings(),
        OAuthEnvironment(
          cache: try cache ?? DefaultTokenCache.make(), transport: transport,
          presenter: presenter ?? DefaultPresenter.make(), clock: clock, now: now, onEvent: onEvent),
        taskAPI: taskAPI, allowedAPIs: allowedAPIs, retry: retry, configure: configure)
    }
  }

  init(
    settings: ConnectorSettings, oauth: OAuthClient, tasks: TaskAPIClient?, environment: OAuthEnvironment,
    retry: RetryPolicy, retryBudget: RetryBudget, allowedOrigins: Set<Origin>
  ) {
    self.settings = settings
    self.oauth = oauth
    self.tasks = tasks
    self.environment = environment
    self.retry = retry
    self.retryBudget = retryBudget
    self.allowedOrigins = allowedOrigins
  }
}

/// The tutorial's calls.
extension Connector {
  /// Signs the user in by the default policy, or at an authority without policies.
  ///
  /// The default is the selected policy if it signs in, else the sign-in policy, a federated one, or that of the
  /// authority's text; a policy that edits a profile or resets a password never is.
  ///
  /// - Parameter options: What to ask for beyond the settings.
  /// - Returns: Who the user is, by verified claims.
  /// - Throws: ``ConnectorError``; see ``OAuthClient/signIn(policy:prompt:options:)``.
  @discardableResult
  public func signIn(options: SignInOptions? = nil) async throws -> UserInfo {
    try await run(nil, options)
  }

  /// Sends the user through one of the settings' policies.
  ///
  /// - Parameters:
  ///   - kind: Which kind of policy: `.signIn`, which is the default policy, `.signUp`, `.federatedSignIn` and so on.
  ///   - options: What to ask for beyond the settings.
  /// - Returns: Who the user is, by verified claims.
  /// - Throws: ``ConnectorError``: with code `policyNotConfigured` when the settings have no policy of that kind;
  ///   otherwise see ``OAuthClient/signIn(policy:prompt:options:)``.
  @discardableResult
  public func doPolicy(_ kind: Policy.Kind, options: SignInOptions? = nil) async throws -> UserInfo {
    let found = kind == .signIn ? oauth.configuration.defaultPolicy : settings.policies.policy(of: kind)
    guard let policy = found else {
      throw ConnectorError(
        .policyNotConfigured, "The settings name no policy of the kind \(kind.rawValue).",
        recoverySuggestion: "Add it to the settings, or pass the policy itself.")
    }
    return try await run(policy, options)
  }

  /// Sends the user through a policy.
  ///
  /// - Parameters:
  ///   - policy: The policy, such as `Policy("B2C_1_SignIn")`.
  ///   - options: What to ask for beyond the settings, whose `fullScreen` holds all the same.
  /// - Returns: Who the user is, by verified claims.
  /// - Throws: ``ConnectorError``; see ``OAuthClient/signIn(policy:prompt:options:)``.
  @discardableResult
  public func doPolicy(_ policy: Policy, options: SignInOptions? = nil) async throws -> UserInfo {
    try await run(policy, options)
  }

  private func run(_ policy: Policy?, _ options: SignInOptions?) async throws -> UserInfo {
    try await ConnectorError.mapping {
      var options = options ?? SignInOptions()
      options.prefersFullScreen = options.prefersFullScreen || settings.fullScreen
      return try await oauth.signIn(policy: policy, options: options).user
    }
  }

  /// Lists the tasks of the user.
  ///
  /// - Returns: The tasks, as the server orders them.
  /// - Throws: ``ConnectorError``: `interactionRequired` when only a sign-in helps; `taskAPINotConfigured`; what the API
  ///   answered.
  public func getTaskList() async throws -> [TaskItem] {
    try await ConnectorError.mapping { try await configuredTasks().list() }
  }

  /// Adds a task.
  ///
  /// It is sent once: a call that failed is reported, and the task is still in the caller's hands.
  ///
  /// - Parameter task: The task.
  /// - Returns: The task as the server stored it.
  /// - Throws: ``ConnectorError``; see ``getTaskList()``.
  @discardableResult
  public func addTask(_ task: TaskItem) async throws -> TaskItem {
    try await ConnectorError.mapping { try await configuredTasks().add(task) }
  }

  /// Changes a task, such as whether it is completed.
  ///
  /// - Parameter task: The task as it shall be.
  /// - Returns: The task as the server stored it.
  /// - Throws: ``ConnectorError``; see ``getTaskList()``.
  @discardableResult
  public func updateTask(_ task: TaskItem) async throws -> TaskItem {
    try await ConnectorError.mapping { try await configuredTasks().update(task) }
  }

  /// Deletes a task.
  ///
  /// - Parameter task: The task; by its id where the server gave one, else by its name.
  /// - Throws: ``ConnectorError``; see ``getTaskList()``.
  public func deleteTask(_ task: TaskItem) async throws {
    try await ConnectorError.mapping { try await configuredTasks().delete(task) }
  }

  /// Removes the stored tokens of all accounts of this app.
  ///
  /// The tokens are gone when it returns, and also when it throws for what became of the browser. Only an error with code
  /// `tokenCache` means that the cache may still hold some.
  ///
  /// - Parameters:
  ///   - endsBrowserSession: Whether to end the session at the server too, for which a page is shown.
  ///   - options: How to end the browser session.
  /// - Throws: ``ConnectorError``; see ``OAuthClient/signOut(_:endsBrowserSession:options:)``.
  public func signOut(endsBrowserSession: Bool = false, options: SignOutOptions = SignOutOptions()) async throws {
    try await ConnectorError.mapping {
      try await oauth.signOut(endsBrowserSession: endsBrowserSession, options: options)
    }
  }

  /// Removes the stored tokens of one account.
  ///
  /// - Parameters:
  ///   - account: Whose tokens to remove.
  ///   - endsBrowserSession: Whether to end the session at the server too, for which a page is shown.
  ///   - options: How to end the browser session.
  /// - Throws: ``ConnectorError``, as for all accounts.
  public func signOut(
    _ account: Account, endsBrowserSession: Bool = false, options: SignOutOptions = SignOutOptions()
  ) async throws {
    try await ConnectorError.mapping {
      try await oauth.signOut(account, endsBrowserSession: endsBrowserSession, options: options)
    }
  }

  private func configuredTasks() throws(ConnectorError) -> TaskAPIClient {
    guard let tasks else {
      throw ConnectorError(
        .taskAPINotConfigured, "The settings name no task API.", recoverySuggestion: "Add taskWebAPI to the settings.")
    }
    return tasks
  }
}

// MARK: - Wiring

extension Connector {
  /// Builds the parts from settings: the only place that knows them all.
  init(
    wiring settings: ConnectorSettings, _ environment: OAuthEnvironment, taskAPI: TaskAPIConfiguration?,
    allowedAPIs: [URL],
    retry: RetryPolicy, configure: (inout OAuthConfiguration) -> Void
  ) throws {
    if let url = allowedAPIs.first(where: { Origin($0) == nil || !Loopback.isAllowed($0) }) {
      throw ConnectorError(
        .configuration, "No token can be sent to the allowed API \(RedactedURL(url)).",
        recoverySuggestion: "Use an https URL; plain http is allowed to this machine only.")
    }
    let budget = RetryBudget(retry.budget)
    var configuration = OAuthConfiguration(
      authority: settings.authority, clientID: settings.clientID, redirectURI: settings.redirectURI,
      scopes: settings.scopes, additionalScopes: settings.additionalScopes,
      defaultPolicy: settings.policies.forSignIn,
      passwordResetPolicy: settings.policies.policy(of: .passwordReset), requiredUser: settings.userID,
      correlationID: settings.correlationID)
    configuration.retry = retry
    configure(&configuration)
    let oauth = try OAuthClient(configuration: configuration, environment: environment, retryBudget: budget)
    let tasks = try (taskAPI ?? settings.taskWebAPI.map { try TaskAPIConfiguration(baseURL: $0, retry: retry) }).map {
      try TaskAPIClient(
        configuration: $0, transport: environment.transport, tokens: oauth.tokenProvider(),
        clock: environment.clock, now: environment.now, retryBudget: budget)
    }
    self.init(
      settings: settings, oauth: oauth, tasks: tasks, environment: environment, retry: retry, retryBudget: budget,
      allowedOrigins: Set((allowedAPIs + [tasks?.configuration.baseURL].compactMap(\.self)).compactMap { Origin($0) }))
  }
}

extension ConnectorSettings.Policies {
  /// The default policy: the selected one if it signs in, else the sign-in policy, else another way in.
  var forSignIn: Policy? {
    if let selected, [.signIn, .signUpOrSignIn, .federatedSignIn].contains(selected.kind) { return selected }
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
