import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// What a tenant that lies, or somebody in between, gets for it.
@Suite("Bound sign-in", .hangLimit)
struct SignInBindingTests {
  struct Lie: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let change: @Sendable (inout LocalTenant.Behavior) -> Void

    init(_ name: String, _ change: @escaping @Sendable (inout LocalTenant.Behavior) -> Void) {
      testDescription = name
      self.change = change
    }

    static func claim(_ name: String, _ value: JSONValue?) -> Lie {
      Lie("\(name) is \(value.map { "\($0)" } ?? "missing")") { $0.changeIDTokenClaims = { $0[name] = value } }
    }

    static func signing(_ signing: LocalTenant.Behavior.Signing) -> Lie {
      Lie("signed with \(signing)") { $0.signIDTokens(signing) }
    }
  }

  static let lies: [Lie] = [
    .signing(.foreignKey), .signing(.unknownKeyID), .signing(.unsigned), .signing(.damaged),
    .claim("nonce", nil), .claim("nonce", "x"), .claim("tfp", nil), .claim("tfp", "B2C_1_Other"),
    .claim("aud", "somebody-else"), .claim("iss", "https://evil.example/"), .claim("exp", .integer(1_000_000_000)),
    .claim("exp", nil), .claim("nbf", .integer(4_000_000_000)), .claim("sub", nil),
  ]

  @Test("A forged id_token signs nobody in and stores nothing", arguments: lies)
  func refused(_ lie: Lie) async throws {
    let scene = Scene(behavior: lie.change)
    await expectError(ConnectorError.self, .invalidResponse, saying: "id_token is refused") {
      try await scene.connector().signIn()
    }
    #expect(try await scene.cache.keys().isEmpty)
  }

  @Test("The policy claim may be acr, and in lower case")
  func oldPolicyClaim() async throws {
    let scene = Scene {
      $0.changeIDTokenClaims = { ($0["tfp"], $0["acr"]) = (nil, .string(Scene.signIn.lowercased())) }
    }
    #expect(try await scene.connector().signIn().user.objectID == LocalUser.alice.id)
  }

  /// Signs in with an id_token that names further audiences, and returns the error.
  private func refusal(of audiences: [String]) async throws -> ConnectorError {
    let scene = Scene(shape: .openIDConnect)
    let client = scene.tenant.clientID
    scene.tenant.behavior.changeIDTokenClaims = {
      $0["aud"] = .array(([client] + audiences).map(JSONValue.string))
      $0["azp"] = .string(client)
    }
    return try await #require(throws: ConnectorError.self) { try await scene.connector().signIn() }
  }

  @Test(
    "An id_token for further audiences is refused with their names (OpenID Connect Core section 3.1.3.7 rule 3)",
    arguments: [["project-7"], ["project-7", "project-8"]])
  func audiences(_ audiences: [String]) async throws {
    let error = try await refusal(of: audiences)
    #expect(error.message.contains("it is also for"))
    for audience in audiences { #expect(error.message.contains("'\(audience)'")) }
  }

  @Test("Audiences that cannot be shown are refused with a short, printable message")
  func unprintableAudiences() async throws {
    let error = try await refusal(of: (0..<200).map { "a\u{202E}\n\($0)" })
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
    await scene.clock.advance(by: .seconds(4_000))
    _ = try await capital.accessToken()
    // Both are one client: the session is the same one.
    #expect(try await scene.connector().accessToken().userID == user.id)
    #expect(try await scene.cache.keys().count == 1)
  }

  @Test("A code stolen from another sign-in is useless without its verifier")
  func pkce() async throws {
    let scene = Scene()
    let stolen = Locked<String?>(nil)
    let victim = CallbackPresenter(scene.script(.signIn(.alice))) { url in
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

  @Test("A wrong policy is found before a page opens")
  func unknownPolicy() async throws {
    let scene = Scene()
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(presenter: presenter)
    await expectError(ConnectorError.self, .configuration) {
      try await connector.signIn(policy: Policy("B2C_1_Nowhere"))
    }
    #expect(presenter.requests.isEmpty)
  }
}
