import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// Responses of the token endpoint as real servers send them, and what every JSON response is held to.
@Suite("Token responses", .hangLimit)
struct TokenAnswerTests {
  typealias Variety = (name: String, lifetime: TimeInterval, changes: RefreshRow.Claims)

  static let varieties: [Variety] = [
    ("bearer in lower case", 3_600, ["token_type": "bearer"]), ("no token_type", 3_600, ["token_type": nil]),
    ("null as token_type", 3_600, ["token_type": .some(.null)]),
    ("expires_in as text", 1_800, ["expires_in": "1800"]),
    ("expires_in before expires_on", 1_800, ["expires_in": 1_800, "expires_on": 99]),
    (
      "no expires_in, but expires_on and not_before", 900,
      ["expires_in": nil, "not_before": "1000", "expires_on": "1900"]
    ),
    ("nothing about its end", 3_600, ["expires_in": nil, "expires_on": nil, "not_before": nil]),
    ("a negative lifetime", 0, ["expires_in": -5]),
    ("a lifetime beyond reason", 31_536_000, ["expires_in": .number(1e300)]),
    ("no scope", 3_600, ["scope": nil]), ("unknown members", 3_600, ["x_new": ["a": 1]]),
    ("a broken profile_info", 3_600, ["profile_info": "a.b"]), ("no refresh_token", 3_600, ["refresh_token": nil]),
  ]

  @Test("A response that differs within reason is read", arguments: varieties)
  func good(_ variety: Variety) async throws {
    let scene = Scene { $0.changeTokenAnswer = { $0.set(variety.changes) } }
    let token = try #require(try await scene.connector().signIn().accessToken)
    #expect(token.expiresAt == scene.clock.date.addingTimeInterval(variety.lifetime))
    #expect(token.scopes.isSuperset(of: scene.tenant.apiScopes))
  }

  @Test(
    "An access token of any visible characters is used",
    arguments: ["Atza|IwEBIexample", "a!b:c", "=a", "{\"id\"}\\~", "a,b;c@d#e$f%g^h&i*(j)'k<l>?"])
  func visibleCharacters(_ token: String) async throws {
    let scene = Scene {
      $0.changeTokenAnswer = { $0["access_token"] = .string(token) }
      $0.changeIDTokenClaims = { $0["at_hash"] = nil }
    }
    #expect(try await SignedInScene(scene).connector.accessToken().token == Secret(token))
    scene.expectRefreshes(1)
  }

  typealias Unusable = (field: String, value: JSONValue?, code: ErrorCode)

  private static func unusable(_ field: String, _ code: ErrorCode, _ values: JSONValue?...) -> [Unusable] {
    values.map { (field, $0, code) }
  }

  static let unusable =
    unusable("access_token", .missingAPIScope, nil, .null)
    + unusable("access_token", .invalidResponse, 7, "", true, "a\nb", "a b", "a\u{7F}", "tokén")
    + unusable("token_type", .invalidResponse, "DPoP", "", 7, true, ["Bearer"], ["Bearer": "Bearer"])

  @Test(
    "A refresh whose access token is missing, or that no Bearer header can carry, is an error, and the new refresh token is kept",
    arguments: unusable)
  func unusableToken(_ field: String, _ value: JSONValue?, _ code: ErrorCode) async throws {
    let stage = try await SignedInScene(Scene { $0.changeIDTokenClaims = { $0["at_hash"] = nil } })
    for hasIDToken in [true, false] {
      stage.scene.tenant.behavior.changeTokenAnswer = {
        $0[field] = value
        if !hasIDToken { $0["id_token"] = nil }
      }
      await expectError(ConnectorError.self, code) { try await stage.connector.accessToken() }
    }
    stage.scene.tenant.behavior.changeTokenAnswer = nil
    _ = try await stage.connector.accessToken()
    stage.scene.expectRefreshes(3)
    guard code == .invalidResponse else { return }
    try await stage.connector.signOut()
    stage.scene.tenant.behavior.changeTokenAnswer = { $0[field] = value }
    await expectError(ConnectorError.self, .invalidResponse) { try await stage.signIn() }
    #expect(try await stage.scene.cache.keys().isEmpty)
  }

  static let refusals: [(status: Int, body: String, code: ErrorCode)] = [
    (200, "<html></html>", .invalidResponse), (200, "", .invalidResponse), (200, "[]", .invalidResponse),
    (200, "{}", .invalidResponse), (200, String(repeating: "[", count: 100_000), .invalidResponse),
    // An error in a 200 without tokens is that error.
    (200, #"{"error": "bad_verification_code"}"#, .server), (400, #"{"error": "invalid_client"}"#, .configuration),
    (401, #"{"error": "invalid_client"}"#, .configuration), (302, "", .invalidResponse), (400, "", .invalidResponse),
    (404, "<html>", .invalidResponse), (408, #"{"error":"slow"}"#, .timedOut), (429, "", .throttled),
    (503, "<html>", .serviceUnavailable),
  ]

  @Test("A response without tokens is a typed error, and nothing is stored", arguments: refusals)
  func refused(_ status: Int, _ body: String, _ code: ErrorCode) async throws {
    let scene = Scene()
    scene.transport.answerTokens(status, body)
    let error = try await #require(throws: ConnectorError.self) { try await scene.connector().signIn() }
    #expect(error.code == code && error.correlationID != nil)
    #expect(try await scene.cache.keys().isEmpty)
  }

  static let answers: [(name: String, target: LocalFaultTarget)] = [
    ("metadata", .metadata), ("keys", .keys), ("token", .tokenCode), ("device", .path("/device_authorization")),
    ("error", .tokenRefresh),
  ]

  @Test("A response that names a key twice is refused, whatever it answers", arguments: answers)
  func duplicateKey(_ name: String, _ target: LocalFaultTarget) async throws {
    let scene = Scene(shape: .openIDConnect)
    let change: @Sendable (inout LocalResponse) -> Void = { response in
      if name == "error" { response = LocalResponse(status: 400, body: Data(#"{"error":"invalid_grant"}"#.utf8)) }
      response.body = Data((#"{"x":1,"x":2,"# + String(decoding: response.body, as: UTF8.self).dropFirst()).utf8)
    }
    scene.tenant.faults = [LocalFault(on: target, .change(change))]
    await expectError(ConnectorError.self, .invalidResponse) {
      if name == "device" {
        try await scene.connector().signInWithDeviceCode { _ in }
      } else {
        _ = try await scene.signedIn().accessToken(forceRefresh: true)
      }
    }
  }
}
