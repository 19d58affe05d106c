internal import B2CCore
internal import Foundation

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
      defaultPolicy: settings.policies.forSignIn ?? settings.policies.all.first,
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
  /// The policy to sign in by: the selected one if it signs in, else the sign-in policy.
  var forSignIn: Policy? {
    if let selected, [.signIn, .signUpOrSignIn].contains(selected.kind) { return selected }
    return policy(of: .signIn)
  }
}
