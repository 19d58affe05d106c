import B2CConnector
import B2CTestKit
import Foundation
import Testing

@Suite("Diagnosis")
struct DiagnosisTests {
  private func outcomes(_ diagnosis: Diagnosis) -> [String: Diagnosis.Finding.Outcome] {
    Dictionary(diagnosis.findings.map { ($0.check, $0.outcome) }) { first, _ in first }
  }

  @Test("A healthy world has nothing to mend, in the order a person would look")
  func healthy() async throws {
    let diagnosis = try await World().connector().diagnose()
    #expect(diagnosis.isHealthy)
    #expect(
      diagnosis.findings.map(\.check) == [
        "settings", "authority", "redirect URI", "metadata of B2C_1_SignUp", "keys of B2C_1_SignUp",
        "metadata of B2C_1_SignIn", "keys of B2C_1_SignIn", "clock", "token cache", "task API",
      ])
    #expect(diagnosis.findings.allSatisfy { $0.outcome == .ok && $0.mend == nil })
  }

  @Test("Problems of the settings come alone, each with its mend")
  func settings() async throws {
    let file = Data(
      """
      <?xml version="1.0"?><plist version="1.0"><dict>
      <key>authority</key><string>http://contoso.b2clogin.com/contoso.onmicrosoft.com</string>
      <key>clientId</key><string>nonsense</string>
      </dict></plist>
      """.utf8)
    let diagnosis = try await Connector.diagnose(
      settings: try Settings(data: file), presenter: World().script(.signIn(.alice)), cache: InMemoryTokenCache())
    #expect(!diagnosis.isHealthy)
    #expect(diagnosis.findings.contains { $0.check.hasPrefix("settings: authority") && $0.mend != nil })
    #expect(diagnosis.findings.contains { $0.check.hasPrefix("settings: clientId") })
    #expect(diagnosis.findings.count >= 4)
  }

  @Test("The retired authority is named as such, with the one to write")
  func retired() async throws {
    let settings = try Settings(
      authority: Authority("https://login.microsoftonline.com/contoso.onmicrosoft.com/"),
      clientID: LocalTenant.standardClientID, scopes: [LocalTenant.standardClientID],
      redirectURI: url(LocalTenant.standardRedirectURI), policies: .init(emailSignIn: Policy("B2C_1_SignIn")))
    let diagnosis = try await Connector.diagnose(
      settings: settings, presenter: World().script(.signIn(.alice)), cache: InMemoryTokenCache())
    #expect(diagnosis.findings.map(\.check) == ["authority"])
    #expect(diagnosis.findings[0].mend?.contains("https://contoso.b2clogin.com/contoso.onmicrosoft.com/") == true)
  }

  @Test("A wrong policy, a silent network, a wrong clock, a broken cache and a wrong API are each named")
  func each() async throws {
    let world = World()
    world.tenant.faults = [LocalFault(on: .keys, .respond(TransportResponse(status: 404)))]
    #expect(outcomes(try await world.connector().diagnose())["keys of B2C_1_SignIn"] == .failed)

    world.tenant.faults = [LocalFault(on: .metadata, .respond(TransportResponse(status: 404)))]
    let noMetadata = outcomes(try await world.connector().diagnose())
    #expect(noMetadata["metadata of B2C_1_SignIn"] == .failed)
    #expect(noMetadata["keys of B2C_1_SignIn"] == .skipped)

    world.tenant.faults = []
    world.tasks.faults = [LocalFault(on: .any, .respond(TransportResponse(status: 404)))]
    #expect(outcomes(try await world.connector().diagnose())["task API"] == .failed)
    world.tasks.faults = [LocalFault(on: .any, .respond(TransportResponse(status: 200)))]
    #expect(outcomes(try await world.connector().diagnose())["task API"] == .warning)

    #expect(outcomes(try await world.connector(cache: LosingCache()).diagnose())["token cache"] == .failed)

    let clock = world.clock
    let slow = try Connector(
      settings: world.settings(), presenter: world.script(.signIn(.alice)), cache: InMemoryTokenCache(),
      transport: world.network, clock: clock, now: { clock.date.addingTimeInterval(-4_000) })
    #expect(outcomes(try await slow.diagnose())["clock"] == .warning)
  }

  @Test("It can be pasted as Markdown, a row for each finding")
  func markdown() {
    let diagnosis = Diagnosis([
      .init("a|b", .failed, "first\nsecond", mend: "Mend it."), .init("c", .ok, "fine"),
    ])
    #expect(
      diagnosis.markdown == """
        | check | result | found | what to do |
        |---|---|---|---|
        | a\\|b | failed | first<br>second | Mend it. |
        | c | ok | fine |  |
        """)
    #expect(diagnosis.description == "[failed] a|b: first\nsecond\n    Mend it.\n[ok] c: fine")
  }
}

/// A cache that keeps nothing.
private struct LosingCache: TokenCache {
  func record(for key: TokenCacheKey) async throws -> TokenRecord? { nil }
  func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {}
  func removeRecord(for key: TokenCacheKey) async throws {}
  func keys() async throws -> [TokenCacheKey] { [] }
}
