import B2CConnector
import B2CCore
import B2CHTTP
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a settings file says reaches the requests of a sign-in.
@Suite("Settings on their way to the engine")
struct ConnectorWiringTests {
  /// A key of the settings, and what is seen of it.
  struct Key: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let change: @Sendable (inout ConnectorSettings) throws -> Void
    /// The name and the value in the sign-in page's query.
    let expected: (name: String, value: String?)
  }

  private static let id = "6F1E2D3C-4B5A-4978-8796-A5B4C3D2E1F0"

  static let keys: [Key] = [
    Key(
      testDescription: "authority",
      change: { $0.authority = try Authority("https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/B2C_1_SignIn") },
      expected: ("(path)", "/tfp/contoso.onmicrosoft.com/B2C_1_SignIn/oauth2/v2.0/authorize")),
    Key(testDescription: "clientId", change: { _ in }, expected: ("client_id", LocalTenant.standardClientID)),
    Key(
      testDescription: "scopes", change: { $0.scopes = [LocalTenant.standardClientID] },
      expected: ("scope", "openid offline_access \(LocalTenant.standardClientID)")),
    Key(
      testDescription: "additionalScopes",
      change: {
        $0.scopes = ["https://contoso.onmicrosoft.com/tasks/read"]
        $0.additionalScopes = ["https://contoso.onmicrosoft.com/tasks/write"]
      },
      expected: (
        "scope",
        "openid offline_access https://contoso.onmicrosoft.com/tasks/read https://contoso.onmicrosoft.com/tasks/write"
      )),
    Key(
      testDescription: "redirectUri", change: { $0.redirectURI = try url("com.example.other:/callback") },
      expected: ("redirect_uri", "com.example.other:/callback")),
    Key(
      testDescription: "policies", change: { $0.policies = .init(emailSignIn: try Policy("B2C_1_SignUpOrSignIn")) },
      expected: ("p", "B2C_1_SignUpOrSignIn")),
    Key(
      testDescription: "policyID", change: { $0.policies.selected = try Policy("B2C_1_SignUpOrSignIn") },
      expected: ("p", "B2C_1_SignUpOrSignIn")),
    Key(
      testDescription: "correlationId", change: { $0.correlationID = UUID(uuidString: id) },
      expected: ("client-request-id", id.lowercased())),
    Key(
      testDescription: "userId", change: { $0.userID = LocalUser.alice.email },
      expected: ("login_hint", LocalUser.alice.email)),
  ]

  @Test(
    "Settings made in code serve every provider",
    arguments: [LocalTenant.Shape.b2c, .entra, .ciam, .openIDConnect])
  func inCode(_ shape: LocalTenant.Shape) async throws {
    let tenant = LocalTenant(shape: shape)
    let network = LocalNetwork(tenant)
    let settings = ConnectorSettings(
      authority: try Authority(tenant.authority()), clientID: tenant.clientID, scopes: tenant.apiScopes,
      redirectURI: try url(LocalTenant.standardRedirectURI),
      policies: shape == .b2c ? .init(emailSignIn: try Policy("B2C_1_SignIn")) : .init())
    let connector = try Connector(
      settings: settings,
      environment: Connector.Environment(
        presenter: ScriptedPresenter(transport: network, .signIn(.alice)), transport: network)
    ) { $0.limits = .patient }
    let result = try await connector.signIn()
    #expect(result.user.name == LocalUser.alice.displayName && result.accessToken != nil)
    #expect((result.policy == nil) == (shape != .b2c))
    #expect(try await connector.accessToken(forceRefresh: true).userID == result.user.id)
    #expect(try await connector.fetchUserInfo().subject == result.user.subject)
    try await connector.signOut()
    #expect(try await connector.session == .signedOut)
  }

  @Test("Each key is in the request of a sign-in", arguments: keys)
  func reaches(_ key: Key) async throws {
    let scene = Scene()
    scene.tenant.redirectURIs = [LocalTenant.standardRedirectURI, "com.example.other:/callback"]
    var settings = try scene.settings()
    try key.change(&settings)
    let presenter = scene.script(.signIn(.alice))
    try await scene.connector(settings, presenter: presenter).signIn()
    let page = try #require(presenter.requests.first).url
    var query = Dictionary(
      FormEncoding.decode(page.query(percentEncoded: true) ?? "").map { ($0.name, $0.value) }
    ) { first, _ in first }
    query["(path)"] = page.path
    #expect(query[key.expected.name] == key.expected.value, "\(page)")
    #expect(try #require(presenter.requests.first).redirectURI == settings.redirectURI)
  }

  @Test("The correlation id of the settings is in every token request as well")
  func correlationID() async throws {
    let scene = Scene()
    var settings = try scene.settings()
    settings.correlationID = UUID(uuidString: Self.id)
    let connector = try scene.connector(settings)
    try await connector.signIn()
    _ = try await connector.accessToken(forceRefresh: true)
    let sent = scene.network.requests.map(\.request).filter { $0.method == "POST" && $0.path.hasSuffix("/token") }
    #expect(sent.count == 2)
    for request in sent { #expect(request.value(forHTTPHeaderField: "client-request-id") == Self.id.lowercased()) }
  }

  @Test("The task API of the settings is used")
  func taskAPI() async throws {
    let scene = Scene()
    let settings = try scene.settings()
    let connector = try scene.connector(settings)
    try await connector.signIn()
    _ = try await connector.getTaskList()
    #expect(scene.network.requests.last?.request.url == settings.taskWebAPI)
  }
}
