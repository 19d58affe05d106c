import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// What a tenant that lies, or somebody in between, gets for it: the callback and the id_token of a sign-in.
@Suite("Bound sign-in", .hangLimit)
struct SignInBindingTests {
  // MARK: The callback

  /// A piece of the callback, what stands in its place, and words of the error.
  typealias BadCallback = (piece: String, replacement: String, words: String)

  private static let noState = "does not contain the state"

  static let badCallbacks: [BadCallback] = [
    ("state=", "state=x", noState), ("state=", "other=", noState), ("state=", "state=&other=", noState),
    ("state=", "error=access_denied&state=x", noState), ("code=", "code=again&code=", "a parameter twice"),
    ("state=", "state=again&state=", "a parameter twice"), ("code=", "cod=", "neither a code nor an error"),
    ("/callback", "/elsewhere", "does not match"), ("com.example.tasks", "com.example.other", "does not match"),
    ("code=", "iss=https%3A%2F%2Fevil.example&code=", "issuer that was not asked"),
    ("code=", "x=\(String(repeating: "a", count: 100_000))&code=", "longer than 64 KiB"),
  ]

  @Test("A callback that breaks a rule is refused before anything is sent", arguments: badCallbacks)
  func callback(_ bad: BadCallback) async throws {
    let scene = Scene()
    let presenter = ClosurePresenter(scene.script(.signIn(.alice))) { try $0.replacing(bad.piece, bad.replacement) }
    await expectError(ConnectorError.self, .invalidResponse, saying: bad.words) {
      try await scene.connector(presenter: presenter).signIn()
    }
    #expect(scene.transport.tokenForms.isEmpty)
    #expect(try await scene.cache.keys().isEmpty)
  }

  /// Signs in at a provider that answers with a query and the right state.
  private func refusal(_ query: String, _ shape: LocalTenant.Shape) async throws -> ConnectorError {
    let scene = Scene(shape: shape)
    let presenter = CannedPresenter { "\(Scene.redirect)?\(query)&state=\($0.state.value)" }
    let error = try await #require(throws: ConnectorError.self) {
      try await scene.connector(presenter: presenter).signIn(options: SignInOptions(prompt: .none))
    }
    #expect(scene.transport.tokenForms.isEmpty)
    return error
  }

  @Test(
    "An error with the right state is read although its issuer is missing, or a parameter that only describes it is there twice",
    arguments: [
      "error=login_required", "error=login_required&error_description=a&error_description=b",
      "error=interaction_required&error_uri=x&error_uri=y&session_state=1&session_state=2",
    ], [LocalTenant.Shape.openIDConnect, .b2c])
  func incompleteError(_ query: String, _ shape: LocalTenant.Shape) async throws {
    let error = try await refusal(query, shape)
    #expect(error.code == .interactionRequired && error.needsInteraction, "\(error)")
  }

  @Test(
    "What decides about a sign-in is there once and from the right issuer, which a generic one must name (RFC 9207)",
    arguments: [
      "error=login_required&error=x", "error=login_required&iss=https%3A%2F%2Fevil.example", "code=x",
      "code=x&iss=https%3A%2F%2Fevil.example", "error=login_required&iss=a&iss=b", "code=x&code=y",
    ])
  func decisive(_ query: String) async throws {
    #expect(try await refusal(query, .openIDConnect).code == .invalidResponse)
  }

  @Test("An error keeps what the server said, read as a form: blanks, lines, correlation id and code")
  func errorText() async throws {
    let id = "3f2504e0-4f89-11d3-9a0c-0305e82c3301"
    let text = "AADB2C90273%3a+An+invalid+response.%0d%0aCorrelation+ID%3a+\(id)%0d%0aTimestamp%3a+2018-03-29%0d%0a"
    let error = try await refusal("error=access_denied&error_description=\(text)", .b2c)
    #expect(error.code == .identityProviderFailed && error.correlationID == UUID(uuidString: id))
    #expect(error.oauthError == "access_denied" && error.serverCode == "AADB2C90273")
    #expect(error.serverDescription == "AADB2C90273: An invalid response.")
  }

  @Test("A code stolen from another sign-in is useless without its verifier")
  func pkce() async throws {
    let scene = Scene()
    let stolen = Locked<String?>(nil)
    let victim = ClosurePresenter(scene.script(.signIn(.alice))) { url in
      stolen.withLock { $0 = query(of: url)["code"] }
      throw ConnectorError(own: .userClosedBrowser, "The callback never arrives.")
    }
    await expectError(ConnectorError.self, .userClosedBrowser) { try await scene.connector(presenter: victim).signIn() }
    let code = try require(stolen.withLock { $0 })
    let thief = CannedPresenter { "\(Scene.redirect)?code=\(code)&state=\($0.state.value)" }
    await expectError(ConnectorError.self, .server, saying: "PKCE") {
      try await scene.connector(presenter: thief).signIn()
    }
  }

  // MARK: The id_token

  @Test(
    "An id_token with a wrong claim signs nobody in and stores nothing",
    arguments: [
      ("nonce", nil), ("nonce", "x"), ("tfp", nil), ("tfp", "B2C_1_Other"), ("aud", "somebody-else"),
      ("iss", "https://evil.example/"), ("exp", .integer(1_000_000_000)), ("exp", nil),
      ("nbf", .integer(4_000_000_000)), ("iat", nil), ("sub", nil),
    ] as [(String, JSONValue?)])
  func refused(_ claim: String, _ value: JSONValue?) async throws {
    for shape in claim == "tfp" ? [LocalTenant.Shape.b2c] : [.b2c, .openIDConnect] {
      try await expectRefused(Scene(shape: shape) { $0.changeIDTokenClaims = { $0[claim] = value } })
    }
  }

  @Test(
    "An id_token that the provider's keys have not signed is refused, also one without a signature whose alg is listed",
    arguments: [LocalTenant.Behavior.Signing.foreignKey, .unknownKeyID, .unsigned, .damaged],
    [nil, ["RS256"], ["none", "RS256"], ["none"]] as [JSONValue?])
  func signature(_ signing: LocalTenant.Behavior.Signing, _ listed: JSONValue?) async throws {
    let scene = Scene(shape: listed == nil ? .b2c : .openIDConnect) { $0.signIDTokens(signing) }
    if let listed {
      scene.tenant.behavior.changeMetadata = { $0["id_token_signing_alg_values_supported"] = listed }
    }
    try await expectRefused(scene)
  }

  private func expectRefused(_ scene: Scene) async throws {
    await expectError(ConnectorError.self, .invalidResponse, saying: "id_token is refused") {
      try await scene.connector().signIn()
    }
    #expect(try await scene.cache.keys().isEmpty)
    #expect(scene.tenant.counters.tokenRequests == 1)
    #expect(!scene.transport.requests.contains { $0.path.hasSuffix("/userinfo") })
  }

  @Test(
    "An id_token for further audiences is refused, with names if they can be shown (OpenID Connect Core section 3.1.3.7)",
    arguments: [["project-7", "project-8"], (0..<200).map { "a\u{202E}\n\($0)" }])
  func audiences(_ audiences: [String]) async throws {
    let scene = Scene(shape: .openIDConnect)
    let client = scene.tenant.clientID
    scene.tenant.behavior.changeIDTokenClaims = {
      $0["aud"] = .array(([client] + audiences).map(JSONValue.string))
      $0["azp"] = .string(client)
    }
    let error = try await #require(throws: ConnectorError.self) { try await scene.connector().signIn() }
    #expect(error.code == .invalidResponse && error.message.contains("it is also for"))
    for audience in audiences where audience.hasPrefix("project") { #expect(error.message.contains("'\(audience)'")) }
    #expect(error.message.utf8.count < 600 && !error.message.contains("\n") && !error.message.contains("\u{202E}"))
  }

  @Test(
    "At Microsoft's services a client ID in capitals is the client of an audience in small letters",
    arguments: [LocalTenant.Shape.b2c, .entra, .ciam])
  func capitals(_ shape: LocalTenant.Shape) async throws {
    let scene = Scene(shape: shape, clientID: "7bf688ce-8139-4fd1-a2c0-1b9b6a37d1c5")
    let id = scene.tenant.clientID.uppercased()
    let capital = try scene.connector(scene.settings { $0.clientID = id })
    let user = try await capital.signIn().user
    await scene.expire()
    _ = try await capital.accessToken()
    // Both are one client: the session is the same one.
    #expect(try await scene.connector().accessToken().userID == user.id)
    #expect(try await scene.cache.keys().count == 1)
  }
}
