import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A tenant and a task server behind fronts that can misbehave, and an origin that nobody may ask.
struct FaultWorld: Sendable {
  /// A deadline that is short enough to wait for and long enough for a busy machine.
  static let deadline = Duration.seconds(2)
  static let limits = TransportLimits(maximumBodyBytes: 256 << 10, deadline: deadline, idleTimeout: .seconds(5))

  let tenant = LocalTenant()
  let tenantFront: FaultyFront
  let taskFront: FaultyFront
  let other: OtherOrigin
  private let transport = ProofTransport.make()
  private let tasks: Locked<LocalTaskServer>

  init() async throws {
    // Microsoft's services take a refresh token that was spent already. With a server that does not, an answer that is
    // lost after it was made loses the session, whatever a client does.
    tenant.behavior.refreshTokenReuse = .allowed
    // The task server knows the tenant by its own name; what the front is called is not its affair.
    tenant.behavior.changeAccessTokenClaims = { [issuer = tenant.issuer] in $0["iss"] = .string(issuer) }
    tasks = Locked(LocalTaskServer(tenant: tenant, dialect: .rest))
    tenantFront = try await FaultyFront { [tenant] in try await tenant.answer($0) }
    taskFront = try await FaultyFront { [tasks] in try await tasks.withLock { $0 }.answer($0) }
    other = try await OtherOrigin()
  }

  /// The current task server.
  var taskServer: LocalTaskServer { tasks.withLock { $0 } }

  /// Forgets everything but keys and ports.
  func reset() async throws {
    try await tenantFront.disarm()
    try await taskFront.disarm()
    tenant.endSessions()
    tenant.revokeGrants()
    tenant.clearRequests()
    tenantFront.forgetSecrets()
    taskFront.forgetSecrets()
    tasks.withLock { [tenant] in $0 = LocalTaskServer(tenant: tenant, dialect: .rest) }
  }

  func stop() async {
    await tenantFront.close()
    await taskFront.close()
    await other.close()
  }

  /// Every secret that was sent, or made by the tenant, since ``reset()``, also in answers that a fault held back.
  func secrets() -> Set<String> {
    var secrets = tenantFront.secrets.union(taskFront.secrets).union([LocalUser.alice.password.value])
    for recorded in tenant.requests {
      let body = recorded.response.flatMap { try? JSONDecoder().decode(JSONValue.self, from: $0.body).object } ?? [:]
      secrets.formUnion(["access_token", "refresh_token", "id_token"].compactMap { body[$0]?.string })
    }
    return secrets
  }

  /// A connector with short limits, and retries so quick that every try falls within the deadline.
  func connector(
    _ cache: any TokenCache, _ presenter: any SignInPresenter,
    onEvent: @escaping @Sendable (Connector.Event) -> Void = { _ in }
  ) throws -> Connector {
    var settings = try tenant.settings()
    let authority = tenant.authority(form: .query).replacingOccurrences(
      of: tenant.inMemoryOrigin.absoluteString, with: tenantFront.url.absoluteString)
    settings.authority = try Authority(authority)
    settings.policies = .init(emailSignIn: try Policy("B2C_1_SignIn"))
    settings.taskWebAPI = taskFront.url.appendingPathComponent("tasks")
    let environment = Connector.Environment(presenter: presenter, cache: cache, transport: transport, onEvent: onEvent)
    return try Connector(settings: settings, environment: environment) {
      $0.taskDialect = .rest
      $0.limits = Self.limits
      $0.taskLimits = Self.limits
      $0.retry = RetryPolicy(maximumDelay: .milliseconds(20))
    }
  }
}

/// A user at the sign-in page, after whom something goes wrong.
final class ArmingPresenter: SignInPresenter {
  private let user = ScriptedPresenter(transport: URLSessionTransport(), .signIn(.alice))
  private let action = Locked<(@Sendable () async -> Void)?>(nil)

  /// Runs an action once, when the user has left the page.
  func whenLeft(_ action: @escaping @Sendable () async -> Void) { self.action.withLock { $0 = action } }

  func present(_ request: PresentationRequest) async throws -> URL {
    let url = try await user.present(request)
    await action.withLock { $0.take() }?()
    return url
  }
}
