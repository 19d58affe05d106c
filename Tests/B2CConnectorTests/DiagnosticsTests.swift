import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// Single checks of a diagnosis beyond the registration.
@Suite("Single checks of a diagnosis")
struct DiagnosticsTests {
  private func finding(_ check: String, _ diagnosis: Diagnosis) throws -> Diagnosis.Finding {
    try #require(diagnosis.findings.first { $0.check == check }, "\(diagnosis)")
  }

  @Test("Keys that verify nothing are no keys")
  func keysForEncryption() async throws {
    let world = World()
    world.tenant.behavior.changeKeys = { keys in
      for index in keys.indices { keys[index]["use"] = "enc" }
    }
    let diagnosis = try await world.connector().diagnose()
    #expect(try finding("keys of B2C_1_SignIn", diagnosis).outcome == .failed)
    #expect(!diagnosis.isHealthy)
  }

  @Test(
    "A clock so far ahead that every token seems to have expired is a failure, and that no sign-in works is so",
    arguments: [(14 * 3_600, true), (16 * 3_600, false), (24 * 3_600, false), (-24 * 3_600, true)])
  func clock(_ seconds: Int, _ works: Bool) async throws {
    let world = World()
    let clock = world.clock
    let connector = try Connector(
      settings: world.settings(),
      environment: OAuthEnvironment(
        presenter: world.script(.signIn(.alice)), transport: world.network, clock: clock,
        now: { clock.date.addingTimeInterval(Double(seconds)) }))
    let diagnosis = try await connector.diagnose()
    let found = try finding("clock", diagnosis)
    #expect(found.outcome == (works ? .warning : .failed))
    #expect(found.recoverySuggestion?.contains("works nevertheless") == works)
    #expect(diagnosis.isHealthy == works)
    if works {
      try await connector.signIn()
    } else {
      await expectError(ConnectorError.self, .invalidIDToken) { try await connector.signIn() }
    }
  }

  @Test("Sessions of the same tenant written in the other way are named, with the authority that they belong to")
  func otherSpelling() async throws {
    let world = World()
    let cache = InMemoryTokenCache()
    try await world.connector(cache: cache).signIn()
    let byName = try world.settings()
    var byGUID = byName
    byGUID.authority = try Authority("\(world.tenant.origin.absoluteString)/\(world.tenant.tenantID)/")
    #expect(try finding("token cache", try await world.connector(byName, cache: cache).diagnose()).outcome == .ok)

    let found = try finding("token cache", try await world.connector(byGUID, cache: cache).diagnose())
    #expect(found.outcome == .warning)
    #expect(found.detail.contains("1 "), "\(found)")
    #expect(found.recoverySuggestion?.contains(byName.authority.cacheID) == true, "\(found)")

    try await world.connector(byGUID, cache: cache).signIn()
    let other = try finding("token cache", try await world.connector(byName, cache: cache).diagnose())
    #expect(other.outcome == .warning)
    #expect(other.recoverySuggestion?.contains(world.tenant.tenantID) == true, "\(other)")
    // Another app's records, and another tenant's of the same host, are not meant.
    var foreign = byGUID
    foreign.clientID = "7bf688ce-8139-4ca8-9391-02fdb6f86d67"
    #expect(
      try finding("token cache", try await world.connector(foreign, cache: cache).diagnose()).outcome == .ok)
  }

  @Test("Scopes of a plain issuer that name no API are no finding")
  func reservedScopes() async throws {
    let tenant = LocalTenant(shape: .openIDConnect)
    var settings = try tenant.settings(taskServer: LocalTaskServer(tenant: tenant))
    settings.scopes = ["openid", "profile", "email"]
    settings.authority = try Authority(tenant.authority(), kind: .openIDConnect)
    let file = try settings.propertyList()
    let diagnosis = try await Connector.diagnose(
      settings: try ConnectorSettings(data: file),
      environment: OAuthEnvironment(presenter: ManualPresenter(), transport: LocalNetwork(tenant)))
    #expect(try finding("settings", diagnosis).outcome == .ok)
  }
}
