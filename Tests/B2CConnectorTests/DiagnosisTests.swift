import B2CConnector
import B2CLoopback
import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite("Diagnosis", .timeLimit(.minutes(10)))
struct DiagnosisTests {
  static let shapes: [LocalTenant.Shape] = [.b2c, .entra, .ciam, .openIDConnect]

  @Test("A healthy world has nothing to fix, in the order of fixing")
  func healthy() async throws {
    let diagnosis = try await World().connector().diagnose()
    #expect(diagnosis.isHealthy)
    #expect(
      diagnosis.findings.map(\.check) == [
        "settings", "authority", "metadata of B2C_1_SignUp", "keys of B2C_1_SignUp", "metadata of B2C_1_SignIn",
        "keys of B2C_1_SignIn", "clock", "client ID", "redirect URI", "presenter", "token cache", "task API",
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
      environment: OAuthEnvironment(presenter: World().script(.signIn(.alice))))
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
      settings: settings, environment: OAuthEnvironment(presenter: World().script(.signIn(.alice))))
    let authority = try #require(diagnosis.findings.first { $0.check == "authority" })
    #expect(authority.outcome == .failed)
    #expect(
      "\(authority.detail) \(authority.recoverySuggestion ?? "")".contains(
        "https://contoso.b2clogin.com/contoso.onmicrosoft.com/"))
    #expect(diagnosis.outcomes["metadata"] == .skipped)
    #expect(diagnosis.outcomes["redirect URI"] == .skipped)
    #expect(diagnosis.outcomes["presenter"] == .ok)
    #expect(diagnosis.outcomes["token cache"] == .ok)
  }

  @Test("Wrong documents, a broken cache and a wrong API are each named")
  func each() async throws {
    let world = World()
    world.tenant.faults = [LocalFault(on: .keys, .respond(TransportResponse(status: 404)))]
    #expect(try await world.connector().diagnose().outcomes["keys of B2C_1_SignIn"] == .failed)

    world.tenant.faults = [LocalFault(on: .metadata, .respond(TransportResponse(status: 404)))]
    let noMetadata = try await world.connector().diagnose().outcomes
    #expect(noMetadata["metadata of B2C_1_SignIn"] == .failed)
    #expect(noMetadata["keys of B2C_1_SignIn"] == .skipped)

    world.tenant.faults = []
    world.tasks.faults = [LocalFault(on: .any, .respond(TransportResponse(status: 404)))]
    #expect(try await world.connector().diagnose().outcomes["task API"] == .failed)
    world.tasks.faults = [LocalFault(on: .any, .respond(TransportResponse(status: 200)))]
    #expect(try await world.connector().diagnose().outcomes["task API"] == .warning)

    #expect(try await world.connector(cache: BrokenCache()).diagnose().outcomes["token cache"] == .failed)
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

  @Test("A wrong clock is named with its direction", arguments: [(-4_000.0, "behind"), (4_000, "ahead of")])
  func clock(offset: Double, word: String) async throws {
    let world = World()
    let clock = world.clock
    let wrong = try Connector(
      settings: world.settings(),
      environment: OAuthEnvironment(
        presenter: world.script(.signIn(.alice)), transport: world.network, clock: clock,
        now: { clock.date.addingTimeInterval(offset) }))
    let finding = try #require(try await wrong.diagnose().findings.first { $0.check == "clock" })
    #expect(finding.outcome == .warning)
    #expect(finding.detail == "this device is 4000 s \(word) the server")
  }

  @Test("A diagnosis leaves a file cache as it is, with its damaged records and stray files")
  func leavesFiles() async throws {
    let directory = URL(filePath: NSTemporaryDirectory()).appending(path: "b2c-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    let world = World()
    let connector = try world.connector(cache: FileTokenCache(directory: directory))
    try await connector.doPolicy(.signIn)
    func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() }
    let record = try #require(try names().first { $0.hasSuffix(".json") })
    try Data("damaged".utf8).write(to: directory.appending(path: record))
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o600], ofItemAtPath: directory.appending(path: record).path)
    let before = try names()
    let diagnosis = try await connector.diagnose()
    #expect(diagnosis.outcomes["token cache"] == .failed)
    #expect(try names() == before)
    #expect(try Data(contentsOf: directory.appending(path: record)) == Data("damaged".utf8))
  }

  @Test("A diagnosis signs no one in and writes nothing into the cache")
  func writesNothing() async throws {
    let world = World()
    let cache = WatchedCache()
    let diagnosis = try await world.connector(cache: cache).diagnose()
    #expect(diagnosis.outcomes["token cache"] == .ok)
    #expect(await cache.writes == 0)
    #expect(world.tenant.counters.codesIssued == 0)
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
      settings: try ConnectorSettings(data: file), environment: OAuthEnvironment(presenter: ManualPresenter()))
    let lines = diagnosis.findings.map { "\($0.outcome.rawValue) \($0.check)" }
    #expect(
      lines == [
        "failed settings: clientId (line 2)", "failed settings: taskWebAPI (line 6)",
        "warning settings: authority (line 1)", "warning settings: redirectUri (line 5)",
        "skipped all other checks",
      ])
    #expect(diagnosis.description.contains("Write https://contoso.b2clogin.com/contoso.onmicrosoft.com/"))
    #expect(diagnosis.description.contains("Write the https URL of the list of tasks"))
    #expect(!diagnosis.description.contains("an-api-key"))
  }

  #if os(Linux)
    @Test(
      "A system that does not tell whose a connection is fails a presenter with a local page", arguments: [true, false])
    func unknownUsers(isLoopback: Bool) async throws {
      let world = World()
      let base = try world.settings()
      let settings = ConnectorSettings(
        authority: base.authority, clientID: base.clientID, scopes: base.scopes,
        redirectURI: isLoopback ? try url("http://localhost:8400/callback") : base.redirectURI, policies: base.policies)
      func finding(_ users: PeerUsers) async throws -> Diagnosis.Finding {
        let presenter: any SignInPresenter =
          isLoopback
          ? LoopbackPresenter(opening: .printing { _ in }, users: users)
          : ExternalBrowserPresenter(opening: .printing { _ in }, users: users)
        let diagnosis = try await Connector.diagnose(
          settings: settings, environment: OAuthEnvironment(presenter: presenter, transport: world.network))
        return try #require(diagnosis.findings.first { $0.check == "presenter" })
      }
      #expect(try await finding(.system).outcome == .ok)
      let failed = try await finding(PeerUsers(sources: []))
      #expect(failed.outcome == .failed)
      #expect(failed.detail == "This system does not tell whose a connection is.")
      #expect(failed.recoverySuggestion == "Use ManualPresenter or a device code.")
    }
  #endif

  @Test("A presenter that cannot serve the redirect URI keeps nothing else from being checked")
  func mismatch() async throws {
    let world = World()
    let clock = world.clock
    let diagnosis = try await Connector.diagnose(
      settings: world.settings(),
      environment: OAuthEnvironment(
        presenter: LoopbackPresenter(opening: .printing { _ in }), transport: world.network, now: { clock.date }))
    #expect(diagnosis.findings.filter { $0.outcome != .ok }.map(\.check) == ["presenter"])
    let redirect = try #require(diagnosis.findings.first { $0.check == "presenter" })
    #expect(redirect.outcome == .failed)
    #expect(redirect.detail.contains("WebAuthenticationPresenter serves it"))
    #expect(diagnosis.outcomes["task API"] == .ok)
  }

  @Test("A file that others can read and a directory they can write to are found")
  func permissions() async throws {
    let world = World()
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("diagnosis-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let connector = try world.connector(cache: try FileTokenCache(directory: folder))
    _ = try await connector.doPolicy(.signIn)
    func cacheFinding() async throws -> Diagnosis.Finding {
      try #require(try await connector.diagnose().findings.first { $0.check == "token cache" })
    }
    func setMode(_ mode: Int, _ path: String) throws {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }
    let healthy = try await cacheFinding()
    #expect(healthy.outcome == .ok)
    #expect(healthy.detail.contains("readable records of this app: 1;"))
    #expect(healthy.detail.contains("no other user can read or write"))

    try setMode(0o777, folder.path)
    let open = try await cacheFinding()
    #expect(open.outcome == .failed)
    #expect(open.recoverySuggestion?.contains("chmod 700") == true)
    try setMode(0o700, folder.path)

    let names = try #require(FileManager.default.enumerator(atPath: folder.path)).compactMap { $0 as? String }
    let record = try #require(names.first { $0.hasSuffix(".json") })
    try setMode(0o644, folder.path + "/" + record)
    let readable = try await cacheFinding()
    #expect(readable.outcome == .failed)
    #expect(readable.recoverySuggestion?.contains("chmod 600") == true, "\(readable)")
    try setMode(0o600, folder.path + "/" + record)
    #expect(try await cacheFinding().outcome == .ok)
  }

  @Test("A transport or a cache of the app's own that fails is a finding, whose text is not repeated")
  func strangers() async throws {
    let world = World()
    let clock = world.clock
    let diagnosis = try await Connector.diagnose(
      settings: world.settings(),
      environment: OAuthEnvironment(
        presenter: world.script(.signIn(.alice)), transport: FailingTransport(), now: { clock.date }))
    #expect(diagnosis.outcomes["metadata of B2C_1_SignIn"] == .failed)
    #expect(diagnosis.outcomes["clock"] == .skipped)
    #expect(diagnosis.outcomes["task API"] == .failed)
    #expect(!diagnosis.description.contains("canary"))
  }

  @Test("What answers with a redirect or an error of the server is not the task API")
  func otherAnswers() async throws {
    let world = World()
    for (status, outcome) in [(302, Diagnosis.Finding.Outcome.failed), (503, .failed), (403, .warning)] {
      world.tasks.faults = [LocalFault(on: .any, .respond(TransportResponse(status: status)))]
      let finding = try await world.connector().diagnose().findings.last
      #expect(finding?.outcome == outcome)
      #expect(finding?.recoverySuggestion?.isEmpty == false)
    }
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

/// A cache that cannot be listed.
private struct BrokenCache: TokenCache {
  func record(for key: TokenCacheKey) async throws -> TokenRecord? { nil }
  func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {}
  func removeRecord(for key: TokenCacheKey) async throws {}
  func keys() async throws -> [TokenCacheKey] { throw CocoaError(.fileReadUnknown) }
}

/// A cache that counts what is written to it.
private actor WatchedCache: TokenCache {
  private(set) var writes = 0

  func record(for key: TokenCacheKey) async throws -> TokenRecord? { nil }
  func store(_ record: TokenRecord, for key: TokenCacheKey) async throws { writes += 1 }
  func removeRecord(for key: TokenCacheKey) async throws { writes += 1 }
  func keys() async throws -> [TokenCacheKey] { [] }
}

/// A transport of an app's own that fails with an error no one knows.
private struct FailingTransport: HTTPTransport {
  struct Failure: Error, CustomStringConvertible {
    var description: String { "canary" }
  }

  func send(_ request: TransportRequest) async throws -> TransportResponse { throw Failure() }
}
