import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// External ID and Azure AD B2C on `login.contoso.com`, by settings files in the forms of Microsoft's pages.
@Suite("A custom URL domain", .hangLimit)
struct ConnectorCustomDomainTests {
  private static let host = "login.contoso.com"

  private let clock = TestClock()

  private func tenant(_ shape: LocalTenant.Shape) -> LocalTenant {
    LocalTenant(shape: shape, customDomain: Self.host, now: { [clock] in clock.date })
  }

  /// A connector with settings as a developer writes them: read from the text of a file.
  private func connector(
    _ tenant: LocalTenant, _ path: String, kind: String? = nil, policy: String? = nil,
    cache: any TokenCache = .memory()
  ) throws -> Connector {
    let optional = [("authorityKind", kind), ("emailSignInPolicyId", policy)].map { key, value in
      value.map { "<key>\(key)</key><string>\($0)</string>" } ?? ""
    }
    let file = """
      <?xml version="1.0"?><plist version="1.0"><dict>
      <key>authority</key><string>https://\(Self.host)/\(path)</string>\(optional.joined())
      <key>clientId</key><string>\(tenant.clientID)</string>
      <key>scopes</key><array><string>\(tenant.apiScopes[0])</string></array>
      <key>redirectUri</key><string>\(LocalTenant.standardRedirectURI)</string>
      </dict></plist>
      """
    let (clock, network) = (clock, LocalNetwork(tenant, clock: clock))
    return try Connector(
      settings: ConnectorSettings(data: Data(file.utf8)),
      environment: Connector.Environment(
        presenter: ScriptedPresenter(transport: network, .signIn(.alice)), cache: cache, transport: network,
        clock: clock, now: { clock.date }))
  }

  @Test(
    "External ID works as Microsoft's pages write it, without a kind",
    arguments: [
      "22222222-2222-4222-8222-222222222222", "22222222-2222-4222-8222-222222222222/v2.0", "contoso.onmicrosoft.com/",
      "contoso.onmicrosoft.com/v2.0/.well-known/openid-configuration",
    ], [true, false])
  func externalID(_ path: String, keysOnServiceHost: Bool) async throws {
    let tenant = tenant(.ciam)
    if keysOnServiceHost {
      let id = tenant.tenantID
      tenant.behavior.changeMetadata = {
        $0["jwks_uri"] = .string("https://\(id).ciamlogin.com/\(id)/discovery/v2.0/keys")
      }
    }
    let connector = try connector(tenant, path)
    #expect(connector.settings.warnings.isEmpty, "\(connector.settings.warnings)")
    let diagnosis = try await connector.diagnose()
    #expect(diagnosis.isHealthy, "\(diagnosis)")
    let user = try await connector.doPolicy(.signIn)
    #expect(user.id == "\(LocalUser.alice.id).\(tenant.tenantID)" && user.policyID == nil)
    await clock.advance(by: .seconds(4_000))
    _ = try await connector.accessToken()
    #expect(tenant.counters.refreshes == 1)
    #expect(try await connector.signOut(endsBrowserSession: true) == .returned)
    #expect(tenant.requests.count { LocalFaultTarget.logout.contains($0.request) } == 1)
    #expect(tenant.requests.allSatisfy { $0.request.url?.host == Self.host || keysOnServiceHost })
  }

  @Test(
    "A policy makes it Azure AD B2C, in the settings or in the call",
    arguments: ["22222222-2222-4222-8222-222222222222", "contoso.onmicrosoft.com"], [true, false])
  func b2c(_ path: String, isInSettings: Bool) async throws {
    let tenant = tenant(.b2c)
    let connector = try connector(tenant, path, policy: isInSettings ? "B2C_1_SignIn" : nil)
    #expect(connector.settings.warnings.isEmpty, "\(connector.settings.warnings)")
    try await connector.doPolicy(Policy("B2C_1_SignIn"))
    await clock.advance(by: .seconds(4_000))
    let users = try await connector.users()
    #expect(users.map(\.policyID) == ["B2C_1_SignIn"])
    _ = try await connector.accessToken(user: users.first)
    #expect(tenant.counters.refreshes == 1)
    try await connector.signOut()
    #expect(try await connector.users().isEmpty)
  }

  @Test("After a restart the record of a policy that only the app names is found by its user")
  func restart() async throws {
    let (tenant, stored) = (tenant(.b2c), FourMethodCache())
    let user = try await connector(tenant, "contoso.onmicrosoft.com", cache: stored).doPolicy(Policy("B2C_1_SignIn"))
    // Another cache object over the same records: nothing is known of them, as in a new process.
    let restarted = try connector(tenant, "contoso.onmicrosoft.com", cache: ForwardingCache(stored))
    _ = try await restarted.accessToken(user: UserInfo(id: user.id))
    #expect(try await restarted.user(id: user.id)?.hasSession == true)
  }

  @Test(
    "For a name, which has no GUID to compare with, the keys and the issuer of the tokens are those of the metadata")
  func otherTenant() async throws {
    let tenant = tenant(.ciam)
    let id = "00000000-0000-4000-8000-000000000001"
    tenant.behavior.changeMetadata = { $0["issuer"] = .string("https://\(id).ciamlogin.com/\(id)/v2.0") }
    await expectError(ConnectorError.self, .invalidResponse, saying: "id_token is refused") {
      try await connector(tenant, "contoso.onmicrosoft.com").signIn()
    }
  }

  @Test(
    "A kind that was guessed is named where the metadata are missing, in the error and in the diagnosis",
    arguments: [
      ("contoso", nil, "`ciam`"), ("contoso/v2", nil, "`ciam`"),
      ("22222222-2222-4222-8222-222222222222", nil, "`openIDConnect`"),
      ("contoso", "openIDConnect", nil), ("contoso.onmicrosoft.com", "ciam", nil),
    ] as [(String, String?, String?)])
  func guessed(_ path: String, _ kind: String?, _ other: String?) async throws {
    let tenant = tenant(.ciam)
    tenant.faults = [LocalFault(on: .metadata, .respond(LocalResponse(status: 404)))]
    let connector = try connector(tenant, path, kind: kind)
    let error = try await #require(throws: ConnectorError.self) { try await connector.signIn() }
    #expect(error.code == .configuration && error.status == 404, "\(error)")
    for text in [error.description, try await connector.diagnose().description] {
      #expect(text.contains("authorityKind") == (other != nil) && text.contains(other ?? "Check the authority"))
    }
  }
}
