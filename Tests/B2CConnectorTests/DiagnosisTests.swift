import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Diagnosis", .hangLimit)
struct DiagnosisTests {
  static let shapes: [LocalTenant.Shape] = [.b2c, .entra, .ciam, .openIDConnect]

  @Test("A healthy tenant has nothing to fix, in the order of fixing")
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
      environment: Connector.Environment(presenter: Scene().script(.signIn(.alice))))
    #expect(!diagnosis.isHealthy)
    #expect(diagnosis.findings.contains { $0.check.hasPrefix("settings: authority") && $0.recoverySuggestion != nil })
    #expect(diagnosis.findings.contains { $0.check.hasPrefix("settings: clientId") })
    #expect(diagnosis.findings.count >= 4)
  }

  @Test("A settings file that cannot be used is named", arguments: ["/nowhere/settings.plist", "/"])
  func settingsFile(_ path: String) async throws {
    let diagnosis = try await Connector.diagnose(
      settings: try ConnectorSettings(contentsOf: URL(fileURLWithPath: path)))
    #expect(diagnosis.findings.last?.detail == "fix \(path) first")
  }

  @Test("The retired authority is named as such, with the one to write")
  func retired() async throws {
    let settings = try ConnectorSettings(
      authority: Authority("https://login.microsoftonline.com/contoso.onmicrosoft.com/"),
      clientID: LocalTenant.standardClientID, scopes: [LocalTenant.standardClientID],
      redirectURI: url(LocalTenant.standardRedirectURI), policies: .init(emailSignIn: Policy("B2C_1_SignIn")))
    let diagnosis = try await Connector.diagnose(
      settings: settings, environment: Connector.Environment(presenter: Scene().script(.signIn(.alice))))
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
    let scene = Scene()
    scene.tenant.faults = [LocalFault(on: .keys, .respond(LocalResponse(status: 404)))]
    #expect(try await scene.connector().diagnose().outcomes["keys of B2C_1_SignIn"] == .failed)

    scene.tenant.faults = [LocalFault(on: .metadata, .respond(LocalResponse(status: 404)))]
    let noMetadata = try await scene.connector().diagnose().outcomes
    #expect(noMetadata["metadata of B2C_1_SignIn"] == .failed)
    #expect(noMetadata["keys of B2C_1_SignIn"] == .skipped)
  }

  @Test("Keys that cannot be used: only Azure AD B2C has policies to check", arguments: shapes, [true, false])
  func unusableKeys(shape: LocalTenant.Shape, areThere: Bool) async throws {
    let tenant = LocalTenant(shape: shape)
    tenant.behavior.changeKeys = { keys in
      if !areThere { keys = [] }
      for index in keys.indices { keys[index]["use"] = "enc" }
    }
    let diagnosis = try await Connector.local(tenant).diagnose()
    let keys = try #require(diagnosis.findings.first { $0.check.hasPrefix("keys") })
    #expect(keys.outcome == .failed && keys.recoverySuggestion != nil)
    #expect("\(diagnosis)".contains("olic") == (shape == .b2c), "\(diagnosis)")
  }

  @Test("A diagnosis signs no one in and does not touch the cache")
  func writesNothing() async throws {
    let scene = Scene()
    let cache = WatchedCache()
    let diagnosis = try await scene.connector(cache: cache).diagnose()
    #expect(diagnosis.isHealthy)
    #expect(await cache.calls == 0)
    #expect(!scene.tenant.requests.contains { $0.response?.headers["Location"]?.contains("code=") == true })
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
      settings: try ConnectorSettings(data: file))
    let lines = diagnosis.findings.map { "\($0.outcome) \($0.check)" }
    #expect(
      lines == [
        "failed settings: clientId", "failed settings: taskWebAPI", "warning settings: redirectUri",
        "warning settings: authority",
        "skipped all other checks",
      ])
    #expect(diagnosis.description.contains("Write \"https://contoso.b2clogin.com/contoso.onmicrosoft.com/\"."))
    #expect(diagnosis.description.contains("Write the https URL of the list of tasks"))
    #expect(!diagnosis.description.contains("an-api-key"))
  }

  @Test("A presenter that cannot serve the redirect URI keeps nothing else from being checked")
  func mismatch() async throws {
    let scene = Scene()
    let clock = scene.clock
    let diagnosis = try await Connector.diagnose(
      settings: scene.settings(),
      environment: Connector.Environment(
        presenter: LoopbackPresenter { _ in }, transport: scene.network, now: { clock.date }))
    #expect(diagnosis.findings.filter { $0.outcome != .ok }.map(\.check) == ["presenter"])
    let redirect = try #require(diagnosis.findings.first { $0.check == "presenter" })
    #expect(redirect.outcome == .failed)
    #expect(redirect.recoverySuggestion?.contains("Use WebAuthenticationPresenter") == true)
  }

  @Test("A transport or a cache of the app's own that fails is a finding, whose text is not repeated")
  func strangers() async throws {
    let scene = Scene()
    let clock = scene.clock
    let diagnosis = try await Connector.diagnose(
      settings: scene.settings(),
      environment: Connector.Environment(
        presenter: scene.script(.signIn(.alice)), transport: FailingTransport(), now: { clock.date }))
    #expect(diagnosis.outcomes["metadata of B2C_1_SignIn"] == .failed)
    #expect(!diagnosis.description.contains("canary"))
  }

  @Test("A cancelled diagnosis has no findings", arguments: [LocalFaultTarget.metadata, .authorize], [true, false])
  func cancelled(_ target: LocalFaultTarget, isStatic: Bool) async throws {
    let scene = Scene()
    let gate = TestGate()
    scene.tenant.faults = [LocalFault(on: target, .holdAnswer(gate))]
    let connector = try scene.connector(transport: Stubborn(inner: scene.network))
    let call = Task {
      guard isStatic else { return try await connector.diagnose() }
      return try await Connector.diagnose(
        settings: scene.settings(), environment: scene.environment(transport: Stubborn(inner: scene.network)))
    }
    await gate.waitForArrivals(1)
    call.cancel()
    gate.open()
    await #expect(throws: CancellationError.self) { try await call.value }
    let unusable = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await Connector.diagnose(settings: try ConnectorSettings(data: Data()))
    }
    unusable.cancel()
    await #expect(throws: CancellationError.self) { try await unusable.value }
  }

  @Test("It fails where a sign-in has no policy", arguments: [true, false])
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

  @Test("It asks for the sign-in page once, as no user and for no session", arguments: shapes)
  func signInPageRequest(_ shape: LocalTenant.Shape) async throws {
    let tenant = LocalTenant(shape: shape)
    let network = LocalNetwork(tenant)
    var settings = try tenant.settings()
    settings.scopes.append("Offline_Access")
    settings.userID = "alice@example.com"
    let diagnosis = try await Connector.diagnose(
      settings: settings,
      environment: Connector.Environment(presenter: ExternalBrowserPresenter { _ in }, transport: network))
    #expect(diagnosis.isHealthy && diagnosis.outcomes["sign-in page"] == .ok, "\(diagnosis)")
    let urls = network.requests.map(\.request).filter(LocalFaultTarget.authorize.contains).compactMap(\.url)
    let first = try #require(urls.first)
    let items = try #require(URLComponents(url: first, resolvingAgainstBaseURL: false)?.queryItems)
    let values = Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first }
    #expect(urls.count == 1 && values["prompt"] == "none" && values["login_hint"] == nil)
    #expect(values["scope"]?.lowercased().contains("offline_access") == false)
    #expect(["state", "nonce", "code_challenge"].allSatisfy { values[$0]?.isEmpty == false }, "\(values)")
  }

  @Test(
    "What a tenant refuses of the app is found before a sign-in", arguments: shapes, ["client", "redirect", "scope"])
  func registration(_ shape: LocalTenant.Shape, _ wrong: String) async throws {
    let tenant = LocalTenant(shape: shape)
    var settings = try tenant.settings()
    switch wrong {
    case "client": settings.clientID = "7bf688ce-8139-4ca8-9391-02fdb6f86d67"
    case "redirect": settings.redirectURI = try url("com.example.other:/callback")
    default: settings.scopes = ["https://contoso.onmicrosoft.com/other/read"]
    }
    let diagnosis = try await Connector.diagnose(
      settings: settings,
      environment: Connector.Environment(
        presenter: ExternalBrowserPresenter { _ in }, transport: LocalNetwork(tenant)))
    // A generic issuer here takes every scope.
    let isRefused = shape != .openIDConnect || wrong != "scope"
    #expect(diagnosis.findings.filter { $0.outcome != .ok }.map(\.check) == (isRefused ? ["sign-in page"] : []))
    guard isRefused else { return }
    let page = try #require(diagnosis.findings.first { $0.check == "sign-in page" })
    #expect(page.outcome == .failed && page.recoverySuggestion != nil)
    #expect(page.detail.contains("The server said: "), "\(page)")
  }

  /// An answer of the sign-in page, what it means, and the service's words if it is a failure.
  struct Page: Sendable {
    var status = 200
    var location: String?
    var body = ""
    var words: String?
    var outcome: Diagnosis.Finding.Outcome {
      words != nil ? .failed : location?.hasPrefix(LocalTenant.standardRedirectURI) == true ? .ok : .skipped
    }

    static func redirect(_ query: String, _ words: String? = nil) -> Page {
      Page(status: 302, location: LocalTenant.standardRedirectURI + "?state=x&" + query, words: words)
    }
  }

  static let pages: [Page] =
    ["login_required", "interaction_required", "consent_required", "account_selection_required"].map {
      .redirect("error=" + $0)
    }
    + ["AADB2C90077", "AADSTS50058", "AADSTS50076", "AADSTS65001"].map {
      .redirect("error=access_denied&error_description=\($0):+Nothing+to+see.")
    } + [
      .redirect("code=x"), Page(status: 302, location: "https://login.provider.example/?error=x"),
      Page(status: 303, location: "/login"), Page(status: 302), Page(body: "<h1>Sign in</h1>"), Page(body: "AADB2C"),
      .redirect("error=invalid_scope&error_description=No+such+scope", "No such scope"),
      .redirect("error=unauthorized_client&error_description=AADSTS700016:+Unknown", "AADSTS700016: Unknown"),
      .redirect("error=login_required&error_description=AADSTS50011:+Not+registered", "AADSTS50011: Not registered"),
      .redirect("error=temporarily_unavailable", "temporarily_unavailable"),
      .redirect("error=access_denied&error_description=AADB2C90118:+Forgot", "AADB2C90118: Forgot"),
      Page(
        body: #"<html><script>$Config={"a":"AADSTS50011: The URI &#39;x&#39; is unknown.\r\nTrace","b":1}</script>"#,
        words: "AADSTS50011: The URI 'x' is unknown."),
      Page(body: "<p>AADB2C99999: Sorry.</p>", words: "[AADB2C99999] The server said: AADB2C99999: Sorry."),
      Page(
        status: 400, body: "<head><style>p {}</style></head><h1>Oh\u{1B}no</h1>\n<p>The request is <b>invalid</b>",
        words: "The server said: Oh no."),
      Page(status: 403, body: "Go away", words: "Go away"), Page(status: 404, words: "404"),
      Page(status: 401, body: #"{"error":"invalid_client","error_description":"Who?"}"#, words: "Who?"),
      Page(body: #"{"error":"invalid_request"}"#, words: "invalid_request"), Page(status: 503),
      Page(status: 400, body: #"{"error":"login_required"}"#, words: "login_required"),
      .redirect("error=access_denied&error_subcode=cancel"),
    ]

  @Test("The sign-in page is ok only by a redirect about the user, and failed in the service's words", arguments: pages)
  func signInPage(_ page: Page) async throws {
    let scene = Scene()
    let answer = LocalResponse(
      status: page.status, headers: page.location.map { ["Location": $0] } ?? [:], body: Data(page.body.utf8))
    scene.tenant.faults = [LocalFault(on: .authorize, .respond(answer))]
    let diagnosis = try await scene.connector().diagnose()
    let finding = try #require(diagnosis.findings.first { $0.check == "sign-in page" })
    #expect(finding.outcome == page.outcome, "\(finding)")
    if let words = page.words ?? (page.outcome == .ok ? "are accepted" : nil) {
      #expect(finding.detail.contains(words), "\(finding)")
    }
    #expect(!finding.detail.contains("{}") && !finding.detail.contains("\u{1B}") && finding.detail.count < 600)
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

/// A transport that takes no notice of a cancelled task.
private struct Stubborn: HTTPTransport {
  let inner: any HTTPTransport

  func send(_ request: URLRequest, limits: TransportLimits) async throws -> (Data, HTTPURLResponse) {
    let inner = inner
    return try await Task { try await inner.send(request, limits: limits) }.value
  }
}

/// A transport of an app's own that fails with an error no one knows.
private struct FailingTransport: HTTPTransport {
  struct Failure: Error, CustomStringConvertible {
    var description: String { "canary" }
  }

  func send(_ request: URLRequest, limits: TransportLimits) async throws -> (Data, HTTPURLResponse) { throw Failure() }
}
