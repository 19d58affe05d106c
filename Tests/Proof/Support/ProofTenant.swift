import B2CConnector
import B2CTestKit
import Foundation

/// A tenant on loopback HTTP, for connectors of this process and of others.
struct ProofTenant: Sendable {
  let tenant = LocalTenant(redirectURIs: [redirectURI])
  let authority: String
  private static let redirectURI = "http://127.0.0.1/callback"

  init() async throws {
    try await tenant.start()
    authority = tenant.authority(form: .query)
  }

  /// Signs in, and leaves a token in the cache that has ended already; later ones last an hour.
  func signIn(_ cache: any TokenCache) async throws {
    tenant.behavior.changeTokenAnswer = {
      $0["expires_in"] = .integer(0)
      $0["expires_on"] = nil
    }
    let presenter = ScriptedPresenter(transport: URLSessionTransport(), .signIn(.alice))
    try await Self.connector(authority, cache, presenter: presenter).doPolicy(.signIn)
    tenant.behavior.changeTokenAnswer = nil
    tenant.clearRequests()
  }

  /// Makes a connector, with settings that parent and child agree on.
  static func connector(
    _ authority: String, _ cache: any TokenCache, presenter: (any SignInPresenter)? = nil, deadline: Duration? = nil
  ) throws -> Connector {
    guard let redirectURI = URL(string: redirectURI) else { throw ProofError("no redirect URI") }
    let settings = ConnectorSettings(
      authority: try Authority(authority), clientID: LocalTenant.standardClientID,
      scopes: ["https://contoso.onmicrosoft.com/tasks/read"], redirectURI: redirectURI,
      policies: .init(emailSignIn: try Policy("B2C_1_SignIn")))
    var environment = Connector.Environment()
    environment.cache = cache
    environment.transport = ProofTransport.make()
    environment.presenter = presenter
    return try Connector(settings: settings, environment: environment) {
      if let deadline { $0.limits.deadline = deadline }
    }
  }
}
