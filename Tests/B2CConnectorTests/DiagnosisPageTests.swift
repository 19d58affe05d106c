import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// What a diagnosis says of the sign-in page.
@Suite("The sign-in page of a diagnosis", .hangLimit)
struct DiagnosisPageTests {
  @Test("A diagnosis asks for the sign-in page once, as no user and for no session", arguments: DiagnosisTests.shapes)
  func request(_ shape: LocalTenant.Shape) async throws {
    let scene = Scene(shape: shape)
    let settings = try scene.settings {
      $0.scopes.append("Offline_Access")
      $0.userID = "alice@example.com"
    }
    let diagnosis = try await scene.connector(settings).diagnose()
    #expect(diagnosis.isHealthy && diagnosis.signInPage?.outcome == .ok, "\(diagnosis)")
    let pages = scene.transport.requests.filter(LocalFaultTarget.authorize.contains).compactMap(\.url)
    let values = query(of: try #require(pages.first))
    #expect(pages.count == 1 && values["prompt"] == "none" && values["login_hint"] == nil)
    #expect(values["scope"]?.lowercased().contains("offline_access") == false)
    #expect(["state", "nonce", "code_challenge"].allSatisfy { values[$0]?.isEmpty == false }, "\(values)")
  }

  @Test(
    "What a tenant refuses of the app is found before a sign-in", arguments: DiagnosisTests.shapes,
    ["client", "redirect", "scope"])
  func registration(_ shape: LocalTenant.Shape, _ wrong: String) async throws {
    let scene = Scene(shape: shape)
    let settings = try scene.settings {
      switch wrong {
      case "client": $0.clientID = "7bf688ce-8139-4ca8-9391-02fdb6f86d67"
      case "redirect": $0.redirectURI = try url("com.example.other:/callback")
      default: $0.scopes = ["https://contoso.onmicrosoft.com/other/read"]
      }
    }
    let diagnosis = try await scene.connector(settings).diagnose()
    // A generic issuer here takes every scope.
    let isRefused = shape != .openIDConnect || wrong != "scope"
    #expect(diagnosis.findings.filter { $0.outcome != .ok }.map(\.check) == (isRefused ? ["sign-in page"] : []))
    guard isRefused else { return }
    let page = try #require(diagnosis.signInPage)
    #expect(page.outcome == .failed && page.recoverySuggestion != nil)
    #expect(page.detail.contains("The server said: "), "\(page)")
  }

  /// Diagnoses an app whose sign-in page answers so.
  private func signInPage(_ status: Int, _ body: String, location: String? = nil) async throws -> Diagnosis.Finding {
    let scene = Scene()
    scene.tenant.faults = [DiagnosisTests.answering(.authorize, status, body, location: location)]
    let diagnosis = try await scene.connector().diagnose()
    let finding = try #require(diagnosis.signInPage)
    #expect(diagnosis.isHealthy == (finding.outcome != .failed))
    for text in ["{}", "\u{1B}", "canary", "Correlation"] { #expect(!finding.detail.contains(text), "\(finding)") }
    #expect(finding.detail.count < 600)
    if finding.outcome != .failed {
      #expect((finding.recoverySuggestion == nil) == (finding.outcome == .ok), "\(finding)")
    }
    return finding
  }

  typealias Outcome = Diagnosis.Finding.Outcome

  /// Queries of a redirect to the app: an error about the user accepts the app, and others say what to fix.
  static let callbacks: [(query: String, outcome: Outcome, words: String)] =
    [
      "code=x", "error=login_required", "error=interaction_required", "error=consent_required",
      "error=account_selection_required", "error=access_denied&error_subcode=cancel",
      "error=access_denied&error_description=AADB2C90077:+Nothing+to+see.",
      "error=access_denied&error_description=AADSTS50058:+Nothing+to+see.",
      "error=access_denied&error_description=AADSTS50076:+Nothing+to+see.",
      "error=access_denied&error_description=AADSTS65001:+Nothing+to+see.",
    ].map { ($0, .ok, "client ID and redirect URI are accepted; scopes are checked at the sign-in") } + [
      ("error=invalid_scope&error_description=No+such+scope", .failed, "No such scope"),
      ("error=unauthorized_client&error_description=AADSTS700016:+Unknown", .failed, "AADSTS700016: Unknown"),
      ("error=login_required&error_description=AADSTS50011:+Not+registered", .failed, "AADSTS50011: Not registered"),
      ("error=temporarily_unavailable", .failed, "temporarily_unavailable"),
      ("error=access_denied&error_description=AADB2C90118:+Forgot", .failed, "AADB2C90118: Forgot"),
      ("", .skipped, "without a code"),
    ]

  @Test("A redirect to the app is ok only if it is about the user", arguments: callbacks)
  func callback(_ query: String, _ outcome: Outcome, _ words: String) async throws {
    let finding = try await signInPage(302, "", location: Scene.redirect + "?state=x&" + query)
    #expect(finding.outcome == outcome && finding.detail.contains(words), "\(finding)")
  }

  @Test(
    "A redirect to anywhere else answers nothing",
    arguments: [
      (302, Scene.redirect, "without a code"), (302, "/login?next=canary", "/login"), (303, "/login", "/login"),
      (302, nil, ""), (302, "https://login.provider.example/?error=login_required", "login.provider.example"),
    ] as [(Int, String?, String)])
  func elsewhere(_ status: Int, _ location: String?, _ words: String) async throws {
    let finding = try await signInPage(status, "", location: location)
    #expect(finding.outcome == .skipped && (words.isEmpty || finding.detail.contains(words)), "\(finding)")
  }

  /// Pages that say what to fix, in the service's words.
  static let refusals: [(status: Int, body: String, words: String)] =
    [
      (
        200, #"<html><script>$Config={"a":"AADSTS50011: The URI &#39;x&#39; is unknown.\r\nTrace","b":1}</script>"#,
        "AADSTS50011: The URI 'x' is unknown."
      ),
      (200, "<p>AADB2C99999: Sorry.</p>", "[AADB2C99999] The server said: AADB2C99999: Sorry."),
      (
        400, "<head><style>p {}</style></head><h1>Oh\u{1B}no</h1>\n<p>The request is <b>invalid</b>",
        "The server said: Oh no."
      ),
      (403, "Go away", "Go away"), (404, "", "404"),
      (401, #"{"error":"invalid_client","error_description":"Who?"}"#, "Who?"),
      (200, #"{"error":"invalid_request"}"#, "invalid_request"),
      (400, #"{"error":"login_required"}"#, "login_required"),
    ]
    // A busy server's page counts if it has one of Microsoft's codes or an OAuth error.
    + [200, 429, 500, 503].flatMap { status in
      [
        (status, "<p>AADSTS50011: No such URI.</p>", "AADSTS50011: No such URI."),
        (status, #"{"error":"invalid_client"}"#, "invalid_client"),
        (
          status, #"<script>x={"m":"AADB2C90018: No \u0027x\u0027 here.\r\nCorrelation ID: 1"}</script>"#,
          "AADB2C90018: No 'x' here."
        ),
      ]
    }

  @Test("A page with the service's words is a refusal", arguments: refusals)
  func refusal(_ status: Int, _ body: String, _ words: String) async throws {
    let finding = try await signInPage(status, body)
    #expect(finding.outcome == .failed && finding.detail.contains(words), "\(finding)")
  }

  @Test("Any other page of a busy server answers nothing", arguments: [429, 500, 501, 502, 503, 504, 599])
  func busy(_ status: Int) async throws {
    let finding = try await signInPage(status, "<title>Server Error (500)</title>")
    #expect(finding.outcome == .skipped, "\(finding)")
    #expect(finding.detail.contains("could not be asked (status \(status)) (“Server Error (500)”)"), "\(finding)")
  }

  @Test("A diagnosis says that offline_access was not requested, if the provider offers it", arguments: [true, false])
  func offlineAccess(isOffered: Bool) async throws {
    let tenant = LocalTenant(shape: .openIDConnect)
    tenant.behavior.offersOfflineAccess = isOffered
    let page = try #require(try await Connector.local(tenant).diagnose().signInPage)
    #expect(page.outcome == .ok && page.detail.contains("offline_access was not requested") == isOffered, "\(page)")
  }

  static let words: [(page: String, words: String)] = [
    ("<html><head><title> Client\n ID  Error </title></head><body><p>Sorry", "Client ID Error"),
    ("<title>Error</title><h1>Unknown <b>client</b></h1><p>More", "Error: Unknown client"),
    ("<TITLE>Same</TITLE><H2>Same</H2>", "Same"), ("<h1> </h1><h2 class=x>Second</h2>", "Second"),
    ("<title></title><p>Only text</p>", "Only text"), ("1 < 2, plainly", "1 < 2, plainly"),
    ("AADB2C", "AADB2C"),
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
}

extension Diagnosis {
  fileprivate var signInPage: Finding? { findings.first { $0.check == "sign-in page" } }
}
