import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// Responses of the token endpoint as real servers send them.
@Suite("Token responses", .hangLimit)
struct TokenAnswerTests {
  struct Variety: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let lifetime: TimeInterval
    let changes: RefreshRow.Claims

    init(_ name: String, lifetime: TimeInterval = 3_600, _ changes: RefreshRow.Claims) {
      (testDescription, self.lifetime, self.changes) = (name, lifetime, changes)
    }
  }

  static let varieties: [Variety] = [
    Variety("bearer in lower case", ["token_type": "bearer"]), Variety("no token_type", ["token_type": nil]),
    Variety("null as token_type", ["token_type": .some(.null)]),
    Variety("expires_in as text", lifetime: 1_800, ["expires_in": "1800"]),
    Variety("expires_in before expires_on", lifetime: 1_800, ["expires_in": 1_800, "expires_on": 99]),
    Variety(
      "no expires_in, but expires_on and not_before", lifetime: 900,
      ["expires_in": nil, "not_before": "1000", "expires_on": "1900"]),
    Variety("nothing about its end", ["expires_in": nil, "expires_on": nil, "not_before": nil]),
    Variety("a negative lifetime", lifetime: 0, ["expires_in": -5]),
    Variety("a lifetime beyond reason", lifetime: 31_536_000, ["expires_in": .number(1e300)]),
    Variety("no scope", ["scope": nil]), Variety("unknown members", ["x_new": ["a": 1]]),
    Variety("a broken profile_info", ["profile_info": "a.b"]), Variety("no refresh_token", ["refresh_token": nil]),
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

  static let unusable: [(String, JSONValue)] =
    (["DPoP", "", 7, true, ["Bearer"], ["Bearer": "Bearer"]] as [JSONValue]).map { ("token_type", $0) }
    + ([7, "", true, "a\nb", "a b", "a\u{7F}", "tokén"] as [JSONValue]).map { ("access_token", $0) }

  @Test(
    "An access token that no Bearer header can carry is invalidResponse, and the new refresh token is kept",
    arguments: unusable)
  func unusableToken(_ field: String, _ value: JSONValue) async throws {
    let stage = try await SignedInScene(Scene { $0.changeIDTokenClaims = { $0["at_hash"] = nil } })
    for hasIDToken in [true, false] {
      stage.scene.tenant.behavior.changeTokenAnswer = {
        $0[field] = value
        if !hasIDToken { $0["id_token"] = nil }
      }
      await expectError(ConnectorError.self, .invalidResponse) { try await stage.connector.accessToken() }
    }
    stage.scene.tenant.behavior.changeTokenAnswer = nil
    _ = try await stage.connector.accessToken()
    stage.scene.expectRefreshes(3)
    try await stage.connector.signOut()
    stage.scene.tenant.behavior.changeTokenAnswer = { $0[field] = value }
    await expectError(ConnectorError.self, .invalidResponse) { try await stage.signIn() }
    #expect(try await stage.scene.cache.keys().isEmpty)
  }

  @Test(
    "A refresh without an access token is an error, and the new refresh token is kept",
    arguments: [nil, .null] as [JSONValue?], [true, false])
  func noAccessToken(_ value: JSONValue?, hasIDToken: Bool) async throws {
    let stage = try await SignedInScene()
    stage.scene.tenant.behavior.changeTokenAnswer = {
      $0["access_token"] = value
      if !hasIDToken { $0["id_token"] = nil }
    }
    let error = try await #require(throws: ConnectorError.self) { try await stage.connector.accessToken() }
    #expect(error.code == .missingAPIScope && error.recoverySuggestion?.contains("in the portal") == true)
    let scopes = stage.scene.tenant.apiScopes.joined(separator: " ")
    #expect(error.message == "The provider issued no access token for \(scopes).")
    stage.scene.tenant.behavior.changeTokenAnswer = nil
    _ = try await stage.connector.accessToken()
    stage.scene.expectRefreshes(2)
  }

  struct Bad: Sendable, CustomTestStringConvertible {
    let status: Int
    let body: String
    let code: ErrorCode
    let type: String
    var testDescription: String { "\(status) \(body.prefix(30))" }

    init(_ status: Int, _ body: String, _ code: ErrorCode, type: String = "application/json") {
      (self.status, self.body, self.code, self.type) = (status, body, code, type)
    }
  }

  static let bad: [Bad] = [
    Bad(200, "<html></html>", .invalidResponse, type: "text/html"), Bad(200, "", .invalidResponse),
    Bad(200, "{", .invalidResponse), Bad(200, "[]", .invalidResponse), Bad(200, "{}", .invalidResponse),
    Bad(200, String(repeating: "[", count: 100_000), .invalidResponse),
    // An error in a 200 without tokens is that error.
    Bad(200, #"{"error": "bad_verification_code"}"#, .server),
    Bad(302, "", .invalidResponse), Bad(400, "", .invalidResponse),
    Bad(400, #"{"error": "invalid_client"}"#, .configuration),
    Bad(401, #"{"error": "invalid_client"}"#, .configuration),
    Bad(404, "<html>", .invalidResponse, type: "text/html"), Bad(408, "", .timedOut),
    Bad(408, #"{"error":"slow"}"#, .timedOut), Bad(429, "", .throttled), Bad(500, "", .serviceUnavailable),
    Bad(503, "<html>", .serviceUnavailable, type: "text/html"),
  ]

  @Test("A response without tokens is a typed error, and nothing is stored", arguments: bad)
  func refused(_ bad: Bad) async throws {
    let scene = Scene()
    scene.transport.answerTokens(bad.status, bad.body, contentType: bad.type)
    let error = try await #require(throws: ConnectorError.self) { try await scene.connector().signIn() }
    #expect(error.code == bad.code && error.correlationID != nil)
    #expect(try await scene.cache.keys().isEmpty)
  }
}
