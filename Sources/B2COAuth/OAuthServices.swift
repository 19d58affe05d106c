internal import B2CCore
internal import Foundation

/// The parts that every flow of a client shares, made once.
final class OAuthServices: Sendable {
  let configuration: OAuthConfiguration
  let environment: OAuthEnvironment
  let presenter: any SignInPresenter
  let tokenCache: any TokenCache
  let serverClock: ServerClock
  let providers: ProviderDirectory
  let endpoint: TokenEndpoint
  let cache: RecordCache
  let users: UserStore
  let sessions: SessionMonitor
  let sentRefreshes = SentRefreshes()
  let adoptions = ClaimAdoptions()

  init(configuration: OAuthConfiguration, environment: OAuthEnvironment) throws {
    self.configuration = configuration
    self.environment = environment
    presenter = environment.presenter ?? DefaultPresenter.make()
    try presenter.validate(redirectURI: configuration.redirectURI)
    serverClock = ServerClock(localNow: environment.now)
    let documents = DocumentFetcher(
      transport: RetryingTransport(
        transport: environment.transport, policy: configuration.retry, clock: environment.clock,
        now: environment.now, onRetry: { environment.onEvent(OAuthEvent(.retry)) }),
      limits: configuration.limits, serverClock: serverClock)
    providers = ProviderDirectory(configuration: configuration, documents: documents, now: environment.now)
    endpoint = TokenEndpoint(
      configuration: configuration, transport: environment.transport, serverClock: serverClock)
    tokenCache = try environment.cache ?? DefaultTokenCache.make()
    cache = RecordCache(tokenCache, clock: environment.clock)
    sessions = SessionMonitor(
      observers: cache.state.observers, protectedDataUpdates: environment.protectedDataUpdates)
    users = UserStore(configuration: configuration, cache: cache, now: environment.now)
  }

  func correlationID(_ wanted: UUID?) -> UUID { wanted ?? configuration.correlationID ?? UUID() }

  /// Runs a step and reports its start and its end.
  func reporting<Result>(
    _ started: OAuthEvent.Kind, _ finished: OAuthEvent.Kind, policy: Policy?, correlationID: UUID,
    _ body: () async throws -> Result
  ) async throws -> Result {
    environment.onEvent(OAuthEvent(started, policyID: policy?.id, correlationID: correlationID))
    do {
      let result = try await body()
      environment.onEvent(OAuthEvent(finished, policyID: policy?.id, correlationID: correlationID))
      return result
    } catch {
      environment.onEvent(
        OAuthEvent(finished, policyID: policy?.id, correlationID: correlationID, errorCode: Self.code(of: error)))
      throw error
    }
  }

  /// The code of an error in an event.
  static func code(of error: any Error) -> ErrorCode {
    (error as? ConnectorError)?.code ?? .init(rawValue: error is CancellationError ? "cancelled" : "other")
  }
}
