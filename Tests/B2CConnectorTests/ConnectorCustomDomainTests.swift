import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// External ID and Azure AD B2C on `login.contoso.com`, by settings files in the forms of Microsoft's pages.
@Suite("A custom URL domain", .hangLimit)
struct ConnectorCustomDomainTests {
  private static let host = "login.contoso.com"
  private static let otherID = "00000000-0000-4000-8000-000000000001"

  private let clock = TestClock()

  private func tenant(_ shape: LocalTenant.Shape) -> LocalTenant {
    let clock = clock
    return LocalTenant(shape: shape, customDomain: Self.host, now: { clock.date })
  }

  /// Settings as a developer writes them: read from the text of a file.
  private func settings(
    _ tenant: LocalTenant, _ path: String, kind: String? = nil, policy: String? = nil
  ) throws -> ConnectorSettings {
    let optional = [("authorityKind", kind), ("emailSignInPolicyId", policy)].map { key, value in
      value.map { "<key>\(key)</key><string>\($0)</string>" } ?? ""
    }
    return try ConnectorSettings(
      data: Data(
        """
        <?xml version="1.0"?><plist version="1.0"><dict>
        <key>authority</key><string>https://\(Self.host)/\(path)</string>\(optional.joined())
        <key>clientId</key><string>\(tenant.clientID)</string>
        <key>scopes</key><array><string>\(tenant.apiScopes[0])</string></array>
        <key>redirectUri</key><string>\(LocalTenant.standardRedirectURI)</string>
        </dict></plist>
        """.utf8))
  }

  private func connector(
    _ tenant: LocalTenant, _ settings: ConnectorSettings, _ presenter: (any SignInPresenter)? = nil,
    cache: any TokenCache = .memory(), transport: (any HTTPTransport)? = nil
  ) throws -> Connector {
    let (clock, network) = (clock, LocalNetwork(tenant, clock: clock))
    return try Connector(
      settings: settings,
      environment: Connector.Environment(
        presenter: presenter ?? ScriptedPresenter(transport: network, .signIn(.alice)), cache: cache,
        transport: transport ?? network, clock: clock, now: { clock.date }))
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
    let settings = try settings(tenant, path)
    #expect(settings.warnings.isEmpty, "\(settings.warnings)")
    let connector = try connector(tenant, settings)
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
    let settings = try settings(tenant, path, policy: isInSettings ? "B2C_1_SignIn" : nil)
    #expect(settings.warnings.isEmpty, "\(settings.warnings)")
    let connector = try connector(tenant, settings)
    let user = try await connector.doPolicy(Policy("B2C_1_SignIn"))
    #expect(user.policyID == "B2C_1_SignIn")
    await clock.advance(by: .seconds(4_000))
    let person = try #require(try await connector.users().first as UserInfo?)
    _ = try await connector.accessToken(user: person)
    #expect(tenant.counters.refreshes == 1)
    try await connector.signOut()
    #expect(try await connector.users().isEmpty)
  }

  @Test("After a restart the record of a policy that only the app names is found by its user")
  func restart() async throws {
    let tenant = tenant(.b2c)
    let settings = try settings(tenant, "contoso.onmicrosoft.com")
    let stored = FourMethodCache()
    let user = try await connector(tenant, settings, cache: stored).doPolicy(Policy("B2C_1_SignIn"))
    // Another cache object over the same records: nothing is known of them, as in a new process.
    let restarted = try connector(tenant, settings, cache: ForwardingCache(stored))
    _ = try await restarted.accessToken(user: UserInfo(id: user.id))
    #expect(try await restarted.user(id: user.id)?.hasSession == true)
  }

  @Test(
    "A kind that the metadata contradicts is refused with the issuer that was found",
    arguments: [("22222222-2222-4222-8222-222222222222/v2.0", "openIDConnect"), ("contoso/v2.0", nil)])
  func contradicted(_ path: String, _ kind: String?) async throws {
    let tenant = tenant(.ciam)
    let network = LocalNetwork(tenant)
    let presenter = ScriptedPresenter(transport: network, .signIn(.alice))
    // The service ignores `p`, and knows further names of the tenant.
    let transport = GatedTransport(network)
    transport.intercept { request in
      let end = request.path.hasSuffix("keys") ? "discovery/v2.0/keys" : "v2.0/.well-known/openid-configuration"
      return try await network.answer(
        to: URLRequest(url: url("https://\(Self.host)/\(tenant.tenantID)/\(end)")))
    }
    let connector = try connector(tenant, settings(tenant, path, kind: kind), presenter, transport: transport)
    let error = try await #require(throws: ConnectorError.self) { try await connector.signIn() }
    #expect(error.code == .invalidResponse && error.message.contains("issuer"))
    #expect(error.message.contains("https://\(tenant.tenantID).ciamlogin.com/\(tenant.tenantID)/v2.0"), "\(error)")
    #expect(presenter.requests.isEmpty)
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
    let connector = try connector(tenant, settings(tenant, path, kind: kind))
    let error = try await #require(throws: ConnectorError.self) { try await connector.signIn() }
    #expect(error.code == .configuration && error.status == 404, "\(error)")
    let diagnosis = try await connector.diagnose().description
    for text in [error.description, diagnosis] {
      #expect(
        text.contains("authorityKind") == (other != nil) && text.contains(other ?? "Check the authority"), "\(text)")
    }
  }

  @Test("Metadata of another tenant is refused before a page opens")
  func otherTenant() async throws {
    let tenant = tenant(.ciam)
    let other = Self.otherID
    tenant.behavior.changeMetadata = { $0["issuer"] = .string("https://\(other).ciamlogin.com/\(other)/v2.0") }
    let presenter = ScriptedPresenter(transport: LocalNetwork(tenant), .signIn(.alice))
    let byID = try connector(tenant, settings(tenant, tenant.tenantID), presenter)
    let error = try await #require(throws: ConnectorError.self) { try await byID.signIn() }
    #expect(error.code == .invalidResponse && error.message.contains("issuer") && error.message.contains(other))
    #expect(presenter.requests.isEmpty)
    // A name has no GUID to compare with: the keys and the issuer of the tokens are then those of the metadata.
    let byName = try connector(tenant, settings(tenant, "contoso.onmicrosoft.com"))
    await expectError(ConnectorError.self, .invalidResponse, saying: "id_token is refused") {
      try await byName.signIn()
    }
  }
}
