import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("What a diagnosis says of a server's pages", .hangLimit)
struct DiagnosisPageTests {
  private func signInPage(_ status: Int, _ body: String, location: String? = nil) async throws -> Diagnosis.Finding {
    let scene = Scene()
    let headers = location.map { ["Location": $0] } ?? [:]
    let answer = LocalResponse(status: status, headers: headers, body: Data(body.utf8))
    scene.tenant.faults = [LocalFault(on: .authorize, .respond(answer))]
    let diagnosis = try await scene.connector().diagnose()
    let finding = try #require(diagnosis.findings.first { $0.check == "sign-in page" })
    #expect(diagnosis.isHealthy == (finding.outcome != .failed))
    return finding
  }

  @Test("A busy or broken server answers nothing about the settings", arguments: [429, 500, 501, 502, 503, 504, 599])
  func busy(_ status: Int) async throws {
    let finding = try await signInPage(status, "<title>Server Error (500)</title>")
    #expect(finding.outcome == .skipped && finding.detail.contains("could not be asked (status \(status))"))
    #expect(finding.detail.contains("Server Error (500)") && finding.recoverySuggestion != nil, "\(finding)")
  }

  @Test(
    "With one of Microsoft's codes or an OAuth error it is a failure all the same", arguments: [200, 429, 500, 503])
  func definite(_ status: Int) async throws {
    for (body, words) in [
      ("<p>AADSTS50011: No such URI.</p>", "AADSTS50011: No such URI."),
      (#"{"error":"invalid_client"}"#, "invalid_client"),
      (
        #"<script>x={"m":"AADB2C90018: No \u0027x\u0027 here.\r\nCorrelation ID: 1"}</script>"#,
        "AADB2C90018: No 'x' here."
      ),
    ] {
      let finding = try await signInPage(status, body)
      #expect(finding.outcome == .failed && finding.detail.contains(words), "\(finding)")
      #expect(!finding.detail.contains("Correlation"))
    }
  }

  @Test(
    "A redirect to the app that says nothing, or one elsewhere, is no answer",
    arguments: [
      (LocalTenant.standardRedirectURI, "without a code"),
      (LocalTenant.standardRedirectURI + "?state=x", "without a code"),
      ("/login?next=canary", "/login"),
      ("https://login.provider.example/?error=login_required", "login.provider.example"),
    ])
  func elsewhere(_ location: String, _ words: String) async throws {
    let finding = try await signInPage(302, "", location: location)
    #expect(finding.outcome == .skipped && finding.detail.contains(words), "\(finding)")
    #expect(!finding.detail.contains("canary"))
  }

  @Test(
    "A redirect with an error about the user accepts the app, and says what was not asked", arguments: [true, false])
  func accepted(offersOfflineAccess: Bool) async throws {
    let tenant = LocalTenant(shape: .openIDConnect)
    tenant.behavior.offersOfflineAccess = offersOfflineAccess
    let page = try await Connector.local(tenant).diagnose().findings.first { $0.check == "sign-in page" }
    let words = "client ID and redirect URI are accepted; scopes are checked at the sign-in"
    #expect(page?.outcome == .ok && page?.detail.hasPrefix(words) == true)
    #expect(page?.detail.contains("offline_access was not requested") == offersOfflineAccess, "\(page?.detail ?? "")")
  }

  static let words: [(page: String, words: String)] = [
    ("<html><head><title> Client\n ID  Error </title></head><body><p>Sorry", "Client ID Error"),
    ("<title>Error</title><h1>Unknown <b>client</b></h1><p>More", "Error: Unknown client"),
    ("<TITLE>Same</TITLE><H2>Same</H2>", "Same"), ("<h1> </h1><h2 class=x>Second</h2>", "Second"),
    ("<title></title><p>Only text</p>", "Only text"), ("1 < 2, plainly", "1 < 2, plainly"),
    ("<div class='box hidden'><h1>Network error</h1></div><h1>Page not found</h1>", "Page not found"),
    ("<div hidden><div><h1>A</h1></div><h1>B</h1></div><input type='hidden'><h1>C</h1>", "C"),
    ("<section style=\"color: red; display : none\"><h1>A</h1></section><h1>B</h1>", "B"),
    (
      "<p aria-hidden=\"true\"><h1>A</h1></p><template><h1>T</h1></template><noscript><h1>N</h1></noscript><h1>B</h1>",
      "B"
    ),
    ("<body style='overflow: hidden'><h1>Shown</h1>", "Shown"),
    ("<script>on('<h1>A</h1>')</script><style>h1 { x: '<h1>' }</style><!-- <h1>C</h1> --><h1>B</h1>", "B"),
    ("<svg><title>Icon</title></svg><title>Real</title>", "Real"),
    ("<title>Tom&#39;s &amp; Ann&#x2019;s &quot;M&uuml;ller&quot;</title>", "Tom's & Ann’s \"Müller\""),
    ("<title>once: &amp;#39; &amp;lt;b&amp;gt;</title>", "once: &#39; &lt;b&gt;"),
    ("<title>&unknown; &#xD800; &#; &</title>", "&unknown; &#xD800; &#; &"),
    ("<title>a\u{1B}b&#27;c&#x9b;d\u{202E}e&#x202E;f\u{7}g</title>", "a b c d e f g"),
    ("<title>Failed Correlation ID: 0f9d7a34</title>", "Failed"),
    ("<h1>Failed.\nTrace ID : 12 Timestamp: 1</h1>", "Failed."),
    ("<title>The timestamp is wrong</title>", "The timestamp is wrong"),
  ]

  @Test("The words of a page are those that a person reads first", arguments: words)
  func pageWords(_ page: String, _ words: String) async throws {
    let shown = try await signInPage(200, page)
    #expect(shown.outcome == .skipped && shown.detail.contains("(“\(words)”)"), "\(shown)")
    let failed = try await signInPage(400, page)
    #expect(failed.outcome == .failed && failed.detail.contains("The server said: \(words)"), "\(failed)")
  }

  @Test(
    "A large page is read to its first 64 KB",
    arguments: ["<", "<a ", "<!--", "&", "<h1> </h1>", "<div hidden>", "<script>", "AADSTS", "\\\"", "a\u{301}\u{323}"])
  func large(_ piece: String) async throws {
    let page = String(repeating: piece, count: 800_000 / piece.utf8.count)
    let finding = try await signInPage(200, page + "<h1>AADSTS50011: Behind</h1>")
    #expect(finding.outcome == .skipped && finding.detail.utf8.count < 5_000)
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

  @Test("A policy is shown with the kind that it counts as and the key it comes from")
  func kinds() async throws {
    let scene = Scene()
    var settings = try scene.settings()
    settings.policies = .init(others: [
      try Policy("B2C_1_ResetPassword"), try Policy(id: "B2C_1_EditProfile", kind: .profileEdit),
    ])
    let text = try await scene.connector(settings).diagnose().description
    #expect(text.contains("sign-in policy: B2C_1_ResetPassword (kind signUpOrSignIn, from policies[0])"), "\(text)")
    #expect(text.contains("(kind profileEdit, from policies[1])"), "\(text)")
    settings.policies = .init(emailSignIn: try Policy(id: "B2C_1_SignIn", kind: .signIn))
    let other = try await scene.connector(settings).diagnose().outcomeOfSignInPolicy
    #expect(other == "B2C_1_SignIn (kind signIn, from emailSignInPolicyId)")
    settings = try scene.settings(form: .path)
    settings.policies = .init()
    let inText = try await scene.connector(settings).diagnose().outcomeOfSignInPolicy
    #expect(inText == "B2C_1_SignIn (kind signUpOrSignIn, from the authority)")
  }

  @Test(
    "What the service says instead of metadata is in the error and in the diagnosis",
    arguments: [
      (
        400, #"{"error":"invalid_tenant","error_description":"AADSTS90002: Tenant 'cont' not found. Trace ID: 1"}"#,
        "AADSTS90002"
      ),
      (404, "AADB2C90052: There is no such policy.\r\nCorrelation ID: 1", "AADB2C90052"),
      (400, "<html><body>AADSTS900023: The tenant &#39;cont&#39; is not valid.</body>", "AADSTS900023"),
    ])
  func metadata(_ status: Int, _ body: String, _ code: String) async throws {
    for shape in [LocalTenant.Shape.b2c, .entra, .ciam] {
      let tenant = LocalTenant(shape: shape)
      tenant.faults = [LocalFault(on: .metadata, .respond(LocalResponse(status: status, body: Data(body.utf8))))]
      let connector = try Connector.local(tenant)
      let error = try await #require(throws: ConnectorError.self) { try await connector.signIn() }
      #expect(error.code == .configuration && error.serverCode == code && error.status == status, "\(error)")
      #expect(
        error.serverDescription?.hasPrefix(code + ": ") == true && error.serverDescription?.contains("ID") == false)
      let text = try await connector.diagnose().description
      #expect(text.contains("[\(code)] The server said: \(code): "), "\(text)")
    }
  }

  @Test(
    "Keys of another kind than the id_token's may have cannot verify it",
    arguments: [LocalTenant.Shape.b2c, .openIDConnect])
  func otherKeys(_ shape: LocalTenant.Shape) async throws {
    let tenant = LocalTenant(shape: shape)
    tenant.behavior.changeKeys = { keys in for index in keys.indices { keys[index]["alg"] = "RS512" } }
    let keys = try await Connector.local(tenant).diagnose().findings.first { $0.check.hasPrefix("keys") }
    #expect(keys?.outcome == .failed, "\(String(describing: keys))")
  }
}

extension Diagnosis {
  fileprivate var outcomeOfSignInPolicy: String? { findings.first { $0.check == "sign-in policy" }?.detail }
}
