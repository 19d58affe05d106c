import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// Texts that Swift takes for the same and that are not: `é` has two forms, and `K`, `;` and `` ` `` have a twin.
@Suite("Texts that only look the same", .hangLimit)
struct ConnectorTextIdentityTests {
  static let twins = [("é", "e\u{301}"), ("K", "\u{212A}"), (";", "\u{37E}"), ("`", "\u{1FEF}"), ("Å", "\u{212B}")]

  @Test("Each of two scopes has its own token", arguments: twins)
  func scopes(_ one: String, _ other: String) async throws {
    let tenant = LocalTenant(shape: .openIDConnect)
    let connector = try Connector.local(tenant)
    try await connector.signIn()
    for scope in ["api/" + one, "api/" + other] {
      let before = tenant.counters.refreshes
      let token = try await connector.accessToken(scopes: [scope])
      #expect(tenant.counters.refreshes == before + 1)
      #expect(try await connector.accessToken(scopes: [scope]).token == token.token)
      #expect(tenant.counters.refreshes == before + 1)
    }
  }

  @Test("Calls that ask for two scopes at the same time share no request", arguments: twins)
  func scopesAtOnce(_ one: String, _ other: String) async throws {
    let tenant = LocalTenant(shape: .openIDConnect)
    let connector = try Connector.local(tenant)
    try await connector.signIn()
    async let first = connector.accessToken(scopes: ["api/" + one])
    async let second = connector.accessToken(scopes: ["api/" + other])
    #expect(try await first.token != second.token)
    // Claims are no scopes, but the same holds for them.
    async let third = connector.accessToken(claims: #"{"\#(one)":null}"#)
    async let fourth = connector.accessToken(claims: #"{"\#(other)":null}"#)
    #expect(try await third.token != fourth.token)
    #expect(tenant.counters.refreshes == 4)
  }

  @Test("A sign-in that one client began cannot be finished by the other", arguments: twins)
  func clients(_ one: String, _ other: String) async throws {
    let tenant = LocalTenant(shape: .openIDConnect, clientID: "app" + one)
    func connector(_ clientID: String) throws -> Connector {
      var settings = try tenant.settings()
      settings.clientID = clientID
      let network = LocalNetwork(tenant)
      let environment = Connector.Environment(
        presenter: ScriptedPresenter(transport: network, .signIn(.alice)), cache: .memory(), transport: network)
      return try Connector(settings: settings, environment: environment)
    }
    let pending = try await connector("app" + one).beginSignIn()
    let callback = try url(LocalTenant.standardRedirectURI + "?code=1")
    await expectError(ConnectorError.self, .configuration) {
      try await connector("app" + other).finishSignIn(pending, callback: callback)
    }
    await expectError(ConnectorError.self, .invalidResponse) {
      try await connector("app" + one).finishSignIn(pending, callback: callback)
    }
  }

  @Test("Each of two policies runs itself", arguments: twins.filter { !";`".contains($0.0) })
  func policies(_ one: String, _ other: String) async throws {
    let ids = ["B2C_1_" + one, "B2C_1_" + other]
    let tenant = LocalTenant(policies: ids.map { LocalPolicy($0, .signIn) })
    let connector = try Connector.local(tenant)
    for id in ids + ids {
      let user = try await connector.doPolicy(Policy(id))
      #expect(user.policyID.map { Array($0.utf8) } == Array(id.utf8))
    }
  }

  @Test("The one user cannot sign in as the other", arguments: twins.filter { $0.0.utf8.allSatisfy { $0 < 0x80 } })
  func users(_ one: String, _ other: String) async throws {
    let tenant = LocalTenant(shape: .openIDConnect)
    tenant.behavior.changeIDTokenClaims = { $0["sub"] = .string("user" + one) }
    let connector = try Connector.local(tenant)
    let user = try await connector.signIn().user
    #expect(user.id.hasSuffix("user" + one))
    var options = SignInOptions()
    options.user = UserInfo(id: user.id.replacing("user" + one, with: "user" + other))
    await expectError(ConnectorError.self, .wrongUser) { try await connector.signIn(options: options) }
    options.user = user
    #expect(try await connector.signIn(options: options).user.id == user.id)
  }
}
