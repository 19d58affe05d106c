import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// What the settings say reaches the requests.
@Suite("Settings on their way to the engine")
struct ConnectorWiringTests {
  /// A key of the settings, and what is seen of it.
  struct Key: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The name and the value in the sign-in page's query.
    let sent: (name: String, value: String)
    let change: @Sendable (inout ConnectorSettings) throws -> Void

    init(
      _ key: String, _ name: String, _ value: String,
      _ change: @escaping @Sendable (inout ConnectorSettings) throws -> Void = { _ in }
    ) {
      (testDescription, sent, self.change) = (key, (name, value), change)
    }
  }

  private static let id = "6F1E2D3C-4B5A-4978-8796-A5B4C3D2E1F0"
  private static let apis = ["read", "write"].map { "https://contoso.onmicrosoft.com/tasks/\($0)" }

  static let keys: [Key] = [
    Key("authority", "(path)", "/tfp/contoso.onmicrosoft.com/B2C_1_SignIn/oauth2/v2.0/authorize") {
      $0.authority = try Authority("https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/B2C_1_SignIn")
    },
    Key("clientId", "client_id", LocalTenant.standardClientID),
    Key("scopes", "scope", "openid offline_access \(LocalTenant.standardClientID)") {
      $0.scopes = [LocalTenant.standardClientID]
    },
    Key("additionalScopes", "scope", "openid offline_access \(apis[0]) \(apis[1])") {
      ($0.scopes, $0.additionalScopes) = ([apis[0]], [apis[1]])
    },
    Key("redirectUri", "redirect_uri", "com.example.other:/callback") {
      $0.redirectURI = try url("com.example.other:/callback")
    },
    Key("policies", "p", "B2C_1_SignUpOrSignIn") {
      $0.policies = .init(emailSignIn: try Policy("B2C_1_SignUpOrSignIn"))
    },
    Key("policyID", "p", "B2C_1_SignUpOrSignIn") { $0.policies.selected = try Policy("B2C_1_SignUpOrSignIn") },
    Key("correlationId", "client-request-id", id.lowercased()) { $0.correlationID = UUID(uuidString: id) },
    Key("userId", "login_hint", LocalUser.alice.email) { $0.userID = LocalUser.alice.email },
  ]

  @Test("Each key is in the request of a sign-in", arguments: keys)
  func reaches(_ key: Key) async throws {
    let scene = Scene(redirectURIs: [Scene.redirect, "com.example.other:/callback"])
    let settings = try scene.settings(key.change)
    let presenter = scene.script(.signIn(.alice))
    try await scene.connector(settings, presenter: presenter).signIn()
    let request = try #require(presenter.requests.first)
    let values = query(of: request.url).merging(["(path)": request.url.path]) { $1 }
    #expect(values[key.sent.name] == key.sent.value, "\(request.url)")
    #expect(request.redirectURI == settings.redirectURI)
  }

  @Test("The correlation id of the settings is in every token request, and the task API is that of the settings")
  func correlationID() async throws {
    let scene = Scene()
    let connector = try scene.connector(scene.settings { $0.correlationID = UUID(uuidString: Self.id) })
    try await connector.signIn()
    _ = try await connector.accessToken(forceRefresh: true)
    let sent = scene.transport.requests.filter(\.isTokenRequest)
    let ids = sent.map { $0.value(forHTTPHeaderField: "client-request-id") }
    #expect(ids == [Self.id.lowercased(), Self.id.lowercased()])
    _ = try await connector.getTaskList()
    #expect(scene.transport.requests.last?.url == connector.settings.taskWebAPI)
  }

  @Test(
    "Settings made in code serve every provider: sign-in, refresh, userinfo and sign-out, all under the user's one id",
    arguments: [LocalTenant.Shape.b2c, .entra, .ciam, .openIDConnect])
  func inCode(_ shape: LocalTenant.Shape) async throws {
    let scene = Scene(shape: shape)
    let settings = ConnectorSettings(
      authority: try Authority(scene.tenant.authority()), clientID: scene.tenant.clientID,
      scopes: scene.tenant.apiScopes, redirectURI: try url(Scene.redirect),
      policies: shape == .b2c ? .init(emailSignIn: try Policy("B2C_1_SignIn")) : .init())
    let connector = try scene.connector(settings)
    let result = try await connector.signIn()
    let user = result.user
    #expect(user.name == LocalUser.alice.displayName && user.hasSession && result.accessToken?.userID == user.id)
    #expect((result.policy == nil) == (shape != .b2c) && (user.policyID == nil) == (shape != .b2c))
    #expect(try await connector.session == .signedIn(user))
    await scene.expire()
    let token = try await connector.accessToken()
    #expect(token.userID == user.id && token.token != result.accessToken?.token)
    let info = try await connector.fetchUserInfo()
    #expect(info.id == user.id && info.subject == user.subject)
    // The id is enough for a sign-out.
    try await connector.signOut(UserInfo(id: user.id), endsBrowserSession: true)
    #expect(try await connector.session == .signedOut)
  }
}
