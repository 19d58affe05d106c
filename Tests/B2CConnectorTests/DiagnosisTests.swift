import B2CConnector
import B2CLoopback
import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite("Diagnosis", .timeLimit(.minutes(10)))
struct DiagnosisTests {
  static let shapes: [LocalTenant.Shape] = [.b2c, .entra, .ciam, .openIDConnect]

  private func outcomes(_ diagnosis: Diagnosis) -> [String: Diagnosis.Finding.Outcome] {
    Dictionary(diagnosis.findings.map { ($0.check, $0.outcome) }) { first, _ in first }
  }

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
    #expect(outcomes(diagnosis)["metadata"] == .skipped)
    #expect(outcomes(diagnosis)["redirect URI"] == .skipped)
    #expect(outcomes(diagnosis)["presenter"] == .ok)
    #expect(outcomes(diagnosis)["token cache"] == .ok)
  }

  @Test("Wrong documents, a broken cache and a wrong API are each named")
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

    #expect(outcomes(try await world.connector(cache: BrokenCache()).diagnose())["token cache"] == .failed)
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

  @Test("An unknown client ID is found without a browser", arguments: shapes)
  func unknownClient(shape: LocalTenant.Shape) async throws {
    let diagnosis = try await registration(shape) { $0.clientID = "7bf688ce-8139-4ca8-9391-02fdb6f86d67" }
    let client = try #require(diagnosis.findings.first { $0.check == "client ID" })
    #expect(client.outcome == .failed)
    #expect(client.detail.hasPrefix("7bf688ce-8139-4ca8-9391-02fdb6f86d67 is unknown here"))
    #expect(client.recoverySuggestion?.contains("the portal") == (shape != .openIDConnect))
    #expect(outcomes(diagnosis)["redirect URI"] == .skipped)
    #expect(!diagnosis.isHealthy)
  }

  @Test("An unregistered redirect URI is found without a browser", arguments: shapes)
  func unknownRedirectURI(shape: LocalTenant.Shape) async throws {
    let diagnosis = try await registration(shape) { $0.redirectURI = try url("com.contoso.tasks:/other") }
    let redirect = try #require(diagnosis.findings.first { $0.check == "redirect URI" })
    #expect(redirect.outcome == .failed)
    #expect(redirect.detail.hasPrefix("com.contoso.tasks:/other is not registered"))
    #expect(redirect.recoverySuggestion?.isEmpty == false)
    #expect(outcomes(diagnosis)["client ID"] == .ok)
  }

  @Test("A right registration is confirmed at every kind of provider", arguments: shapes)
  func registered(shape: LocalTenant.Shape) async throws {
    let diagnosis = try await registration(shape) { _ in }
    #expect(outcomes(diagnosis)["client ID"] == .ok, "\(diagnosis)")
    #expect(outcomes(diagnosis)["redirect URI"] == .ok, "\(diagnosis)")
    #expect(outcomes(diagnosis)["sign-in request"] == nil)
    if shape == .openIDConnect {
      for word in ["policy", "policies", "portal", "B2C"] { #expect(!"\(diagnosis)".contains(word), "\(diagnosis)") }
    }
  }

  @Test("A request that the provider refuses for its scopes confirms the registration, and is a finding")
  func refusedScopes() async throws {
    let diagnosis = try await registration(.b2c) { $0.scopes = ["https://contoso.onmicrosoft.com/nothing/read"] }
    #expect(outcomes(diagnosis)["client ID"] == .ok)
    #expect(outcomes(diagnosis)["redirect URI"] == .ok)
    let request = try #require(diagnosis.findings.first { $0.check == "sign-in request" })
    #expect(request.outcome == .failed)
    #expect(request.detail.hasSuffix("[AADB2C90117]"))
  }

  @Test("A provider that shows its sign-in page and an odd token answer leaves the registration unchecked")
  func inconclusive() async throws {
    let world = World()
    world.tenant.faults = [
      LocalFault(on: .authorize, .respond(TransportResponse(status: 200, body: Data("redirect_uri client".utf8)))),
      LocalFault(on: .token, .respond(TransportResponse(status: 500, body: Data("<html>".utf8)))),
    ]
    let diagnosis = try await world.connector().diagnose()
    for check in ["client ID", "redirect URI"] {
      let finding = try #require(diagnosis.findings.first { $0.check == check })
      #expect(finding.outcome == .skipped)
      #expect(finding.detail.hasPrefix("not checked"))
      #expect(finding.recoverySuggestion?.contains("the portal") == true)
    }
    #expect(diagnosis.isHealthy)
  }

  static let pages: [(String, client: Diagnosis.Finding.Outcome, redirect: Diagnosis.Finding.Outcome)] = [
    ("Unknown client.", .failed, .skipped), ("Invalid parameter: redirect_uri", .ok, .failed),
    // What names both does not tell which of them is wrong.
    ("The client_id or the redirect_uri is invalid.", .skipped, .skipped),
    ("invalid_client: the redirect URI is not registered for the client", .skipped, .skipped),
    ("Not found: /authorize?client_id=a&redirect_uri=b", .skipped, .skipped), ("Sorry.", .skipped, .skipped),
  ]

  @Test("An error page of a generic issuer counts only where it names one of the two", arguments: pages.indices)
  func errorPages(_ index: Int) async throws {
    let page = Self.pages[index]
    let diagnosis = try await registration(.openIDConnect) { _ in
    } tenant: { tenant in
      tenant.faults = [
        LocalFault(on: .authorize, .respond(TransportResponse(status: 400, body: Data(page.0.utf8)))),
        LocalFault(on: .token, .respond(TransportResponse(status: 500))),
      ]
    }
    #expect(outcomes(diagnosis)["client ID"] == page.client, "\(diagnosis)")
    #expect(outcomes(diagnosis)["redirect URI"] == page.redirect, "\(diagnosis)")
  }

  @Test("A client that the page knows and the token endpoint refuses is a confidential one")
  func confidentialClient() async throws {
    let diagnosis = try await registration(.openIDConnect) { _ in
    } tenant: { tenant in
      let body = Data(#"{"error":"invalid_client"}"#.utf8)
      tenant.faults = [LocalFault(on: .token, .respond(TransportResponse(status: 401, body: body)))]
    }
    let finding = try #require(diagnosis.findings.first { $0.check == "client ID" })
    #expect(finding.outcome == .failed)
    #expect(finding.detail.contains("confidential"))
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
    #expect(outcomes(diagnosis)["token cache"] == .failed)
    #expect(try names() == before)
    #expect(try Data(contentsOf: directory.appending(path: record)) == Data("damaged".utf8))
  }

  @Test("A diagnosis signs no one in and writes nothing into the cache")
  func writesNothing() async throws {
    let world = World()
    let cache = WatchedCache()
    let diagnosis = try await world.connector(cache: cache).diagnose()
    #expect(outcomes(diagnosis)["token cache"] == .ok)
    #expect(await cache.writes == 0)
    #expect(world.tenant.counters.codesIssued == 0)
  }

  /// The diagnosis of an app at a tenant of a shape, whose settings were changed.
  private func registration(
    _ shape: LocalTenant.Shape, _ change: (inout ConnectorSettings) throws -> Void,
    tenant prepare: (LocalTenant) -> Void = { _ in }
  ) async throws -> Diagnosis {
    let clock = TestClock()
    let tenant = LocalTenant(shape: shape, now: { clock.date })
    prepare(tenant)
    var settings = ConnectorSettings(
      authority: try Authority(tenant.authority(), kind: shape.kind), clientID: tenant.clientID,
      scopes: tenant.apiScopes, redirectURI: try url(LocalTenant.standardRedirectURI))
    if shape == .b2c { settings.policies.emailSignIn = try Policy("B2C_1_SignIn") }
    try change(&settings)
    return try await Connector.diagnose(
      settings: settings,
      environment: OAuthEnvironment(
        presenter: ManualPresenter(), transport: LocalNetwork(tenant, clock: clock), now: { clock.date }))
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
    #expect(outcomes(diagnosis)["task API"] == .ok)
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
    #expect(outcomes(diagnosis)["metadata of B2C_1_SignIn"] == .failed)
    #expect(outcomes(diagnosis)["clock"] == .skipped)
    #expect(outcomes(diagnosis)["task API"] == .failed)
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

extension LocalTenant.Shape {
  fileprivate var kind: Authority.Kind? {
    switch self {
    case .entra: .entra
    case .ciam: .ciam
    default: nil
    }
  }
}

/// A transport of an app's own that fails with an error no one knows.
private struct FailingTransport: HTTPTransport {
  struct Failure: Error, CustomStringConvertible {
    var description: String { "canary" }
  }

  func send(_ request: TransportRequest) async throws -> TransportResponse { throw Failure() }
}
