import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Diagnosis", .timeLimit(.minutes(10)))
struct DiagnosisTests {
  static let shapes: [LocalTenant.Shape] = [.b2c, .entra, .ciam, .openIDConnect]

  @Test("A healthy world has nothing to fix, in the order of fixing")
  func healthy() async throws {
    let diagnosis = try await World().connector().diagnose()
    #expect(diagnosis.isHealthy)
    #expect(
      diagnosis.findings.map(\.check) == [
        "settings", "metadata of B2C_1_SignUp", "keys of B2C_1_SignUp", "metadata of B2C_1_SignIn",
        "keys of B2C_1_SignIn", "presenter",
      ])
    #expect(diagnosis.findings.allSatisfy { $0.outcome == .ok && $0.recoverySuggestion == nil }, "\(diagnosis)")
  }

  @Test("Problems of the settings come alone, each with its fix")
  func settings() async throws {
    let file = Data(
      """
      <?xml version="1.0"?><plist version="1.0"><dict>
      <key>authority</key><string>http://contoso.b2clogin.com/contoso.onmicrosoft.com</string>
      <key>clientId</key><string>nonsense</string>
      </dict></plist>
      """.utf8)
    let diagnosis = try await Connector.diagnose(
      settings: try ConnectorSettings(data: file),
      environment: Connector.Environment(presenter: World().script(.signIn(.alice))))
    #expect(!diagnosis.isHealthy)
    #expect(diagnosis.findings.contains { $0.check.hasPrefix("settings: authority") && $0.recoverySuggestion != nil })
    #expect(diagnosis.findings.contains { $0.check.hasPrefix("settings: clientId") })
    #expect(diagnosis.findings.count >= 4)
  }

  @Test("The retired authority is named as such, with the one to write")
  func retired() async throws {
    let settings = try ConnectorSettings(
      authority: Authority("https://login.microsoftonline.com/contoso.onmicrosoft.com/"),
      clientID: LocalTenant.standardClientID, scopes: [LocalTenant.standardClientID],
      redirectURI: url(LocalTenant.standardRedirectURI), policies: .init(emailSignIn: Policy("B2C_1_SignIn")))
    let diagnosis = try await Connector.diagnose(
      settings: settings, environment: Connector.Environment(presenter: World().script(.signIn(.alice))))
    let authority = try #require(diagnosis.findings.first { $0.check == "authority" })
    #expect(authority.outcome == .failed)
    #expect(
      "\(authority.detail) \(authority.recoverySuggestion ?? "")".contains(
        "https://contoso.b2clogin.com/contoso.onmicrosoft.com/"))
    #expect(diagnosis.outcomes["metadata and keys"] == .skipped)
    #expect(diagnosis.outcomes["presenter"] == .ok)
  }

  @Test("Wrong documents are each named")
  func each() async throws {
    let world = World()
    world.tenant.faults = [LocalFault(on: .keys, .respond(LocalResponse(status: 404)))]
    #expect(try await world.connector().diagnose().outcomes["keys of B2C_1_SignIn"] == .failed)

    world.tenant.faults = [LocalFault(on: .metadata, .respond(LocalResponse(status: 404)))]
    let noMetadata = try await world.connector().diagnose().outcomes
    #expect(noMetadata["metadata of B2C_1_SignIn"] == .failed)
    #expect(noMetadata["keys of B2C_1_SignIn"] == .skipped)
  }

  @Test("Keys that cannot be used: only Azure AD B2C has policies to check", arguments: shapes)
  func unusableKeys(shape: LocalTenant.Shape) async throws {
    let tenant = LocalTenant(shape: shape)
    tenant.behavior.changeKeys = { $0 = [] }
    let diagnosis = try await Connector.local(tenant).diagnose()
    let keys = try #require(diagnosis.findings.first { $0.check.hasPrefix("keys") })
    #expect(keys.outcome == .failed && keys.recoverySuggestion != nil)
    #expect("\(diagnosis)".contains("olic") == (shape == .b2c), "\(diagnosis)")
  }

  @Test("A diagnosis signs no one in and does not touch the cache")
  func writesNothing() async throws {
    let world = World()
    let cache = WatchedCache()
    let diagnosis = try await world.connector(cache: cache).diagnose()
    #expect(diagnosis.isHealthy)
    #expect(await cache.calls == 0)
    #expect(!world.tenant.requests.contains { $0.response?.headers["Location"]?.contains("code=") == true })
  }

  @Test("Warnings of the settings stand beside their problems, and what could not be checked is said")
  func warnings() async throws {
    let file = Data(
      """
      <plist><dict><key>authority</key><string>https://login.microsoftonline.com/contoso.onmicrosoft.com/</string>
      <key>clientId</key><string>nonsense</string>
      <key>scopes</key><array><string>https://contoso.onmicrosoft.com/tasks/read</string></array>
      <key>emailSignInPolicyId</key><string>B2C_1_SignIn</string>
      <key>redirectUri</key><string>urn:ietf:wg:oauth:2.0:oob</string>
      <key>taskWebAPI</key><string>http://api.contoso.com/tasks?code=an-api-key</string></dict></plist>
      """.utf8)
    let diagnosis = try await Connector.diagnose(
      settings: try ConnectorSettings(data: file), environment: Connector.Environment(presenter: ManualPresenter()))
    let lines = diagnosis.findings.map { "\($0.outcome.rawValue) \($0.check)" }
    #expect(
      lines == [
        "failed settings: clientId", "failed settings: taskWebAPI", "warning settings: redirectUri",
        "warning settings: authority",
        "skipped all other checks",
      ])
    #expect(diagnosis.description.contains("Write https://contoso.b2clogin.com/contoso.onmicrosoft.com/"))
    #expect(diagnosis.description.contains("Write the https URL of the list of tasks"))
    #expect(!diagnosis.description.contains("an-api-key"))
  }

  @Test("A presenter that cannot serve the redirect URI keeps nothing else from being checked")
  func mismatch() async throws {
    let world = World()
    let clock = world.clock
    let diagnosis = try await Connector.diagnose(
      settings: world.settings(),
      environment: Connector.Environment(
        presenter: LoopbackPresenter(opening: .printing { _ in }), transport: world.network, now: { clock.date }))
    #expect(diagnosis.findings.filter { $0.outcome != .ok }.map(\.check) == ["presenter"])
    let redirect = try #require(diagnosis.findings.first { $0.check == "presenter" })
    #expect(redirect.outcome == .failed)
    #expect(redirect.detail.contains("WebAuthenticationPresenter serves it"))
  }

  @Test("A transport or a cache of the app's own that fails is a finding, whose text is not repeated")
  func strangers() async throws {
    let world = World()
    let clock = world.clock
    let diagnosis = try await Connector.diagnose(
      settings: world.settings(),
      environment: Connector.Environment(
        presenter: world.script(.signIn(.alice)), transport: FailingTransport(), now: { clock.date }))
    #expect(diagnosis.outcomes["metadata of B2C_1_SignIn"] == .failed)
    #expect(!diagnosis.description.contains("canary"))
  }

  @Test("Keys that verify nothing are no keys")
  func keysForEncryption() async throws {
    let world = World()
    world.tenant.behavior.changeKeys = { keys in
      for index in keys.indices { keys[index]["use"] = "enc" }
    }
    let diagnosis = try await world.connector().diagnose()
    #expect(diagnosis.outcomes["keys of B2C_1_SignIn"] == .failed && !diagnosis.isHealthy)
  }

  @Test("A cancelled diagnosis has no findings")
  func cancelled() async throws {
    let world = World()
    let gate = TestGate()
    world.tenant.faults = [LocalFault(on: .metadata, .wait(gate))]
    let connector = try world.connector()
    let call = Task { try await connector.diagnose() }
    await gate.waitForArrivals(1)
    call.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
  }

  @Test("It is printed with a line for each finding")
  func words() {
    let diagnosis = Diagnosis([
      .init("a|b", .failed, "first\nsecond", recovery: "Use <tenant> & go."), .init("c", .ok, "fine"),
    ])
    #expect(diagnosis.description == "[failed] a|b: first\nsecond\n    Use <tenant> & go.\n[ok] c: fine")
  }
}

extension Diagnosis {
  /// What came out of each check, by its name.
  var outcomes: [String: Finding.Outcome] {
    Dictionary(findings.map { ($0.check, $0.outcome) }) { first, _ in first }
  }
}

/// A cache that counts its calls.
private actor WatchedCache: TokenCache {
  private(set) var calls = 0

  func record(for key: TokenCacheKey) async throws -> TokenRecord? {
    calls += 1
    return nil
  }
  func store(_ record: TokenRecord, for key: TokenCacheKey) async throws { calls += 1 }
  func removeRecord(for key: TokenCacheKey) async throws { calls += 1 }
  func keys() async throws -> [TokenCacheKey] {
    calls += 1
    return []
  }
}

/// A transport of an app's own that fails with an error no one knows.
private struct FailingTransport: HTTPTransport {
  struct Failure: Error, CustomStringConvertible {
    var description: String { "canary" }
  }

  func send(_ request: URLRequest, limits: TransportLimits) async throws -> (Data, HTTPURLResponse) { throw Failure() }
}
