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
  }

  static let lies: [Lie] = [
    .claim("nonce", nil),
    .claim("nonce", .string("x")),
    Lie("signed by a foreign key") { $0.signIDTokens(.foreignKey) },
    Lie("signed by a key nobody publishes") { $0.signIDTokens(.unknownKeyID) },
    Lie("not signed") { $0.signIDTokens(.unsigned) },
    Lie("a damaged signature") { $0.signIDTokens(.damaged) },
    .claim("tfp", nil),
    .claim("tfp", .string("B2C_1_Other")),
    .claim("aud", .string("somebody-else")),
    .claim("iss", .string("https://evil.example/")),
    .claim("exp", .integer(1_000_000_000)),
    .claim("exp", nil),
    .claim("nbf", .integer(4_000_000_000)),
    .claim("sub", nil),
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
      $0.changeIDTokenClaims = {
        $0["tfp"] = nil
        $0["acr"] = .string(Scene.signIn.lowercased())
      }
    }
    #expect(try await scene.connector().signIn().user.objectID == LocalUser.alice.id)
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

  @Test("Metadata and keys are asked for once a day and policy")
  func documents() async throws {
    let scene = Scene()
    let connector = try await scene.signedIn()
    try await connector.signIn(options: SignInOptions(prompt: .login))
    #expect(scene.tenant.counters.metadataRequests == 1)
    try await connector.signIn(policy: Policy("B2C_1_SignUpOrSignIn"), options: SignInOptions(prompt: .login))
    #expect(scene.tenant.counters.metadataRequests == 2)
    await scene.clock.advance(by: .seconds(86_401))
    try await connector.signIn(options: SignInOptions(prompt: .login))
    #expect(scene.tenant.counters.metadataRequests == 3)
  }

  @Test("A device clock that is wrong by a time zone locks nobody out", arguments: [-50_400.0, 50_400])
  func wrongClock(offset: Double) async throws {
    let scene = Scene()
    scene.setBack.withLock { $0 = -offset }
    let connector = try await scene.signedIn()
    #expect(try await connector.accessToken().expiresAt == scene.clock.date.addingTimeInterval(offset + 3600))
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
