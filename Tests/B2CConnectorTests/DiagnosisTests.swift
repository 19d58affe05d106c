import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// What a diagnosis finds, does and does not do; what it says of the sign-in page is in ``DiagnosisPageTests``.
@Suite("Diagnosis", .hangLimit)
struct DiagnosisTests {
  static let shapes: [LocalTenant.Shape] = [.b2c, .entra, .ciam, .openIDConnect]

  private func finding(of check: String, _ diagnosis: Diagnosis) throws -> Diagnosis.Finding {
    try #require(diagnosis.findings.first { $0.check.hasPrefix(check) }, "\(diagnosis)")
  }

  @Test("A diagnosis signs no one in and does not touch the cache")
  func writesNothing() async throws {
    let (scene, cache) = (Scene(), CountingCache())
    #expect(try await scene.connector(cache: cache).diagnose().isHealthy)
    #expect(cache.takeCounts().isEmpty)
    #expect(!scene.tenant.requests.contains { $0.response?.headers["Location"]?.contains("code=") == true })
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
    #expect(diagnosis.isHealthy)
  }

  @Test("An app's own transport that fails is a finding, whose text is not repeated")
  func strangers() async throws {
    struct Failure: Error, CustomStringConvertible {
      var description: String { "canary" }
    }
    let scene = Scene()
    scene.transport.intercept { _ in throw Failure() }
    let diagnosis = try await scene.connector().diagnose()
    #expect(try finding(of: "metadata of B2C_1_SignIn", diagnosis).outcome == .failed)
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

  static let refusals = [
    (
      400, #"{"error":"invalid_tenant","error_description":"AADSTS90002: Tenant 'cont' not found. Trace ID: 1"}"#,
      "AADSTS90002"
    ),
    (404, "AADB2C90052: There is no such policy.\r\nCorrelation ID: 1", "AADB2C90052"),
    (400, "<html><body>AADSTS900023: The tenant &#39;cont&#39; is not valid.</body>", "AADSTS900023"),
  ]

  @Test(
    "The provider's words instead of metadata are in the error and in the diagnosis", arguments: refusals,
    [LocalTenant.Shape.b2c, .entra, .ciam])
  func refusedMetadata(_ answer: (status: Int, body: String, code: String), _ shape: LocalTenant.Shape) async throws {
    let (tenant, code) = (LocalTenant(shape: shape), answer.code)
    tenant.faults = [Self.answering(.metadata, answer.status, answer.body)]
    let connector = try Connector.local(tenant)
    let error = try await #require(throws: ConnectorError.self) { try await connector.signIn() }
    #expect(error.code == .configuration && error.serverCode == code && error.status == answer.status, "\(error)")
    let description = try #require(error.serverDescription)
    #expect(description.hasPrefix(code + ": ") && !description.contains("ID"))
    let text = try await connector.diagnose().description
    #expect(text.contains("[\(code)] The server said: \(code): "), "\(text)")
  }

  @Test("A diagnosis is printed with a line for each finding")
  func words() {
    let diagnosis = Diagnosis([
      .init("a|b", .failed, "first\nsecond", recovery: "Use <tenant> & go."), .init("c", .ok, "fine"),
    ])
    #expect(diagnosis.description == "[failed] a|b: first\nsecond\n    Use <tenant> & go.\n[ok] c: fine")
  }

  // MARK: Every finding: what was wrong, and what is said about it

  // `…` stands for any text. What begins with `issuer:` happens at a provider that is not Microsoft's.
  static let texts = """
    nothing | [ok] settings: every key can be read
    nothing | [ok] sign-in policy: B2C_1_SignIn (kind signIn, from emailSignInPolicyId)
    nothing | [ok] metadata of B2C_1_SignUp: issuer https://contoso.b2clogin.com/22222222-2222-4222-8222-222222222222/v2.0/ (kind signUp, from emailSignUpPolicyId)
    nothing | [ok] keys of B2C_1_SignUp: … can verify a signature
    nothing | [ok] metadata of B2C_1_SignIn: issuer https://contoso.b2clogin.com/22222222-2222-4222-8222-222222222222/v2.0/ (kind signIn, from emailSignInPolicyId)
    nothing | [ok] keys of B2C_1_SignIn: … can verify a signature
    nothing | [ok] sign-in page: client ID and redirect URI are accepted; scopes are checked at the sign-in; offline_access was not requested
    nothing | [ok] presenter: ScriptedPresenter can receive com.example.tasks:/callback
    metadata | [failed] metadata of B2C_1_SignUp: …
    metadata | [skipped] keys of B2C_1_SignUp: fix the metadata first
    metadata | [failed] metadata of B2C_1_SignIn: The request for the metadata document of the policy B2C_1_SignIn failed with status 404: GET https://contoso.b2clogin.com/contoso.onmicrosoft.com/v2.0/.well-known/openid-configuration. Check the authority, the tenant and the name of the policy B2C_1_SignIn in the settings.
    metadata | [skipped] keys of B2C_1_SignIn: fix the metadata first
    metadata | [skipped] sign-in page: fix the failed checks first
    keys | [failed] keys of B2C_1_SignUp: none can verify a signature Check the policy's keys in the portal.
    keys | [failed] keys of B2C_1_SignIn: none can verify a signature Check the policy's keys in the portal.
    missing keys | [failed] keys of B2C_1_SignUp: …status 404…
    missing keys | [failed] keys of B2C_1_SignIn: …status 404…
    kinds | [ok] sign-in policy: B2C_1_ResetPassword (kind signUpOrSignIn, from policies[0])
    kinds | [ok] metadata of B2C_1_EditProfile: … (kind profileEdit, from policies[1])
    policy in the authority | [ok] sign-in policy: B2C_1_SignIn (kind signUpOrSignIn, from the authority)
    policy in the authority | [ok] metadata of B2C_1_ResetPassword: … (kind passwordReset, from policies[0])
    policy in the authority | [ok] metadata of B2C_1_SignIn: … (kind signUpOrSignIn, from the authority)
    policy in the authority | [ok] sign-in page: …
    kind | [failed] sign-in policy: The settings name no policy of the kind signIn. Add it to the settings, or pass the policy itself.
    kind | [ok] metadata of B2C_1_EditProfile: … (kind profileEdit, from policies[0])
    kind | [skipped] sign-in page: fix the failed checks first
    https | [failed] presenter: LoopbackPresenter cannot receive the redirect URI https://app.example.com/callback. Use WebAuthenticationPresenter from iOS 17.4 and macOS 14.4 on, or ExternalBrowserPresenter if the app claims it as a universal link.
    host | [failed] authority: Azure AD B2C no longer runs policies on login.microsoftonline.com, only on <tenant>.b2clogin.com. Write "https://contoso.b2clogin.com/contoso.onmicrosoft.com/". Change the authority. The redirect URI stays the same.
    host | [skipped] metadata and keys: fix the authority first
    host | [ok] presenter: …
    warning | [warning] settings: scopes[0]: Azure AD B2C issues no access token for this scope, which is Microsoft Graph's or names no API. List the scopes of your API, for example https://contoso.onmicrosoft.com/tasks/read.
    warning | [failed] sign-in page: A scope is not offered. … Publish the scope in the API's registration, or correct its name.
    unusable | [failed] settings: clientId: The client ID is not a GUID. Write the application (client) ID of your app's registration.
    unusable | [failed] settings: taskWebAPI: The token would be sent over http, so others could read it on the way. Write the https URL of the list of tasks, or remove the key.
    unusable | [warning] settings: redirectUri: No browser returns from the out-of-band redirect URI of early tutorials. …
    unusable | [warning] settings: authority: … Write "https://contoso.b2clogin.com/contoso.onmicrosoft.com/".
    unusable | [skipped] all other checks: fix the settings first
    file | [failed] settings: the file: The file does not exist, or cannot be read. Check the path and the file's permissions, or add the file to the app's target.
    file | [skipped] all other checks: fix /nowhere/settings.plist first
    directory | [failed] settings: the file: …
    directory | [skipped] all other checks: fix / first
    issuer: keys | [failed] keys: none can verify a signature Check the provider's signing keys.
    endpoints | [ok] metadata of B2C_1_SignUp: issuer https://contoso.b2clogin.com/…/v2.0/ (kind signUp, from emailSignUpPolicyId)
    endpoints | [ok] metadata of B2C_1_SignIn: issuer https://contoso.b2clogin.com/…/v2.0/ (kind signIn, from emailSignInPolicyId)
    issuer: keys for encryption | [failed] keys: none can verify a signature Check the provider's signing keys.
    issuer: keys for another algorithm | [failed] keys: none can verify a signature Check the provider's signing keys.
    issuer: endpoints | [warning] metadata: issuer https://contoso.example; these endpoints cannot be used and are ignored: device_authorization_endpoint, end_session_endpoint, revocation_endpoint, userinfo_endpoint Have the issuer publish them as https URLs without parameters of the protocol.
    issuer: page | [skipped] sign-in page: the provider showed a page (“Hello”) instead of a redirect Sign in once to see whether the client ID, the redirect URI and the scopes are accepted.
    issuer: busy | [skipped] sign-in page: the provider could not be asked (status 503) Sign in once to see whether the client ID, the redirect URI and the scopes are accepted.
    issuer: redirect | [skipped] sign-in page: the provider redirected the browser to https://other.example/x Sign in once to see whether the client ID, the redirect URI and the scopes are accepted.
    issuer: silent | [skipped] sign-in page: the browser came back without a code and without an error Sign in once to see whether the client ID, the redirect URI and the scopes are accepted.
    issuer: refusal | [failed] sign-in page: The provider answered 400 without an OAuth error. The server said: Unknown client. Check the client ID, the redirect URI and the scopes in the settings.
    issuer: presenter | [failed] presenter: LoopbackPresenter cannot receive the redirect URI com.example.tasks:/callback. Use WebAuthenticationPresenter on Apple platforms, or ExternalBrowserPresenter.
    """

  static func answering(
    _ target: LocalFaultTarget, _ status: Int, _ body: String = "", location: String? = nil
  ) -> LocalFault {
    let headers = location.map { ["Location": $0] } ?? [:]
    return LocalFault(on: target, .respond(LocalResponse(status: status, headers: headers, body: Data(body.utf8))))
  }

  private static let faults = [
    "metadata": answering(.metadata, 404), "missing keys": answering(.keys, 404),
    "keys": answering(.keys, 200, #"{"keys":[]}"#), "issuer: keys": answering(.keys, 200, #"{"keys":[]}"#),
    "issuer: page": answering(.authorize, 200, "<title>Hello</title>"), "issuer: busy": answering(.authorize, 503),
    "issuer: redirect": answering(.authorize, 302, location: "https://other.example/x?y=z"),
    "issuer: silent": answering(.authorize, 302, location: Scene.redirect),
    "issuer: refusal": answering(.authorize, 400, "<h1>Unknown client.</h1>"),
  ]

  /// What makes each optional endpoint one that cannot be used; Azure AD B2C's are known without the metadata.
  private static let endpoints: @Sendable (inout LocalTenant.Behavior) -> Void = {
    $0.changeMetadata = { metadata in
      metadata["userinfo_endpoint"] = ""
      metadata["revocation_endpoint"] = "/revoke"
      metadata["device_authorization_endpoint"] = "http://contoso.example/device"
      metadata["end_session_endpoint"] = "https://contoso.example/logout?state=x"
    }
  }

  private static let behaviors: [String: @Sendable (inout LocalTenant.Behavior) -> Void] = [
    "endpoints": endpoints, "issuer: endpoints": endpoints,
    "issuer: keys for encryption": { $0.changeKeys = { for index in $0.indices { $0[index]["use"] = "enc" } } },
    "issuer: keys for another algorithm": {
      $0.changeKeys = { for index in $0.indices { $0[index]["alg"] = "RS512" } }
    },
  ]

  private static let profileEdit = Result { try Policy(id: "B2C_1_EditProfile", kind: .profileEdit) }

  /// Makes the settings of a row, or throws the error of settings that cannot be read.
  private func settings(_ name: String, _ scene: Scene) throws -> ConnectorSettings {
    let microsoft = "https://login.microsoftonline.com/contoso.onmicrosoft.com/"
    switch name {
    case "file": return try ConnectorSettings(contentsOf: URL(filePath: "/nowhere/settings.plist"))
    case "directory": return try ConnectorSettings(contentsOf: URL(filePath: "/"))
    case "unusable":
      return try settingsFile(replacing: [
        "https://contoso.b2clogin.com/contoso.onmicrosoft.com/": microsoft, LocalTenant.standardClientID: "nonsense",
        Scene.redirect: "urn:ietf:wg:oauth:2.0:oob",
        "https://tasks.example/tasks": "http://api.contoso.com/tasks?code=an-api-key",
      ])
    case "warning": return try settingsFile(replacing: ["https://contoso.onmicrosoft.com/tasks/read": "User.Read"])
    case "host": return try scene.settings { $0.authority = try Authority(microsoft) }
    case "kind": return try scene.settings { $0.policies = .init(others: [try Self.profileEdit.get()]) }
    case "kinds":
      return try scene.settings {
        $0.policies = .init(others: [try Policy("B2C_1_ResetPassword"), try Self.profileEdit.get()])
      }
    case "policy in the authority":
      return try scene.settings(form: .path) {
        $0.policies = .init(others: [try Policy(id: "B2C_1_ResetPassword", kind: .passwordReset)])
      }
    default: return try scene.settings()
    }
  }

  private static let rows = texts.split(separator: "\n").map { row in
    let parts = row.components(separatedBy: " | ")
    return (name: parts[0], finding: parts[1])
  }

  @Test("A fault has exactly these findings, in the order of fixing", arguments: Set(rows.map(\.name)))
  func findings(_ name: String) async throws {
    let rows = Self.rows.filter { $0.name == name }.map(\.finding)
    let isPlainIssuer = name.hasPrefix("issuer:")
    let redirectURI = name == "https" ? "https://app.example.com/callback" : Scene.redirect
    let scene = Scene(shape: isPlainIssuer ? .openIDConnect : .b2c, redirectURIs: [redirectURI])
    scene.tenant.faults = [Self.faults[name]].compactMap(\.self)
    Self.behaviors[name]?(&scene.tenant.behavior)
    let ownPresenter = ["https", "issuer: presenter"].contains(name) ? LoopbackPresenter { _ in } : nil
    let diagnosis = try await Connector.diagnose(
      settings: try settings(name, scene), environment: scene.environment(presenter: ownPresenter))
    let findings = diagnosis.findings.map { finding in
      let text = "[\(finding.outcome.rawValue)] \(finding.check): \(finding.detail)"
      return text + (finding.recoverySuggestion.map { " " + $0 } ?? "")
    }
    // Findings that are ok may be left out of the table.
    var rest = rows[...]
    for finding in findings {
      if let next = rest.first, isText(finding, next) {
        rest.removeFirst()
      } else if name == "nothing" || !finding.hasPrefix("[ok]") {
        Issue.record("\(finding) is not expected here")
      }
    }
    #expect(rest == [], "\(diagnosis)")
    #expect(diagnosis.isHealthy == !rows.contains { $0.hasPrefix("[failed]") })
    let foreign = ["policy", "policies", "user flow", "portal", "b2c", "aadsts", "azure", "client id itself"]
    for word in foreign where isPlainIssuer { #expect(!"\(diagnosis)".lowercased().contains(word), "\(diagnosis)") }
  }
}
