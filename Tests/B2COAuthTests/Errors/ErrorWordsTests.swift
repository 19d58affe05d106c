import B2CConnector
import B2CCore
import B2CHTTP
import B2CIDToken
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An app at a generic OpenID Connect issuer is not told about things that only Azure AD B2C has.
@Suite("Words at a generic issuer", .hangLimit)
struct ErrorWordsTests {
  /// What nothing at a generic issuer is about.
  private static let foreign = ["policy", "policies", "user flow", "portal", "b2c", "aadsts", "client id itself"]

  private func check(_ error: ConnectorError) {
    let shown = [error.description, error.message, error.recoverySuggestion ?? "", error.localizedDescription]
      .joined(separator: "\n").lowercased()
    for word in Self.foreign { #expect(!shown.contains(word), "\(error)") }
    let faults = errorTextFaults(
      message: error.message, advice: error.recoverySuggestion, description: error.description, isPlainIssuer: true)
    #expect(faults.isEmpty, "\(error)")
  }

  /// A sign-in at a tenant that behaves so, as far as it gets.
  private func failedSignIn(
    behavior: (inout LocalTenant.Behavior) -> Void = { _ in }
  ) async throws -> ConnectorError {
    let connector = try Scene(shape: .openIDConnect, behavior: behavior).connector()
    return try await #require(throws: ConnectorError.self) { try await connector.signIn() }
  }

  typealias Change = @Sendable (inout LocalTenant.Behavior) -> Void

  private static func claims(_ change: @escaping @Sendable (inout [String: JSONValue]) -> Void) -> Change {
    { $0.changeIDTokenClaims = change }
  }

  private static func idToken(_ text: String) -> Change {
    { $0.changeTokenAnswer = { $0["id_token"] = .string(text) } }
  }

  static let rejections: [String: Change] = [
    "it has 1 parts": idToken("x"), "bytes": idToken(String(repeating: "x", count: 150_000) + ".e30.AA"),
    "encrypted token": idToken("e30.e30.e30.e30.e30"),
    "twice": idToken(Base64URL.encode(#"{"alg":"RS256","alg":"RS256"}"#.utf8) + ".e30.AA"),
    "its header has": { $0.changeIDTokenHeader { $0["crit"] = ["x"] } },
    "its typ": { $0.changeIDTokenHeader { $0["typ"] = "at+jwt" } }, " alg": { $0.signIDTokens(.unsigned) },
    "publishes no key": { $0.signIDTokens(.unknownKeyID) },
    "the issuer's key ": { $0.changeKeys = { for index in $0.indices { $0[index]["use"] = "enc" } } },
    "its signature is not": { $0.signIDTokens(.damaged) }, " iss": claims { $0["iss"] = "https://evil.example" },
    " aud": claims { $0["aud"] = "other" },
    "it is also for": claims {
      $0["azp"] = $0["aud"]
      $0["aud"] = [$0["aud"] ?? .null, "other"]
    },
    " azp": claims { $0["azp"] = "other" },
    "its exp": claims { $0["exp"] = nil }, "it expired": claims { $0["exp"] = 1_000 },
    "it becomes valid": claims { $0["nbf"] = 4_000_000_000 }, "its iat": claims { $0["iat"] = nil },
    "it was issued": claims { $0["iat"] = 4_000_000_000 },
    " nonce": claims { $0["nonce"] = nil }, "no sub": claims { $0["sub"] = nil },
    "its at_hash": claims { $0["at_hash"] = "x" },
  ]

  @Test("No reason to refuse an id_token", arguments: rejections.keys.sorted())
  func rejection(_ fault: String) async throws {
    let change = try #require(Self.rejections[fault])
    let error = try await failedSignIn(behavior: change)
    #expect(
      error.code == .invalidResponse && error.message.contains("id_token is refused") && error.message.contains(fault),
      "\(error)")
    if fault == "bytes" { #expect(error.recoverySuggestion?.contains("groups") == true) }
    check(error)
  }

  static let errors = [
    "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type",
    "unsupported_response_type", "invalid_scope", "invalid_target", "access_denied", "server_error",
    "temporarily_unavailable", "interaction_required", "login_required", "consent_required",
    "account_selection_required", "invalid_request_uri", "invalid_token", "a_word_of_its_own",
  ]

  @Test("No error of OAuth, in the callback, of a code and of a refresh", arguments: errors)
  func oauthError(_ error: String) async throws {
    let presenter = CannedPresenter { "\(Scene.redirect)?error=\(error)&state=\($0.state.value)" }
    let issuer = LocalTenant(shape: .openIDConnect).issuer
    let withIssuer = CallbackPresenter(presenter) {
      try require(URL(string: $0.absoluteString + "&iss=" + FormEncoding.escape(issuer)))
    }
    let connector = try Scene(shape: .openIDConnect).connector(presenter: withIssuer)
    let refused = try await #require(throws: ConnectorError.self) { try await connector.signIn() }
    #expect(refused.oauthError == error)
    check(refused)
    for status in [400, 401, 403, 408, 429, 500, 503] {
      try await tokenAnswer(status, #"{"error":"\#(error)"}"#)
    }
  }

  @Test(
    "No answer of the token endpoint that is no OAuth error",
    arguments: ["", "<html>", "[]", "{}", #"{"access_token":""}"#, #"{"access_token":"x","token_type":"mac"}"#])
  func noOAuthError(_ body: String) async throws {
    for status in [200, 302, 400, 401, 404, 405, 500] { try await tokenAnswer(status, body) }
  }

  /// Answers a code and a refresh so, and checks both errors.
  private func tokenAnswer(_ status: Int, _ body: String) async throws {
    let scene = Scene(shape: .openIDConnect)
    let connector = try await scene.signedIn(after: 4_000)
    scene.transport.answerTokens(status, body)
    check(try await #require(throws: ConnectorError.self) { _ = try await connector.accessToken() })
    check(
      try await #require(throws: ConnectorError.self) {
        try await connector.signIn(options: SignInOptions(prompt: .login))
      })
  }

  typealias Failure = @Sendable (Scene, Connector) async throws -> Void

  private static func answering(_ target: LocalFaultTarget, _ status: Int, _ body: String = "") -> Failure {
    { scene, connector in
      let answer = LocalResponse(status: status, body: Data(body.utf8))
      scene.tenant.faults = [LocalFault(on: target, .respond(answer))]
      try await connector.signIn()
    }
  }

  private static func failing(_ code: URLError.Code) -> Failure {
    { scene, connector in
      scene.transport.intercept { _ in throw URLError(code) }
      try await connector.signIn()
    }
  }

  private static func metadata(_ change: @escaping @Sendable (inout [String: JSONValue]) -> Void) -> Failure {
    { scene, connector in
      scene.tenant.behavior.changeMetadata = change
      try await connector.signIn()
    }
  }

  static let failures: [Failure] =
    [302, 400, 404, 408, 429, 500].flatMap { [answering(.metadata, $0), answering(.keys, $0)] } + [
      answering(.metadata, 200, "<html>"), answering(.keys, 200, "<html>"), answering(.keys, 200, #"{"keys":[]}"#),
      metadata { $0["issuer"] = "https://evil.example" }, metadata { $0["jwks_uri"] = nil },
      metadata { $0["token_endpoint"] = nil }, metadata { $0["authorization_endpoint"] = "http://login.example/" },
      failing(.cannotConnectToHost), failing(.timedOut), failing(.serverCertificateUntrusted),
      failing(.dataLengthExceedsMaximum),
      failing(.badURL), { _, connector in _ = try await connector.accessToken() },
      { _, connector in _ = try await connector.fetchUserInfo() },
      { _, connector in _ = try await connector.accessToken(user: UserInfo(id: "nobody")) },
      { _, connector in try await connector.signIn(options: SignInOptions(extraParameters: ["state": "x"])) },
      { scene, connector in
        scene.tenant.behavior.changeMetadata = { $0["device_authorization_endpoint"] = nil }
        try await connector.signInWithDeviceCode { _ in }
      },
      { scene, connector in
        scene.tenant.behavior.changeMetadata = { $0["end_session_endpoint"] = nil }
        try await connector.signOut(endsBrowserSession: true)
      },
      { scene, _ in try await scene.connector(scene.settings { $0.userID = "mallory@example.com" }).signIn() },
      { scene, _ in try await scene.connector(presenter: scene.script(.closeBrowser)).signIn() },
      { scene, _ in try await scene.connector(presenter: scene.script(.cancel)).signIn() },
      { scene, _ in
        try await scene.connector(presenter: CannedPresenter { _ in Scene.redirect + "?code=x&state=y" }).signIn()
      },
      { scene, _ in try await scene.connector(presenter: CannedPresenter { _ in "https://evil.example/" }).signIn() },
      { scene, _ in _ = try scene.connector(presenter: LoopbackPresenter { _ in }) },
      { scene, connector in
        scene.tenant.faults = [.callback("iss", nil)]
        try await connector.signIn()
      },
      { scene, connector in
        scene.tenant.behavior.changeTokenAnswer = { $0["id_token"] = nil }
        try await connector.signIn()
      },
      { scene, connector in
        scene.tenant.behavior.changeTokenAnswer = { $0["access_token"] = nil }
        try await connector.signIn()
        _ = try await connector.accessToken(forceRefresh: true)
      },
      { scene, connector in
        scene.tenant.behavior.changeUserInfo = { $0["sub"] = "mallory" }
        try await connector.signIn()
        _ = try await connector.fetchUserInfo()
      },
      { scene, _ in
        let cache = FailingCache()
        cache.failsToStore.withLock { $0 = true }
        try await scene.connector(cache: cache).signIn()
      },
    ]

  @Test("No other error", arguments: failures.indices)
  func failure(_ index: Int) async throws {
    let scene = Scene(shape: .openIDConnect)
    let connector = try scene.connector()
    check(try await #require(throws: ConnectorError.self) { try await Self.failures[index](scene, connector) })
  }
}
