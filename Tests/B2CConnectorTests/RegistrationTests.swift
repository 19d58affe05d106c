import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// What a diagnosis finds out about the client ID, the redirect URI and the sign-in request.
@Suite("Diagnosis of the registration")
struct RegistrationTests {
  typealias Outcome = Diagnosis.Finding.Outcome

  // MARK: The sign-in request

  static let refusedRequests: [(scopes: [String], code: String)] = [
    (["https://contoso.onmicrosoft.com/nothing/read"], "AADB2C90117"),
    (["https://contoso.onmicrosoft.com/tasks/read", LocalTenant.standardClientID], "AADB2C90146"),
  ]

  @Test("A sign-in request that the service refuses is no healthy diagnosis", arguments: refusedRequests)
  func refusedScopes(_ scopes: [String], _ code: String) async throws {
    let diagnosis = try await diagnosis(.b2c) { $0.scopes = scopes }
    let finding = try #require(diagnosis.findings.first { $0.check == "sign-in request" })
    #expect(finding.outcome == .failed && !diagnosis.isHealthy)
    #expect(finding.detail.hasSuffix("[\(code)]"), "\(finding)")
    #expect(finding.recoverySuggestion?.isEmpty == false)
    #expect(outcome("client ID", diagnosis) == .ok && outcome("redirect URI", diagnosis) == .ok)
  }

  static let refusals: [(error: String, description: String, outcome: Outcome)] = [
    ("invalid_request", "AADB2C90055: The scope 'read' must specify a resource.", .failed),
    ("invalid_request", "AADB2C90043: The prompt included in the request contains invalid values.", .failed),
    ("invalid_scope", "No such scope.", .failed), ("unsupported_response_type", "", .failed),
    ("invalid_request", "AADB2C90183: The supplied code_challenge is invalid.", .failed),
    // It may be another tomorrow.
    ("temporarily_unavailable", "Maintenance.", .warning), ("server_error", "AADB2C90037: Trouble.", .warning),
  ]

  @Test("Codes and errors that mean a mistake of the settings are failures, others a warning", arguments: refusals)
  func refused(_ error: String, _ description: String, _ expected: Outcome) async throws {
    let diagnosis = try await diagnosis(
      .b2c,
      answer: { request in
        request.isPage ? request.refusal(error, description) : nil
      })
    let finding = try #require(diagnosis.findings.first { $0.check == "sign-in request" })
    #expect(finding.outcome == expected, "\(finding)")
    #expect(diagnosis.isHealthy == (expected != .failed))
    #expect(outcome("client ID", diagnosis) == .ok && outcome("redirect URI", diagnosis) == .ok)
  }

  /// A connector of a right registration after one diagnosis.
  private func diagnosed(_ shape: LocalTenant.Shape) async throws -> (Connector, LocalNetwork, ScriptedPresenter) {
    let clock = TestClock()
    let tenant = LocalTenant(shape: shape, now: { clock.date })
    let network = LocalNetwork(tenant, clock: clock)
    let presenter = ScriptedPresenter(transport: network, .signIn(.alice))
    let connector = try Connector(
      settings: tenant.settings(),
      environment: OAuthEnvironment(presenter: presenter, transport: network, clock: clock, now: { clock.date }))
    _ = try await connector.diagnose()
    return (connector, network, presenter)
  }

  @Test("The request is that of a sign-in, and none of its one-time values", arguments: DiagnosisTests.shapes)
  func sameRequest(_ shape: LocalTenant.Shape) async throws {
    let (connector, network, presenter) = try await diagnosed(shape)
    let pages = network.requests.map(\.request).filter { $0.url.path.lowercased().contains("/authorize") }
    try await connector.signIn()
    var expected = query(try #require(presenter.requests.first).url)
    var asked = query(try #require(pages.first).url)
    for name in ["state", "nonce", "code_challenge", "client-request-id"] {
      let (one, other) = (asked.removeValue(forKey: name), expected.removeValue(forKey: name))
      #expect(one == nil ? other == nil : one != other, "\(name)")
    }
    #expect(asked == expected)
    #expect(asked["scope"]?.contains("offline_access") == true && asked["prompt"] == nil)
  }

  @Test("The code is redeemed as that of a sign-in is, with a made-up one", arguments: DiagnosisTests.shapes)
  func sameTokenRequest(_ shape: LocalTenant.Shape) async throws {
    let (connector, network, _) = try await diagnosed(shape)
    try await connector.signIn()
    let requests = network.requests.map(\.request).filter { $0.form["grant_type"] == "authorization_code" }
    #expect(requests.count == 2)
    var (asked, expected) = (try #require(requests.first), try #require(requests.last))
    for name in ["code", "code_verifier"] { #expect(asked.form[name] != expected.form[name], "\(name)") }
    #expect(asked.form.keys.sorted() == expected.form.keys.sorted())
    for name in ["client_id", "redirect_uri", "scope"] { #expect(asked.form[name] == expected.form[name], "\(name)") }
    (asked.headers["client-request-id"], expected.headers["client-request-id"]) = (nil, nil)
    #expect(asked.headers == expected.headers && asked.url == expected.url)
  }

  static let pages: [(body: String, shown: String)] = [
    (#"{"error": "invalid_request", "error_description": "consent in prompt"}"#, "consent in prompt"),
    ("<html><style>p { x }</style><h1>Oops</h1>\n<p>consent\u{1B}[2J in prompt</p></html>", "consent [2J in prompt"),
    ("consent in prompt", "consent in prompt"), ("", "400"),
  ]

  @Test("A page that answers a 4xx is read, and offline_access that the SDK added is named", arguments: pages)
  func refusedByPage(_ body: String, _ shown: String) async throws {
    let diagnosis = try await diagnosis(
      .openIDConnect,
      answer: { request in
        guard request.isPage, request.scopes.contains("offline_access"), request.query["prompt"] == nil else {
          return nil
        }
        return TransportResponse(status: 400, body: Data(body.utf8))
      })
    let finding = try #require(diagnosis.findings.first { $0.check == "sign-in request" })
    #expect(finding.outcome == .failed)
    #expect(finding.detail.contains(shown), "\(finding)")
    #expect(finding.recoverySuggestion?.contains("offlineAccess") == true)
    #expect(finding.detail.unicodeScalars.allSatisfy(PrintableText.isPrintable))
    #expect(outcome("client ID", diagnosis) == .ok && outcome("redirect URI", diagnosis) == .ok)
  }

  @Test("A long page with the request in it is cut, and its one-time values are hidden")
  func echo() async throws {
    let diagnosis = try await diagnosis(
      .openIDConnect,
      answer: { request in
        guard request.isPage, let state = request.query["state"] else { return nil }
        let text = "Bad request \(state) " + String(repeating: "and so on ", count: 10_000)
        return TransportResponse(status: 400, body: Data(text.utf8))
      })
    let finding = try #require(diagnosis.findings.first { $0.check == "sign-in request" })
    #expect(finding.detail.contains("Bad request [redacted]") && finding.detail.count < 400, "\(finding)")
  }

  @Test("An answer with another state proves nothing")
  func otherState() async throws {
    let diagnosis = try await diagnosis(
      .openIDConnect,
      answer: { request in
        guard request.isPage else { return nil }
        return request.refusal("login_required", "", state: "another")
      })
    #expect(outcome("redirect URI", diagnosis) == .skipped)
    #expect(outcome("sign-in request", diagnosis) == nil)
  }

  // MARK: The client ID and the redirect URI

  /// A provider that shows its mistakes nowhere but in odd places.
  struct Provider: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// How it answers an authorize request that it refuses.
    let page: TransportResponse
    /// How it answers a code, by whether client and redirect URI are known.
    let code: @Sendable (_ client: Bool, _ redirect: Bool) -> (Int, String)
    /// How it answers a refresh token, by whether the client is known.
    let refresh: @Sendable (_ client: Bool) -> (Int, String)
    /// Whether the refresh tells a known client from an unknown one.
    var tellsClients = true
  }

  static let providers: [Provider] = [
    Provider(
      testDescription: "a page of 200, and invalid_client for the redirect URI",
      page: TransportResponse(status: 200, body: Data("<p>Redirect URI Error (redirect_uri)</p>".utf8)),
      code: { $0 && $1 ? (400, "invalid_grant") : (401, "invalid_client") },
      refresh: { $0 ? (400, "invalid_grant") : (401, "invalid_client") }),
    Provider(
      testDescription: "an empty 403, and unauthorized_client for both", page: TransportResponse(status: 403),
      code: { $0 && $1 ? (400, "invalid_grant") : (403, "unauthorized_client") },
      refresh: { $0 ? (400, "invalid_request") : (403, "unauthorized_client") }),
    Provider(
      testDescription: "a refresh that looks at the token first", page: TransportResponse(status: 403),
      code: { $0 && $1 ? (400, "invalid_grant") : (403, "unauthorized_client") },
      refresh: { _ in (400, "invalid_request") }, tellsClients: false),
  ]

  private func diagnosis(_ provider: Provider, isClientKnown: Bool, isRedirectKnown: Bool) async throws -> Diagnosis {
    let known = LocalTenant.standardClientID
    return try await diagnosis(.openIDConnect) {
      $0.clientID = isClientKnown ? known : "native"
      $0.redirectURI = try url(isRedirectKnown ? LocalTenant.standardRedirectURI : "com.contoso.tasks:/other")
    } answer: { request in
      if request.isPage {
        return isClientKnown && isRedirectKnown ? nil : provider.page
      }
      guard request.url.path.hasSuffix("/token") else { return nil }
      let isKnown = request.form["client_id"] == known
      let (status, error) =
        request.form["grant_type"] == "refresh_token"
        ? provider.refresh(isKnown) : provider.code(isKnown, isRedirectKnown)
      return TransportResponse(status: status, body: Data(#"{"error":"\#(error)"}"#.utf8))
    }
  }

  @Test("A wrong redirect URI is never an unknown client", arguments: providers)
  func wrongRedirectURI(_ provider: Provider) async throws {
    let diagnosis = try await diagnosis(provider, isClientKnown: true, isRedirectKnown: false)
    #expect(!diagnosis.isHealthy)
    #expect(!diagnosis.description.contains("unknown here"), "\(diagnosis)")
    if provider.tellsClients {
      #expect(outcome("client ID", diagnosis) == .ok, "\(diagnosis)")
      #expect(outcome("redirect URI", diagnosis) == .failed, "\(diagnosis)")
    } else {
      #expect(outcome("client ID or redirect URI", diagnosis) == .failed, "\(diagnosis)")
      #expect(outcome("client ID", diagnosis) == nil && outcome("redirect URI", diagnosis) == nil)
    }
  }

  @Test("A wrong client ID is found there too", arguments: providers)
  func wrongClientID(_ provider: Provider) async throws {
    let diagnosis = try await diagnosis(provider, isClientKnown: false, isRedirectKnown: true)
    #expect(!diagnosis.isHealthy)
    let check = provider.tellsClients ? "client ID" : "client ID or redirect URI"
    #expect(outcome(check, diagnosis) == .failed, "\(diagnosis)")
    #expect(outcome("sign-in request", diagnosis) == nil, "The cause is named: \(diagnosis)")
  }

  @Test("A right registration is healthy there", arguments: providers)
  func rightRegistration(_ provider: Provider) async throws {
    let diagnosis = try await diagnosis(provider, isClientKnown: true, isRedirectKnown: true)
    #expect(diagnosis.isHealthy)
    #expect(outcome("client ID", diagnosis) == .ok && outcome("redirect URI", diagnosis) == .ok, "\(diagnosis)")
  }

  // MARK: -

  private func outcome(_ check: String, _ diagnosis: Diagnosis) -> Outcome? {
    diagnosis.findings.first { $0.check == check }?.outcome
  }

  private func query(_ url: URL) -> [String: String] { TransportRequest(url: url).query }

  /// The diagnosis of an app at a tenant whose answers are replaced where there is another one.
  private func diagnosis(
    _ shape: LocalTenant.Shape, _ change: (inout ConnectorSettings) throws -> Void = { _ in },
    answer: @escaping @Sendable (TransportRequest) -> TransportResponse? = { _ in nil }
  ) async throws -> Diagnosis {
    let clock = TestClock()
    let tenant = LocalTenant(shape: shape, now: { clock.date })
    var settings = try tenant.settings()
    try change(&settings)
    return try await Connector.diagnose(
      settings: settings,
      environment: OAuthEnvironment(
        presenter: ManualPresenter(),
        transport: ReplacingTransport(base: LocalNetwork(tenant, clock: clock), answer: answer), now: { clock.date }))
  }
}

/// A network some of whose answers a test gives itself.
private struct ReplacingTransport: HTTPTransport {
  let base: LocalNetwork
  let answer: @Sendable (TransportRequest) -> TransportResponse?

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    if let response = answer(request) { return response }
    return try await base.send(request)
  }
}

extension TransportRequest {
  fileprivate var isPage: Bool { url.path.lowercased().hasSuffix("/authorize") }

  fileprivate var query: [String: String] { Self.fields(url.query(percentEncoded: true) ?? "") }

  fileprivate var form: [String: String] { Self.fields(String(decoding: body ?? Data(), as: UTF8.self)) }

  fileprivate var scopes: [String] { (query["scope"] ?? "").split(separator: " ").map(String.init) }

  private static func fields(_ text: String) -> [String: String] {
    Dictionary(FormEncoding.decode(text).map { ($0.name, $0.value) }) { first, _ in first }
  }

  /// A refusal by a redirect to the app (RFC 6749 section 4.1.2.1).
  fileprivate func refusal(_ error: String, _ description: String, state: String? = nil) -> TransportResponse {
    let fields = [
      (name: "error", value: error), ("error_description", description), ("state", state ?? query["state"] ?? ""),
    ]
    return TransportResponse(
      status: 302, headers: ["Location": (query["redirect_uri"] ?? "") + "?" + FormEncoding.encode(fields)])
  }
}
