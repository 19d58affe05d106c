import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport

/// The app of a soak run: the same settings and limits in every process.
struct SoakApp: Sendable {
  let connector: Connector
  let cache: FileTokenCache
  private let presenter: ForgetfulPresenter

  init(directory: URL, tenant: String, tasks: URL) throws {
    guard let redirectURI = URL(string: LocalTenant.standardRedirectURI) else { throw ProofError("no redirect URI") }
    let cache = try FileTokenCache(directory: directory, lockTimeout: .seconds(60))
    let presenter = ForgetfulPresenter()
    let settings = ConnectorSettings(
      authority: try Authority(tenant), clientID: LocalTenant.standardClientID,
      scopes: ["https://contoso.onmicrosoft.com/tasks/read"], redirectURI: redirectURI, taskWebAPI: tasks,
      policies: .init(emailSignIn: try Policy("B2C_1_SignIn")))
    var environment = OAuthEnvironment()
    environment.cache = cache
    environment.presenter = presenter
    connector = try Connector(settings: settings, environment: environment) {
      $0.oauth.limits = TransportLimits(
        maximumBodyBytes: 256 << 10, deadline: SoakPlan.deadline, idleTimeout: SoakPlan.deadline)
      $0.retry = RetryPolicy(
        maximumAttempts: 3, baseDelay: .milliseconds(50), maximumDelay: .milliseconds(400),
        throttledDelay: .milliseconds(200), retryAfterCap: .seconds(1), budget: 1_000)
    }
    self.cache = cache
    self.presenter = presenter
  }

  /// Signs a user in; only one sign-in runs at a time in a process.
  func signIn(_ user: Int, policy: Policy? = nil) async throws {
    presenter.user = user
    var options = SignInOptions()
    // The browser's session of the last user would answer for this one.
    options.prefersEphemeralSession = true
    _ = try await connector.doPolicy(policy ?? Policy(SoakPlan.policyID(user)), options: options)
  }

  static func account(_ user: Int) -> Account {
    Account(id: SoakPlan.id(user) + ".22222222-2222-4222-8222-222222222222")
  }
}

/// Signs one user in after the other, with a scripted person for each: one person would remember every page of the run, and
/// the run measures what the SDK keeps.
private final class ForgetfulPresenter: SignInPresenter {
  private let transport = URLSessionTransport()
  private let next = Locked(0)

  /// Who signs in next.
  var user: Int {
    get { next.withLock { $0 } }
    set { next.withLock { $0 = newValue } }
  }

  func present(_ request: PresentationRequest) async throws -> URL {
    let user = user
    return try await ScriptedPresenter(
      transport: transport, .signIn(email: SoakPlan.email(user), password: SoakPlan.password(user))
    ).present(request)
  }
}
