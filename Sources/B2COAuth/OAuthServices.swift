internal import B2CCore
internal import B2CIDToken
internal import Foundation

/// The parts that sign-in, tokens and sign-out share.
package final class OAuthServices: Sendable {
  package let configuration: OAuthConfiguration
  let environment: OAuthEnvironment
  package let presenter: any SignInPresenter
  let serverClock: ServerClock
  let providers: ProviderDirectory
  let endpoint: TokenEndpoint
  /// The owner of the sessions, which every connector over the same cache shares.
  package let store: SessionStore
  /// Whose sessions are this connector's.
  let client: SessionStore.Client
  /// Whether the service speaks with Microsoft's extensions; elsewhere every byte of an id counts.
  let isMicrosoft: Bool

  package init(configuration: OAuthConfiguration, environment: OAuthEnvironment) throws {
    if let retired = configuration.authority.retirement(for: configuration.defaultPolicy) {
      throw retired.error
    }
    isMicrosoft = configuration.authority.kind(for: configuration.defaultPolicy).isMicrosoft
    var configuration = configuration
    // Microsoft's services answer in small letters, whatever was registered; elsewhere every byte counts.
    if isMicrosoft { configuration.clientID = ASCIIText.lowercased(configuration.clientID) }
    self.configuration = configuration
    self.environment = environment
    presenter = environment.presenter ?? DefaultPresenter.make()
    // A sign-in in two calls needs none, so the platform's own is looked at when it is used.
    try environment.presenter?.validate(redirectURI: configuration.redirectURI)
    serverClock = ServerClock(localNow: environment.now)
    providers = ProviderDirectory(configuration: configuration, environment: environment, serverClock: serverClock)
    endpoint = TokenEndpoint(
      configuration: configuration,
      transport: RetryingTransport(transport: environment.transport, policy: .none, clock: environment.clock),
      serverClock: serverClock)
    store = SessionStore.of(try environment.cache ?? DefaultCache.make())
    client = SessionStore.Client(
      authority: configuration.authority.cacheID, clientID: configuration.clientID,
      requiredUser: configuration.requiredUser.flatMap { $0.isEmpty ? nil : $0 })
  }

  /// Whether this process may request an access token: an extension that the system ends would lose a rotated token.
  var refreshesTokens: Bool { configuration.refreshesTokens && !environment.isAppExtension }

  /// Fetches the metadata of a policy.
  ///
  /// - Returns: Its issuer, and the endpoints in it that are needed and cannot be used.
  package func fetchProvider(_ policy: Policy?) async throws -> (issuer: String, unusableEndpoints: [String]) {
    let provider = try await providers.fetchProvider(policy)
    return (provider.metadata.issuer, provider.isMicrosoft ? [] : provider.metadata.unusableEndpoints)
  }

  /// Fetches the keys of a policy and counts those that can verify the signature of an id_token.
  package func usableKeyCount(_ policy: Policy?) async throws -> Int {
    let provider = try await providers.provider(for: policy)
    let keys = try await providers.fetchKeys(of: provider).keys
    return keys.count { $0.canVerify(anyOf: provider.allowedAlgorithms) }
  }

  /// Asks for the sign-in page of the default policy once, as no user, without `offline_access` and with `prompt=none`.
  ///
  /// - Returns: What came instead of an answer, and whether a sign-in asks for `offline_access`.
  /// - Throws: ``ConnectorError`` for what the page refuses, and for what keeps it from answering; `CancellationError`.
  package func askSignInPage() async throws -> (instead: String?, isOfflineAccessLeftOut: Bool) {
    var configuration = configuration
    configuration.requiredUser = nil
    var provider = try await providers.provider(for: configuration.defaultPolicy)
    let asked = provider.sent(configuration.scopes + configuration.additionalScopes)
    let isLeftOut = asked.contains { $0.lowercased() == "offline_access" }
    configuration.scopes.removeAll { $0.lowercased() == "offline_access" }
    configuration.additionalScopes.removeAll { $0.lowercased() == "offline_access" }
    provider.addsOfflineAccess = false
    let request = AuthorizationRequest(
      provider: provider, configuration: configuration, options: SignInOptions(prompt: .none),
      correlationID: correlationID())
    let pending = try request.pending(userID: nil, at: environment.now())
    return (try await pending.ask(provider, over: endpoint.transport, limits: configuration.limits), isLeftOut)
  }

  /// The id of the settings, else a new one.
  func correlationID() -> UUID { configuration.correlationID ?? UUID() }

  func report(_ step: OAuthStep, _ policyID: String?, _ correlationID: UUID? = nil, error: ErrorCode? = nil) {
    environment.report(step, policyID, correlationID ?? configuration.correlationID, error)
  }

  /// Runs a step between two events, or before the second.
  func emittingEvents<Result>(
    _ started: OAuthStep?, _ finished: OAuthStep, policyID: String?, correlationID: UUID,
    _ body: () async throws -> Result
  ) async throws -> Result {
    if let started { report(started, policyID, correlationID) }
    do {
      let result = try await body()
      report(finished, policyID, correlationID)
      return result
    } catch {
      report(finished, policyID, correlationID, error: Self.code(of: error))
      throw error
    }
  }

  static func code(of error: any Error) -> ErrorCode {
    let isCancelled = error is CancellationError && Task.isCancelled
    return (error as? ConnectorError)?.code ?? .init(rawValue: isCancelled ? "cancelled" : "other")
  }
}

extension OAuthServices: Redacted {
  /// Authority and client: enough to tell two of them apart.
  package var description: String { "OAuthServices(\(configuration.authority), client \(configuration.clientID))" }
}
