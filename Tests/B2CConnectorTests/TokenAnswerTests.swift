import B2CConnector
import B2CCore
import B2CHTTP
import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite("Token answers as real servers give them", .hangLimit)
struct TokenAnswerTests {
  struct Variety: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let lifetime: TimeInterval
    let change: @Sendable (inout [String: JSONValue]) -> Void

    init(
      _ name: String, lifetime: TimeInterval = 3_600, _ change: @escaping @Sendable (inout [String: JSONValue]) -> Void
    ) {
      testDescription = name
      self.lifetime = lifetime
      self.change = change
    }
  }

  static let varieties: [Variety] = [
    Variety("bearer in lower case") { $0["token_type"] = "bearer" },
    Variety("no token_type") { $0["token_type"] = nil },
    Variety("null as token_type") { $0["token_type"] = .null },
    Variety("expires_in as text", lifetime: 1_800) { $0["expires_in"] = "1800" },
    Variety("expires_in before expires_on", lifetime: 1_800) {
      $0["expires_in"] = 1_800
      $0["expires_on"] = 99
    },
    Variety("no expires_in, but expires_on and not_before", lifetime: 900) {
      $0["expires_in"] = nil
      $0["not_before"] = "1000"
      $0["expires_on"] = "1900"
    },
    Variety("nothing about its end") {
      for name in ["expires_in", "expires_on", "not_before"] { $0[name] = nil }
    },
    Variety("no scope") { $0["scope"] = nil },
    Variety("unknown members") { $0["x_new"] = ["a": 1] },
    Variety("a broken profile_info") { $0["profile_info"] = "a.b" },
    Variety("no refresh_token") { $0["refresh_token"] = nil },
    Variety("a negative life", lifetime: 0) { $0["expires_in"] = -5 },
    Variety("numbers as texts throughout") { fields in
      for case (let name, .integer(let number)) in fields { fields[name] = .string("\(number)") }
    },
    Variety("a life beyond reason", lifetime: 31_536_000) { $0["expires_in"] = .number(1e300) },
  ]

  @Test("An answer that differs within reason is read", arguments: varieties)
  func good(_ variety: Variety) async throws {
    let scene = Scene { $0.changeTokenAnswer = variety.change }
    let token = try #require(try await scene.connector().signIn().accessToken)
    #expect(token.expiresAt == scene.clock.date.addingTimeInterval(variety.lifetime))
  }

  @Test("Members that are not known are not printed")
  func unknownFields() async throws {
    let scene = Scene { $0.changeTokenAnswer = { $0["x_new"] = "canary" } }
    let result = try await scene.connector().signIn()
    var dumped = ""
    dump(result, to: &dumped)
    #expect(!"\(result)".contains("canary") && !dumped.contains("canary"))
  }

  @Test(
    "A type of token that is not Bearer is refused, of a code and of a refresh",
    arguments: ["DPoP", "", 7, true, ["Bearer"], ["Bearer": "Bearer"]] as [JSONValue])
  func otherType(_ type: JSONValue) async throws {
    let scene = Scene()
    let connector = try scene.connector()
    scene.tenant.behavior.changeTokenAnswer = { $0["token_type"] = type }
    await expectError(ConnectorError.self, .invalidResponse) { try await connector.signIn() }
    scene.tenant.behavior.changeTokenAnswer = nil
    try await connector.signIn()
    await scene.clock.advance(by: .seconds(4_000))
    scene.tenant.behavior.changeTokenAnswer = { $0["token_type"] = type }
    await expectError(ConnectorError.self, .invalidResponse) { try await connector.accessToken() }
    // The refresh token beside it has replaced the one that was sent.
    scene.tenant.behavior.changeTokenAnswer = nil
    _ = try await connector.accessToken()
    #expect(scene.tenant.counters.reusedRefreshTokens == 0)
  }

  @Test(
    "An access token of any visible characters is taken, kept and sent",
    arguments: ["Atza|IwEBIexample", "a!b:c", "=a", "{\"id\"}\\~", "a,b;c@d#e$f%g^h&i*(j)'k<l>?"])
  func visibleCharacters(_ token: String) async throws {
    let scene = Scene {
      $0.changeTokenAnswer = { $0["access_token"] = .string(token) }
      $0.changeIDTokenClaims = { $0["at_hash"] = nil }
    }
    let connector = try await scene.signedIn(after: 4_000)
    #expect(try await connector.accessToken().token == Secret(token))
    #expect(scene.transport.tokenForms.count == 2)
  }

  @Test("An access token that is null is not there")
  func nullAccessToken() async throws {
    let scene = Scene { $0.changeTokenAnswer = { $0["access_token"] = .null } }
    let result = try await scene.connector().signIn()
    #expect(result.accessToken == nil && result.idToken != nil)
  }

  struct Bad: Sendable, CustomTestStringConvertible {
    let status: Int
    let body: String
    let code: ErrorCode
    var type = "application/json"
    var testDescription: String { "\(status) \(body.prefix(30))" }
  }

  static let bad: [Bad] = [
    Bad(status: 200, body: "<html></html>", code: .invalidResponse, type: "text/html"),
    Bad(status: 200, body: "", code: .invalidResponse),
    Bad(status: 200, body: "{", code: .invalidResponse),
    Bad(status: 200, body: "[]", code: .invalidResponse),
    Bad(status: 200, body: "{}", code: .invalidResponse),
    // An error in a 200 without tokens is that error.
    Bad(status: 200, body: #"{"error": "bad_verification_code"}"#, code: .server),
    Bad(status: 200, body: #"{"access_token": 7}"#, code: .invalidResponse),
    Bad(status: 200, body: #"{"access_token": "a", "token_type": "DPoP"}"#, code: .invalidResponse),
    // No header takes such a token.
    Bad(status: 200, body: #"{"access_token": "a\nb"}"#, code: .invalidResponse),
    Bad(status: 200, body: #"{"access_token": "a b"}"#, code: .invalidResponse),
    Bad(status: 200, body: #"{"access_token": "a\u007f"}"#, code: .invalidResponse),
    Bad(status: 200, body: #"{"access_token": "tokén"}"#, code: .invalidResponse),
    Bad(status: 200, body: String(repeating: "[", count: 100_000), code: .invalidResponse),
    Bad(status: 400, body: "", code: .invalidResponse),
    Bad(status: 400, body: #"{"error": "invalid_client"}"#, code: .configuration),
    Bad(status: 401, body: #"{"error": "invalid_client"}"#, code: .configuration),
    Bad(status: 404, body: "<html>", code: .invalidResponse, type: "text/html"),
    Bad(status: 302, body: "", code: .invalidResponse),
    Bad(status: 408, body: "", code: .timedOut),
    Bad(status: 408, body: #"{"error":"slow"}"#, code: .timedOut),
    Bad(status: 429, body: "", code: .throttled),
    Bad(status: 500, body: "", code: .serviceUnavailable),
    Bad(status: 503, body: "<html>", code: .serviceUnavailable, type: "text/html"),
  ]

  @Test("An answer that is none is a typed error", arguments: bad)
  func refused(_ bad: Bad) async throws {
    let scene = Scene()
    scene.transport.answerTokens(bad.status, bad.body, contentType: bad.type)
    let error = try await #require(throws: ConnectorError.self) { try await scene.connector().signIn() }
    #expect(error.code == bad.code)
    #expect(error.correlationID != nil)
    #expect(try await scene.cache.keys().isEmpty)
  }
}
