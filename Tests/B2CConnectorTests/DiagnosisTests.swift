import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a diagnosis finds in settings, documents and presenter; ``DiagnosisPageTests`` has the sign-in page.
@Suite("Diagnosis", .hangLimit)
struct DiagnosisTests {
  static let shapes: [LocalTenant.Shape] = [.b2c, .entra, .ciam, .openIDConnect]

  @Test("At a healthy tenant every check is ok, in the order of fixing")
  func healthy() async throws {
    let diagnosis = try await Scene().connector().diagnose()
    #expect(diagnosis.isHealthy)
    #expect(
      diagnosis.findings.map(\.check) == [
        "settings", "sign-in policy", "metadata of B2C_1_SignUp", "keys of B2C_1_SignUp", "metadata of B2C_1_SignIn",
        "keys of B2C_1_SignIn", "sign-in page", "presenter",
      ])
    #expect(diagnosis.findings.allSatisfy { $0.outcome == .ok && $0.recoverySuggestion == nil }, "\(diagnosis)")
  }

  @Test("A settings file that cannot be used is named", arguments: ["/nowhere/settings.plist", "/"])
  func settingsFile(_ path: String) async throws {
    let diagnosis = try await Connector.diagnose(
      settings: try ConnectorSettings(contentsOf: URL(fileURLWithPath: path)))
    #expect(diagnosis.findings.last?.detail == "fix \(path) first")
  }

  @Test("Unusable settings are found alone: all problems and warnings, with what to write")
  func unusableSettings() async throws {
    let file = Data(
      """
      <plist><dict><key>authority</key><string>https://login.microsoftonline.com/contoso.onmicrosoft.com/</string>
      <key>clientId</key><string>nonsense</string>
      <key>scopes</key><array><string>https://contoso.onmicrosoft.com/tasks/read</string></array>
      <key>emailSignInPolicyId</key><string>B2C_1_SignIn</string>
      <key>redirectUri</key><string>urn:ietf:wg:oauth:2.0:oob</string>
      <key>taskWebAPI</key><string>http://api.contoso.com/tasks?code=an-api-key</string></dict></plist>
      """.utf8)
    let diagnosis = try await Connector.diagnose(settings: try ConnectorSettings(data: file))
    #expect(
      diagnosis.findings.map { "\($0.outcome) \($0.check)" } == [
        "failed settings: clientId", "failed settings: taskWebAPI", "warning settings: redirectUri",
        "warning settings: authority", "skipped all other checks",
      ])
    #expect(!diagnosis.isHealthy)
    #expect(diagnosis.description.contains("Write \"https://contoso.b2clogin.com/contoso.onmicrosoft.com/\"."))
    #expect(diagnosis.description.contains("Write the https URL of the list of tasks"))
    #expect(!diagnosis.description.contains("an-api-key"))
  }

  @Test("The retired authority is named with the one to write, and keeps only its documents from being checked")
  func retired() async throws {
    let settings = try ConnectorSettings(
      authority: Authority("https://login.microsoftonline.com/contoso.onmicrosoft.com/"),
      clientID: LocalTenant.standardClientID, scopes: [LocalTenant.standardClientID],
      redirectURI: url(LocalTenant.standardRedirectURI), policies: .init(emailSignIn: Policy("B2C_1_SignIn")))
    let diagnosis = try await Connector.diagnose(settings: settings, environment: Scene().environment())
    let authority = try #require(diagnosis.findings.first { $0.check == "authority" })
    #expect(authority.outcome == .failed)
    #expect(
      "\(authority.detail) \(authority.recoverySuggestion ?? "")".contains(
        "https://contoso.b2clogin.com/contoso.onmicrosoft.com/"))
    #expect(diagnosis.outcomes["metadata and keys"] == .skipped)
    #expect(diagnosis.outcomes["presenter"] == .ok)
  }

  @Test("Missing keys fail, and without metadata they are not looked for")
  func missingDocuments() async throws {
    let scene = Scene()
    scene.tenant.faults = [LocalFault(on: .keys, .respond(LocalResponse(status: 404)))]
    #expect(try await scene.connector().diagnose().outcomes["keys of B2C_1_SignIn"] == .failed)
    scene.tenant.faults = [LocalFault(on: .metadata, .respond(LocalResponse(status: 404)))]
    let outcomes = try await scene.connector().diagnose().outcomes
    #expect(outcomes["metadata of B2C_1_SignIn"] == .failed)
    #expect(outcomes["keys of B2C_1_SignIn"] == .skipped)
  }

  @Test(
    "Keys that cannot verify an id_token fail, and only Azure AD B2C has policies to check", arguments: shapes,
    ["none", "for encryption", "for another algorithm"])
  func unusableKeys(shape: LocalTenant.Shape, fault: String) async throws {
    let tenant = LocalTenant(shape: shape)
    tenant.behavior.changeKeys = { keys in
      if fault == "none" { keys = [] }
      for index in keys.indices {
        if fault == "for encryption" { keys[index]["use"] = "enc" } else { keys[index]["alg"] = "RS512" }
      }
    }
    let diagnosis = try await Connector.local(tenant).diagnose()
    let keys = try #require(diagnosis.findings.first { $0.check.hasPrefix("keys") })
    #expect(keys.outcome == .failed && keys.recoverySuggestion != nil)
    #expect("\(diagnosis)".contains("olic") == (shape == .b2c), "\(diagnosis)")
  }

  @Test("A diagnosis signs no one in and does not touch the cache")
  func writesNothing() async throws {
    let (scene, cache) = (Scene(), CountingCache())
    #expect(try await scene.connector(cache: cache).diagnose().isHealthy)
    #expect(cache.takeCounts().isEmpty)
    #expect(!scene.tenant.requests.contains { $0.response?.headers["Location"]?.contains("code=") == true })
  }

  @Test(
    "A presenter of the app that cannot receive the redirect URI fails, and all other checks go on",
    arguments: [
      (Scene.redirect, "Use WebAuthenticationPresenter"),
      ("https://app.example.com/callback", "Use WebAuthenticationPresenter from iOS 17.4"),
    ])
  func mismatch(_ redirectURI: String, _ advice: String) async throws {
    let scene = Scene(redirectURIs: [redirectURI])
    let diagnosis = try await Connector.diagnose(
      settings: scene.settings(), environment: scene.environment(presenter: LoopbackPresenter { _ in }))
    #expect(diagnosis.findings.filter { $0.outcome != .ok }.map(\.check) == ["presenter"])
    let finding = try #require(diagnosis.findings.last)
    #expect(finding.outcome == .failed && finding.recoverySuggestion?.contains(advice) == true, "\(finding)")
  }

  @Test("A server whose users return to an https URL needs no presenter", arguments: [true, false])
  func noPresenter(isStatic: Bool) async throws {
    let scene = Scene(redirectURIs: ["https://tasks.example.com/callback"])
    var environment = scene.environment()
    environment.presenter = nil
    let settings = try scene.settings()
    let diagnosis =
      isStatic
      ? try await Connector.diagnose(settings: settings, environment: environment)
      : try await Connector(settings: settings, environment: environment).diagnose()
    #expect(diagnosis.isHealthy && diagnosis.outcomes["presenter"] != .failed, "\(diagnosis)")
  }

  @Test("An app's own transport that fails is a finding, whose text is not repeated")
  func strangers() async throws {
    struct Failure: Error, CustomStringConvertible {
      var description: String { "canary" }
    }
    let scene = Scene()
    scene.transport.intercept { _ in throw Failure() }
    let diagnosis = try await scene.connector().diagnose()
    #expect(diagnosis.outcomes["metadata of B2C_1_SignIn"] == .failed)
    #expect(!diagnosis.description.contains("canary"))
  }

  @Test("A cancelled diagnosis has no findings", arguments: [LocalFaultTarget.metadata, .authorize], [true, false])
  func cancelled(_ target: LocalFaultTarget, isStatic: Bool) async throws {
    let scene = Scene()
    // The transport takes no notice of a cancelled task.
    let gate = scene.transport.hang(at: target)
    let connector = try scene.connector()
    let call = Task {
      guard isStatic else { return try await connector.diagnose() }
      return try await Connector.diagnose(settings: scene.settings(), environment: scene.environment())
    }
    await gate.waitForArrivals(1)
    call.cancel()
    gate.open()
    await #expect(throws: CancellationError.self) { try await call.value }
    let unusable = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await Connector.diagnose(settings: try ConnectorSettings(data: Data()))
    }
    await #expect(throws: CancellationError.self) { try await unusable.value }
  }

  @Test("The diagnosis fails if no policy signs users in, with the error of a sign-in", arguments: [true, false])
  func signInPolicy(isInAuthority: Bool) async throws {
    let scene = Scene()
    var settings = try scene.settings(form: isInAuthority ? .path : .query)
    settings.policies = .init(others: [try Policy(id: "B2C_1_ResetPassword", kind: .passwordReset)])
    let connector = try scene.connector(settings)
    let diagnosis = try await connector.diagnose()
    let finding = try #require(diagnosis.findings.first { $0.check == "sign-in policy" })
    #expect(finding.outcome == (isInAuthority ? .ok : .failed) && diagnosis.isHealthy == isInAuthority)
    #expect(diagnosis.outcomes["sign-in page"] == (isInAuthority ? .ok : .skipped))
    #expect(diagnosis.outcomes["metadata of B2C_1_SignIn"] == (isInAuthority ? .ok : nil))
    guard !isInAuthority else { return }
    let error = try await #require(throws: ConnectorError.self) { try await connector.doPolicy(.signIn) }
    #expect(error.message == finding.detail && error.recoverySuggestion == finding.recoverySuggestion)
  }

  @Test("A policy is shown with the kind that it counts as and the key it comes from")
  func kinds() async throws {
    let scene = Scene()
    let policies: [ConnectorSettings.Policies] = try [
      .init(others: [Policy("B2C_1_ResetPassword"), Policy(id: "B2C_1_EditProfile", kind: .profileEdit)]),
      .init(emailSignIn: Policy(id: "B2C_1_SignIn", kind: .signIn)), .init(),
    ]
    for (policies, shown) in zip(
      policies,
      [
        "B2C_1_ResetPassword (kind signUpOrSignIn, from policies[0])",
        "B2C_1_SignIn (kind signIn, from emailSignInPolicyId)",
        "B2C_1_SignIn (kind signUpOrSignIn, from the authority)",
      ])
    {
      var settings = try scene.settings(form: policies.all.isEmpty ? .path : .query)
      settings.policies = policies
      let diagnosis = try await scene.connector(settings).diagnose()
      #expect(diagnosis.findings.first { $0.check == "sign-in policy" }?.detail == shown)
      if !policies.others.isEmpty { #expect("\(diagnosis)".contains("(kind profileEdit, from policies[1])")) }
    }
  }

  @Test(
    "An optional endpoint that cannot be used is a warning, at an authority that is known by its metadata",
    arguments: [
      ("userinfo_endpoint", ""), ("revocation_endpoint", "/revoke"), ("device_authorization_endpoint", "http://a.b/d"),
      ("end_session_endpoint", "https://issuer.example/logout?state=x"),
    ], [LocalTenant.Shape.openIDConnect, .b2c])
  func optionalEndpoint(_ endpoint: (name: String, text: String), _ shape: LocalTenant.Shape) async throws {
    let tenant = LocalTenant(shape: shape)
    tenant.behavior.changeMetadata = { $0[endpoint.name] = .string(endpoint.text) }
    let diagnosis = try await Connector.local(tenant).diagnose()
    let finding = try #require(diagnosis.findings.first { $0.check.hasPrefix("metadata") })
    #expect(diagnosis.isHealthy && finding.outcome == (shape == .b2c ? .ok : .warning), "\(diagnosis)")
    #expect(finding.detail.contains(endpoint.name) == (shape == .openIDConnect), "\(finding)")
  }

  @Test(
    "The provider's words instead of metadata are in the error and in the diagnosis",
    arguments: [
      (
        400, #"{"error":"invalid_tenant","error_description":"AADSTS90002: Tenant 'cont' not found. Trace ID: 1"}"#,
        "AADSTS90002"
      ),
      (404, "AADB2C90052: There is no such policy.\r\nCorrelation ID: 1", "AADB2C90052"),
      (400, "<html><body>AADSTS900023: The tenant &#39;cont&#39; is not valid.</body>", "AADSTS900023"),
    ], [LocalTenant.Shape.b2c, .entra, .ciam])
  func refusedMetadata(_ answer: (status: Int, body: String, code: String), _ shape: LocalTenant.Shape) async throws {
    let (tenant, code) = (LocalTenant(shape: shape), answer.code)
    let response = LocalResponse(status: answer.status, body: Data(answer.body.utf8))
    tenant.faults = [LocalFault(on: .metadata, .respond(response))]
    let connector = try Connector.local(tenant)
    let error = try await #require(throws: ConnectorError.self) { try await connector.signIn() }
    #expect(error.code == .configuration && error.serverCode == code && error.status == answer.status, "\(error)")
    let description = try #require(error.serverDescription)
    #expect(description.hasPrefix(code + ": ") && !description.contains("ID"))
    let text = try await connector.diagnose().description
    #expect(text.contains("[\(code)] The server said: \(code): "), "\(text)")
  }

  @Test(
    "An issuer cannot forge a line", arguments: ["\r\n[ok] sign-in page: fine", "\u{1B}[2J", "\u{202E}ko", "\u{2028}x"])
  func issuer(_ text: String) async throws {
    let tenant = LocalTenant(shape: .ciam)
    tenant.behavior.changeMetadata = { $0["issuer"] = .string("https://login.example/\(tenant.tenantID)/" + text) }
    let diagnosis = try await Connector.local(tenant).diagnose()
    let metadata = try #require(diagnosis.findings.first { $0.check.hasPrefix("metadata") })
    #expect(metadata.detail.contains("https://login.example/"))
    for scalar in ["\u{1B}", "\r", "\n", "\u{202E}", "\u{2028}"] {
      #expect(!diagnosis.findings.contains { $0.detail.contains(scalar) }, "\(diagnosis)")
    }
  }

  @Test("A diagnosis is printed with a line for each finding")
  func words() {
    let diagnosis = Diagnosis([
      .init("a|b", .failed, "first\nsecond", recovery: "Use <tenant> & go."), .init("c", .ok, "fine"),
    ])
    #expect(diagnosis.description == "[failed] a|b: first\nsecond\n    Use <tenant> & go.\n[ok] c: fine")
  }
}

extension Diagnosis {
  /// What came out of each check, by its name.
  fileprivate var outcomes: [String: Finding.Outcome] {
    Dictionary(findings.map { ($0.check, $0.outcome) }) { first, _ in first }
  }
}
