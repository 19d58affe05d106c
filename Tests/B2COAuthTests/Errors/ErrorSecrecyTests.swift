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

/// What printing, dumping and reflecting a value gives.
func shown(_ value: Any) -> String {
  var text = "\(value) \(String(reflecting: value))"
  dump(value, to: &text)
  for child in Mirror(reflecting: value).children { dump(child.value, to: &text) }
  return text
}

@Suite("Secrets in values and errors", .hangLimit)
struct ErrorSecrecyTests {
  static let canary = "eyJjYW5hcnkiOiJ0b2tlbiJ9.Y2FuYXJ5LXRva2VuLW9mLWFub3RoZXItcHJvdmlkZXI"

  @Test("A token inside a claim shows in no value that holds claims")
  func claims() async throws {
    let scene = Scene { $0.changeIDTokenClaims = { $0["idp_access_token"] = .string(Self.canary) } }
    let connector = try scene.connector()
    let result = try await connector.signIn()
    #expect(result.user.claims["idp_access_token"]?.string == Self.canary)
    let record = try await scene.record()
    var seen = [
      shown(result), shown(result.user), shown(try await connector.users()),
      shown(try await connector.session.user as Any), shown(record), shown(connector),
      shown(try await connector.session),
      shown(scene.cache),
    ]
    seen.append(
      shown(
        Connector.Environment(presenter: scene.script(.cancel), cache: scene.cache, transport: scene.transport)))
    for text in seen {
      #expect(!text.contains("eyJjYW5hcnki") && !text.contains("Y2FuYXJ5"), "\(text.prefix(300))")
      #expect(!text.contains(record.refreshToken?.value ?? "-"))
    }
    #expect("\(result.user)" == LocalUser.alice.displayName)
  }

  @Test("A name with control characters or direction marks cannot write a line of its own")
  func names() async throws {
    let scene = Scene { $0.changeIDTokenClaims = { $0["name"] = "Al\u{1B}[2Jice\r\nroot: \u{202E}ok" } }
    let result = try await scene.connector().signIn()
    #expect("\(result.user)".unicodeScalars.allSatisfy(PrintableText.isPrintable))
  }

  @Test("A token as the name of a user does not show")
  func tokenAsName() async throws {
    let scene = Scene { $0.changeIDTokenClaims = { $0["name"] = .string(Self.canary) } }
    let result = try await scene.connector().signIn()
    for value in [result, result.user] as [Any] {
      #expect(!shown(value).contains("eyJjYW5hcnki"))
      #expect(!shown(value).contains("Y2FuYXJ5"))
    }
  }

  @Test("A token or an escape sequence among the granted scopes does not show")
  func tokenAsScope() async throws {
    let scene = Scene { $0.changeTokenAnswer = { $0["scope"] = .string("read \(Self.canary) \u{1B}[2J") } }
    let connector = try scene.connector()
    let result = try await connector.signIn()
    let record = try await scene.record()
    for value in [try #require(result.accessToken), try #require(record.accessTokens.first)] as [Any] {
      #expect(shown(value).contains("read"))
      #expect(!shown(value).contains("eyJjYW5hcnki") && !shown(value).contains("\u{1B}"), "\(shown(value))")
    }
  }

  @Test("The error under an error does not show")
  func underlyingError() {
    let cause = NSError(domain: "x", code: 1, userInfo: ["url": "https://login.example/?code=\(Self.canary)"])
    #expect(!shown(ConnectorError(.network, "Lost.", underlying: cause)).contains("eyJjYW5hcnki"))
  }

  @Test("A refresh token that is a UUID does not show as the server's correlation id", arguments: [true, false])
  func tokenAsCorrelationID(isInDescription: Bool) async throws {
    let token = UUID().uuidString
    let scene = Scene(shape: .entra)
    let connector = try await scene.signedIn()
    let key = try #require(try await scene.cache.keys().first)
    var record = try #require(try await scene.cache.record(for: key))
    record.refreshToken = Secret(token)
    try await scene.cache.store(record, for: key)
    await scene.clock.advance(by: .seconds(4_000))
    let field = isInDescription ? "error_description" : "correlation_id"
    let text = isInDescription ? "AADSTS50076: Bad.\r\nCorrelation ID: \(token)" : token
    let body = try JSONEncoder().encode(["error": "interaction_required", field: text])
    scene.transport.intercept { $0.isTokenRequest ? LocalResponse(status: 400, body: body) : nil }
    let error = try await #require(throws: ConnectorError.self) { try await connector.accessToken() }
    #expect(error.oauthError == "interaction_required")
    #expect(error.correlationID?.uuidString != token)
    #expect(!shown(error).lowercased().contains(token.lowercased()))
  }

  struct Echo: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let change: @Sendable (String) -> String
  }

  static let echoes: [Echo] = [
    Echo(testDescription: "as it is") { $0 }, Echo(testDescription: "upper case") { $0.uppercased() },
    Echo(testDescription: "percent-encoded") { $0.utf8.map { "%" + String($0, radix: 16) }.joined() },
    Echo(testDescription: "base64") { Data($0.utf8).base64EncodedString() },
    Echo(testDescription: "base64url") { Base64URL.encode(Array($0.utf8)) },
    Echo(testDescription: "JSON-escaped") { $0.utf8.map { "\\u00" + String($0, radix: 16) }.joined() },
  ]

  @Test("A refresh token that the server returns shows in no field of an error", arguments: echoes)
  func echoedRefreshToken(_ echo: Echo) async throws {
    let scene = Scene(shape: .entra)
    let connector = try await scene.signedIn()
    let token = try #require(try await scene.record().refreshToken?.value)
    await scene.clock.advance(by: .seconds(4_000))
    let echoed = echo.change(token)
    scene.transport.intercept { request in
      guard request.isTokenRequest else { return nil }
      var body = ["error_description": "AADSTS50076: Bad \(echoed)\r\nTimestamp: \(echoed)\r\nTrace ID: \(echoed)"]
      for name in ["suberror", "trace_id", "timestamp", "correlation_id"] { body[name] = echoed }
      body["claims"] = #"{"access_token":{"x":{"value":"\#(echoed)"}}}"#
      body["error"] = "interaction_required"
      return LocalResponse(status: 400, body: try JSONEncoder().encode(body))
    }
    let error = try await #require(throws: ConnectorError.self) { try await connector.accessToken() }
    #expect(error.serverCode == "AADSTS50076")
    #expect(error.serverDescription?.hasPrefix("AADSTS50076: Bad [redacted]") == true)
    #expect(error.claims == nil)
    let text = shown(error)
    let characters = Array(echoed)
    for start in 0..<(characters.count - 12) {
      #expect(!text.contains(String(characters[start..<(start + 12)])), "\(text)")
    }
  }

  @Test("An error of the token endpoint or of a callback cannot forge a line of a log")
  func logForging() async throws {
    let evil = "invalid\r\n2026 admin logged in\u{1B}[1A\u{202E}x"
    let scene = Scene()
    scene.transport.intercept { request in
      guard request.isTokenRequest else { return nil }
      return LocalResponse(
        status: 400, body: try JSONEncoder().encode(["error": evil, "error_description": evil, "suberror": evil]))
    }
    let fromToken = try await #require(throws: ConnectorError.self) { try await scene.connector().signIn() }
    let presenter = CannedPresenter {
      "\(Scene.redirect)?error=\(FormEncoding.escape(evil))&error_description=\(FormEncoding.escape(evil))"
        + "&state=\($0.state.value)"
    }
    let fromCallback = try await #require(throws: ConnectorError.self) {
      try await scene.connector(presenter: presenter).signIn()
    }
    for error in [fromToken, fromCallback] {
      #expect("\(error)".contains("admin logged in"))
      for text in ["\(error)", error.message, error.oauthError ?? "", error.serverDescription ?? ""] {
        #expect(text.unicodeScalars.allSatisfy(PrintableText.isPrintable))
      }
    }
  }

  @Test("A callback's error shows neither state nor nonce nor verifier of the request")
  func callbackEcho() async throws {
    let asked = Recorder<URL>()
    let presenter = CannedPresenter { request in
      asked.record(request.url)
      let nonce = query(of: request.url)["nonce"] ?? ""
      return "\(Scene.redirect)?error=server_error&error_description=\(nonce)+\(request.state.value)"
        + "&state=\(request.state.value)"
    }
    let error = try await #require(throws: ConnectorError.self) {
      try await Scene().connector(presenter: presenter).signIn()
    }
    let values = query(of: try #require(asked.values.first))
    for name in ["state", "nonce"] { #expect(!shown(error).contains(try #require(values[name]).prefix(12))) }
  }

  @Test("The server's description is in the error, on one line and cut to 400 characters")
  func description() async throws {
    let scene = Scene(shape: .openIDConnect)
    let long =
      "The scope tasks.read is not known to this client." + String(repeating: " Ask the administrator.", count: 30)
    scene.transport.answerTokens(400, #"{"error":"invalid_scope","error_description":"\#(long)"}"#)
    let error = try await #require(throws: ConnectorError.self) { try await scene.connector().signIn() }
    #expect(error.serverDescription == long.prefix(400).split(separator: " ").dropLast().joined(separator: " "))
    #expect("\(error)".contains("The server said: The scope tasks.read is not known to this client."))
  }

  @Test("What a device page says is printable")
  func deviceMessage() async throws {
    let scene = Scene(shape: .entra)
    scene.transport.intercept { request in
      guard request.path.hasSuffix("/devicecode") else { return nil }
      let body = [
        "device_code": "d-secret", "user_code": "AB\u{1B}[2JCD", "verification_uri": "https://example.com/device",
      ]
      return LocalResponse(status: 200, body: try JSONEncoder().encode(body))
    }
    let told = Recorder<DeviceAuthorization>()
    struct Enough: Error {}
    await #expect(throws: ConnectorError.self) {
      try await scene.connector().signInWithDeviceCode {
        told.record($0)
        throw Enough()
      }
    }
    let authorization = try #require(told.values.first)
    let text = authorization.userCode
    #expect(!text.isEmpty && text.unicodeScalars.allSatisfy(PrintableText.isPrintable))
  }
}
