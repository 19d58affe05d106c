import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A tenant and a task server behind fronts that can misbehave, and an origin that must stay alone.
struct FaultWorld: Sendable {
  /// Short enough to wait for, long enough for a busy machine.
  static let deadline = Duration.seconds(2)
  static let limits = TransportLimits(maximumBodyBytes: 256 << 10, deadline: deadline, idleTimeout: .seconds(5))
  /// So quick that every try falls within the deadline.
  static let retry = RetryPolicy(maximumDelay: .milliseconds(20))

  let tenant: LocalTenant
  let tenantFront: FaultyFront
  let taskFront: FaultyFront
  let other: OtherOrigin
  let transport: any HTTPTransport
  private let tasks: Locked<LocalTaskServer>

  // Microsoft's services take a refresh token that was spent already. With a server that does not, an answer that is
  // lost after it was made loses the session, whatever a client does.
  init(
    transport: any HTTPTransport = ProofTransport.make(),
    reuse: LocalTenant.Behavior.RefreshTokenReuse = .allowed, delay: (@Sendable () -> Duration)? = nil
  ) async throws {
    let tenant = LocalTenant()
    // The task server knows the tenant by its own name; what the front is called is not its affair.
    let issuer = tenant.issuer
    tenant.behavior.refreshTokenReuse = reuse
    tenant.behavior.changeAccessTokenClaims = { $0["iss"] = .string(issuer) }
    let tasks = Locked(LocalTaskServer(tenant: tenant, dialect: .rest))
    self.tenant = tenant
    self.tasks = tasks
    self.transport = transport
    let wait: @Sendable () async -> Void = {
      if let delay { try? await ContinuousClock().sleep(for: delay()) }
    }
    tenantFront = try await FaultyFront { request in
      await wait()
      return try await tenant.answer(request)
    }
    taskFront = try await FaultyFront { request in
      await wait()
      return try await tasks.withLock { $0 }.answer(request)
    }
    other = try await OtherOrigin()
  }

  /// The task server of now.
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

  /// Everything secret that was sent, or made by the tenant, since ``reset()``; answers that a fault held back included.
  func secrets() -> Set<String> {
    var secrets = tenantFront.secrets.union(taskFront.secrets).union([LocalUser.alice.password.value])
    for recorded in tenant.requests {
      let body = recorded.response.flatMap { try? JSONDecoder().decode(JSONValue.self, from: $0.body).object } ?? [:]
      for name in ["access_token", "refresh_token", "id_token"] {
        if let token = body[name]?.string { secrets.insert(token) }
      }
    }
    return secrets
  }

  /// A connector with short limits.
  func connector(
    _ cache: any TokenCache, _ presenter: any SignInPresenter,
    onEvent: @escaping @Sendable (Connector.Event) -> Void = { _ in }
  ) throws -> Connector {
    var settings = try self.settings()
    settings.taskWebAPI = taskFront.url.appendingPathComponent("tasks")
    return try Connector(
      settings: settings,
      environment: Connector.Environment(presenter: presenter, cache: cache, transport: transport, onEvent: onEvent)
    ) {
      $0.taskDialect = .rest
      ($0.limits, $0.taskLimits) = (Self.limits, Self.limits)
      $0.retry = Self.retry
    }
  }

  private func settings() throws -> ConnectorSettings {
    let inMemory = tenant.inMemoryOrigin.absoluteString
    let authority = tenant.authority(form: .query).replacingOccurrences(
      of: inMemory, with: tenantFront.url.absoluteString)
    guard let redirectURI = URL(string: LocalTenant.standardRedirectURI) else { throw ProofError("no redirect URI") }
    return ConnectorSettings(
      authority: try Authority(authority), clientID: tenant.clientID, scopes: tenant.apiScopes,
      redirectURI: redirectURI, policies: .init(emailSignIn: try Policy("B2C_1_SignIn")))
  }
}

/// A person at the sign-in page, after whom something goes wrong.
final class ArmingPresenter: SignInPresenter {
  private let person: ScriptedPresenter
  private let action = Locked<(@Sendable () async -> Void)?>(nil)

  init() {
    person = ScriptedPresenter(transport: URLSessionTransport(), .signIn(.alice))
  }

  /// Has something done when the page has been left, once.
  func whenLeft(_ action: @escaping @Sendable () async -> Void) {
    self.action.withLock { $0 = action }
  }

  func validate(redirectURI: URL) throws { try person.validate(redirectURI: redirectURI) }

  func present(_ request: PresentationRequest) async throws -> URL {
    let url = try await person.present(request)
    let action = action.withLock { action in
      defer { action = nil }
      return action
    }
    await action?()
    return url
  }
}
