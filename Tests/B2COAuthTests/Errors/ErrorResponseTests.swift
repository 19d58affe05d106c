import B2CConnector
import B2CCore
import B2CHTTP
import B2CTestKit
import B2CTokenCache
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("What a server's refusal means", .hangLimit)
struct ErrorResponseTests {
  struct Meaning: Sendable, CustomTestStringConvertible {
    let codes: [Int]
    let means: ErrorCode
    let words: String?
    var testDescription: String { "\(means.rawValue): \(codes)" }

    init(_ means: ErrorCode, says words: String? = nil, _ codes: Int...) {
      self.codes = codes
      self.means = means
      self.words = words
    }
  }

  // The codes that Azure AD B2C documents, by what an app can do about them.
  static let meanings: [Meaning] = [
    Meaning(.passwordResetRequested, 90118), Meaning(.userCancelledInPage, 90091),
    Meaning(.identityProviderFailed, 90273, 90289, 90051, 90255, 90075),
    Meaning(.interactionRequired, 90077, 90080, 90129, 90128, 90085, 90088),
    Meaning(
      .configuration, 90087, 90279, 90006, 90007, 90287, 90008, 90010, 90011, 90012, 90013, 90014, 90018, 90055, 90083,
      90115, 90117, 90146, 99005, 90058, 90079, 90081, 90084, 90092, 90068, 90285, 90284, 90205, 90043, 90047, 90086),
    Meaning(.serviceUnavailable, 90035, 90037, 90048, 90206), Meaning(.throttled, 90244),
    Meaning(.userAlreadyExists, 90001, 99001),
    Meaning(.server, says: "PKCE", 90182, 90183, 90184, 99059),
    // No code of the table: it survives, and nobody is told that the user has cancelled.
    Meaning(.accessDenied, says: "The provider refused with", 12345, 90052, 90111, 90151),
    Meaning(.accessDenied, 99002),
  ]

  @Test("A code of Azure AD B2C, whatever error it comes with", arguments: meanings)
  func b2c(_ meaning: Meaning) async throws {
    for code in meaning.codes {
      let presenter = CannedPresenter {
        "\(Scene.redirect)?error=access_denied&error_description=AADB2C\(code)%3a+Text.&state=\($0.state.value)"
      }
      let error = try await #require(throws: ConnectorError.self) {
        try await Scene().connector(presenter: presenter).signIn()
      }
      #expect(error.code == meaning.means, "\(code)")
      #expect(error.serverCode == "AADB2C\(code)")
      if let words = meaning.words {
        #expect(error.message.contains(words), "\(code)")
      } else {
        #expect(!error.message.hasPrefix("The provider refused with"), "\(code)")
      }
    }
  }

  // The codes of External ID's hosts, and of Conditional Access.
  static let ciamCodes: [(code: String, means: ErrorCode, advice: String)] = [
    ("AADSTS399265", .configuration, "TXT record"), ("AADSTS399266", .interactionRequired, "one host"),
    ("AADSTS399280", .configuration, "custom URL domain"), ("AADSTS500208", .configuration, "ciamlogin.com"),
    ("AADSTS53003", .interactionRequired, "Conditional Access"),
  ]

  @Test("A code of External ID says what to do at a sign-in and a refresh, and ends no session", arguments: ciamCodes)
  func externalID(_ code: String, _ means: ErrorCode, _ advice: String) async throws {
    let presenter = CannedPresenter {
      "\(Scene.redirect)?error=access_denied&error_description=\(code)%3a+Text.&state=\($0.state.value)"
    }
    let scene = Scene(shape: .ciam)
    let refused = try await #require(throws: ConnectorError.self) {
      try await scene.connector(presenter: presenter).signIn()
    }
    let connector = try scene.connector()
    try await connector.signIn()
    await scene.clock.advance(by: .seconds(4_000))
    scene.transport.answerTokens(400, #"{"error":"invalid_grant","error_description":"\#(code): Text."}"#)
    let unrefreshed = try await #require(throws: ConnectorError.self) { try await connector.accessToken() }
    for error in [refused, unrefreshed] {
      #expect(error.code == means && error.serverCode == code, "\(error)")
      #expect(error.recoverySuggestion?.contains(advice) == true, "\(error)")
      #expect(!error.message.hasPrefix("The provider refused with") && !"\(error)".contains("olicy"), "\(error)")
    }
    #expect(try await connector.users().first?.hasSession == true)
  }

  /// An error in a callback: whose it is, and how often to try.
  struct Callback: Sendable, CustomTestStringConvertible {
    var error = "access_denied"
    var says: String?
    var subcode: String?
    let means: ErrorCode
    var advice: String?
    var isRetryable = false
    var shapes = [LocalTenant.Shape.openIDConnect, .entra, .b2c]
    var testDescription: String { "\(error) \(subcode ?? "") \(says ?? "")" }
  }

  static let callbacks: [Callback] = [
    // The user, where the service says so: outside Azure AD B2C by giving no reason, by MSAL's subcode, by the sentences of
    // Auth0 and of Microsoft's personal accounts, by Microsoft's codes.
    Callback(means: .userCancelledInPage, shapes: [.openIDConnect, .entra, .ciam]),
    Callback(
      says: "The resource owner or authorization server denied the request", means: .userCancelledInPage,
      shapes: [.openIDConnect]),
    Callback(subcode: "cancel", means: .userCancelledInPage),
    Callback(says: "User did not authorize the request", means: .userCancelledInPage),
    Callback(
      says: "The user has denied access to the scope requested by the client application.", means: .userCancelledInPage),
    Callback(says: "AADB2C90091: The user has cancelled.", means: .userCancelledInPage, shapes: [.b2c]),
    Callback(says: "AADSTS65004: User declined to consent.", means: .userCancelledInPage, shapes: [.entra]),
    // Else the server: rules of Auth0 and Okta, a policy's own refusal with words and without.
    Callback(says: "Please verify your email before logging in.", means: .accessDenied),
    Callback(says: "User is not assigned to the client application.", means: .accessDenied),
    Callback(means: .accessDenied, shapes: [.b2c]), Callback(subcode: "other", means: .accessDenied, shapes: [.b2c]),
    Callback(says: "AADB2C99002: User does not exist.", means: .accessDenied, shapes: [.b2c]),
    Callback(says: "AADSTS50105: Not assigned.", means: .accessDenied, shapes: [.entra]),
    Callback(says: "AADSTS90094: Admin consent.", means: .accessDenied, shapes: [.entra]),
    // Azure AD B2C says server_error of nearly everything: with a code it is a definite no, without one it may pass.
    Callback(error: "server_error", says: "AADB2C99002: User does not exist.", means: .accessDenied, shapes: [.b2c]),
    Callback(error: "server_error", says: "AADB2C99001: Exists.", means: .userAlreadyExists, shapes: [.b2c]),
    Callback(error: "server_error", says: "AADB2C90278: Text.", means: .server, shapes: [.b2c]),
    Callback(error: "server_error", says: "AADB2C90161: Text.", means: .server, shapes: [.b2c]),
    Callback(error: "server_error", says: "AADB2C90238: Text.", means: .server, shapes: [.b2c]),
    Callback(
      error: "server_error", says: "AADB2C90206: Text.", means: .serviceUnavailable, isRetryable: true, shapes: [.b2c]),
    Callback(
      error: "server_error", says: "AADB2C: An exception has occurred.", means: .serviceUnavailable, isRetryable: true),
    Callback(error: "temporarily_unavailable", means: .serviceUnavailable, isRetryable: true),
    Callback(error: "invalid_request", says: "AADSTS9002327: Text.", means: .configuration, shapes: [.entra]),
    Callback(error: "invalid_request", says: "AADSTS9002326: Text.", means: .configuration, shapes: [.entra]),
    Callback(error: "invalid_request", says: "AADSTS500210: Text.", means: .configuration, shapes: [.entra]),
    Callback(error: "login_required", means: .interactionRequired),
    Callback(error: "invalid_client", means: .configuration, advice: "public client"),
    Callback(error: "unauthorized_client", means: .configuration, advice: "public client"),
    Callback(error: "invalid_scope", means: .configuration, advice: "scopes"),
    Callback(error: "something_else", means: .server),
    // The API of a scope: by the error, and by Microsoft's codes with advice of our own.
    Callback(error: "invalid_resource", means: .configuration, advice: "API's registration"),
    Callback(error: "invalid_target", means: .configuration, advice: "API's registration"),
    Callback(
      error: "invalid_resource", says: "AADSTS500011: Text.", means: .configuration, advice: "API's registration",
      shapes: [.entra, .ciam]),
    Callback(
      error: "invalid_client", says: "AADSTS650057: Text.", means: .configuration, advice: "API permissions",
      shapes: [.entra]),
    Callback(
      error: "unauthorized_client", says: "AADSTS50194: Text.", means: .configuration, advice: "instead of `common`",
      shapes: [.entra]),
    Callback(
      error: "invalid_request", says: "AADSTS90002: Text.", means: .configuration, advice: "tenant", shapes: [.entra]),
    Callback(
      error: "invalid_request", says: "AADSTS90008: Text.", means: .configuration, advice: "User.Read", shapes: [.entra]
    ),
    Callback(
      error: "access_denied", says: "AADSTS50020: Text.", means: .accessDenied, advice: "guest", shapes: [.entra]),
  ]

  @Test("What an error in a callback means, and whose it is", arguments: callbacks)
  func callback(_ callback: Callback) async throws {
    for shape in callback.shapes {
      let scene = Scene(shape: shape)
      let issuer = scene.tenant.issuer
      let presenter = CannedPresenter { request in
        var answer = URLComponents(string: Scene.redirect)
        answer?.queryItems = [
          URLQueryItem(name: "error", value: callback.error), URLQueryItem(name: "state", value: request.state.value),
        ]
        // RFC 9207, which this shape promises.
        if shape == .openIDConnect { answer?.queryItems?.append(.init(name: "iss", value: issuer)) }
        if let says = callback.says { answer?.queryItems?.append(.init(name: "error_description", value: says)) }
        if let subcode = callback.subcode { answer?.queryItems?.append(.init(name: "error_subcode", value: subcode)) }
        return answer?.string ?? ""
      }
      let error = try await #require(throws: ConnectorError.self) {
        try await scene.connector(presenter: presenter).signIn()
      }
      #expect(error.code == callback.means, "\(shape): \(error)")
      #expect(error.isRetryable == callback.isRetryable && error.serverDescription == callback.says, "\(shape)")
      #expect(error.oauthError == callback.error)
      if [.accessDenied, .configuration].contains(callback.means) {
        #expect(error.recoverySuggestion?.contains(callback.advice ?? " ") == true, "\(error)")
      }
    }
  }

  @Test(
    "An API that the tenant does not know is named by the scopes that were sent",
    arguments: ["invalid_resource", "invalid_target"])
  func unknownAPI(_ error: String) async throws {
    let presenter = CannedPresenter { "\(Scene.redirect)?error=\(error)&state=\($0.state.value)" }
    let scene = Scene(shape: .entra)
    let refused = try await #require(throws: ConnectorError.self) {
      try await scene.connector(presenter: presenter).signIn()
    }
    #expect(refused.message.contains(scene.tenant.apiScopes[0]), "\(refused)")
  }

  @Test("The service's words reach the sentence that names the fix, without its ids")
  func wholeWords() async throws {
    let sentence =
      "Application 'x' (app) is not configured as a multi-tenant application."
      + String(repeating: " More words.", count: 18)
    let said = "AADSTS123: \(sentence) Use the tenant&#39;s own endpoint."
    let body = try JSONEncoder().encode([
      "error": "invalid_request",
      "error_description": said
        + " Trace ID: 11111111-1111-4111-8111-111111111111 Correlation ID: 3f2504e0-4f89-11d3-9a0c-0305e82c3301 Timestamp: 2026-01-01 00:00:00Z",
    ])
    let scene = Scene(shape: .entra)
    scene.transport.answerTokens(400, String(decoding: body, as: UTF8.self))
    let error = try await #require(throws: ConnectorError.self) { try await scene.connector().signIn() }
    #expect(error.serverDescription == said.replacing("&#39;", with: "'"))
    #expect(error.correlationID == UUID(uuidString: "3f2504e0-4f89-11d3-9a0c-0305e82c3301"))
  }

  @Test("An answer in full: status, correlation id, claims, the service's number")
  func members() async throws {
    let scene = Scene(shape: .entra)
    let connector = try await scene.signedIn(after: 4_000)
    let id = UUID()
    scene.transport.answerTokens(
      400,
      #"{"error":"interaction_required","error_codes":[50076],"suberror":"basic_action","#
        + #""correlation_id":"\#(id.uuidString)","claims":"{\"access_token\":{}}"}"#)
    let error = try await #require(throws: ConnectorError.self) { try await connector.accessToken() }
    #expect(error.needsInteraction && !error.isRetryable)
    #expect(error.correlationID == id)
    #expect(error.serverCode == "AADSTS50076")
    #expect(error.status == 400)
    #expect(error.claims == #"{"access_token":{}}"#)
  }

  static let correlations: [(lines: [String], isFound: Bool)] = [
    (["AADSTS50058: No session", "Correlation ID: \(id)", "Correlation ID: \(UUID())"], true),
    (["Correlation ID: \(id)"] + Array(repeating: "Correlation ID: x", count: 40_000), true),
    (Array(repeating: "Correlation ID: x", count: 40_000) + ["Correlation ID: \(id)"], false),
    (["AADSTS50058: No session"] + Array(repeating: "", count: 100_000) + ["Correlation ID: \(id)"], false),
    (["Trace ID: \(UUID())", "", "  correlation id :  \(id) "], true),
  ]
  fileprivate static let id = UUID()

  @Test("The first correlation id in a description counts, and no other is looked for", arguments: correlations)
  func correlation(_ lines: [String], _ isFound: Bool) async throws {
    let scene = Scene(shape: .entra)
    let connector = try await scene.signedIn(after: 4_000)
    let words = JSONValue.string(lines.joined(separator: "\r\n"))
    let body = JSONValue.object(["error": "interaction_required", "error_description": words])
    scene.transport.answerTokens(400, body.description)
    let error = try await #require(throws: ConnectorError.self) { try await connector.accessToken() }
    #expect((error.correlationID == Self.id) == isFound)
  }

  @Test("A server that repeats what it was sent does not get it into an error")
  func echo() async throws {
    let scene = Scene()
    scene.transport.intercept { request in
      guard request.isTokenRequest else { return nil }
      let said = request.form.values.joined(separator: " ")
      let body = try JSONEncoder().encode(["error": "invalid_request", "error_description": "Bad: \(said)"])
      return LocalResponse(status: 400, body: body)
    }
    let error = try await #require(throws: ConnectorError.self) { try await scene.connector().signIn() }
    let form = try #require(scene.transport.tokenForms.first)
    var shown = "\(error)"
    dump(error, to: &shown)
    #expect(error.serverDescription?.hasPrefix("Bad: ") == true)
    for name in ["code", "code_verifier"] { #expect(!shown.contains(try #require(form[name]))) }
  }

  @Test(
    "Whether to try again is what the layer below says, where there is one",
    arguments: [
      (URLError.Code.cannotConnectToHost, ErrorCode.network, true), (.networkConnectionLost, .network, true),
      (.timedOut, .timedOut, true), (.serverCertificateUntrusted, .network, false), (.cancelled, .network, false),
      (.badURL, .configuration, false), (.dataLengthExceedsMaximum, .tooLarge, false),
      (.cannotParseResponse, .invalidResponse, false),
    ])
  func transport(_ code: URLError.Code, _ means: ErrorCode, _ isRetryable: Bool) async throws {
    let scene = Scene()
    scene.transport.intercept { _ in throw URLError(code) }
    let error = try await #require(throws: ConnectorError.self) {
      try await scene.connector { $0.retry = .none }.signIn()
    }
    #expect(error.code == means)
    #expect(error.isRetryable == isRetryable)
  }

  @Test(
    "A cache that is busy may be free later; one that is broken stays so",
    arguments: [true, false])
  func cache(isRetryable: Bool) async throws {
    let cache = FailingCache()
    let connector = try Scene(cache: cache).connector()
    try await connector.signIn()
    cache.readFailure.withLock { $0 = { _ in ConnectorError(.tokenCache, "", isRetryable: isRetryable) } }
    let error = try await #require(throws: ConnectorError.self) { try await connector.accessToken() }
    #expect(error.code == .tokenCache)
    #expect(error.isRetryable == isRetryable)
  }
}
