import B2CConnector
import B2CCore
import B2COAuth
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
    let fixture = Fixture(behavior: lie.change)
    await expectError(ConnectorError.self, .invalidResponse, saying: "id_token is refused") {
      try await fixture.client().signIn()
    }
    #expect(try await fixture.cache.keys().isEmpty)
  }

  @Test("The policy claim may be acr, and in lower case")
  func oldPolicyClaim() async throws {
    let fixture = Fixture {
      $0.changeIDTokenClaims = {
        $0["tfp"] = nil
        $0["acr"] = .string(Fixture.signIn.lowercased())
      }
    }
    #expect(try await fixture.client().signIn().user.objectID == LocalUser.alice.id)
  }

  @Test("A code stolen from another sign-in is useless without its verifier")
  func pkce() async throws {
    let fixture = Fixture()
    let stolen = Locked<String?>(nil)
    let victim = CallbackPresenter(fixture.script(.signIn(.alice))) { url in
      stolen.withLock { $0 = query(of: url)["code"] }
      throw ConnectorError(own: .userClosedBrowser, "The callback never arrives.")
    }
    await expectError(ConnectorError.self, .userClosedBrowser) { try await fixture.client(presenter: victim).signIn() }
    let code = try require(stolen.withLock { $0 })
    let thief = CannedPresenter { "\(Fixture.redirect)?code=\(code)&state=\($0.state.value)" }
    await expectError(ConnectorError.self, .server, saying: "PKCE") {
      try await fixture.client(presenter: thief).signIn()
    }
  }

  @Test("Metadata and keys are asked for once a day and policy")
  func documents() async throws {
    let (fixture, client) = try await Fixture().signedIn()
    try await client.signIn(prompt: .login)
    #expect(fixture.tenant.counters.metadataRequests == 1)
    try await client.signIn(policy: Policy("B2C_1_SignUpOrSignIn"), prompt: .login)
    #expect(fixture.tenant.counters.metadataRequests == 2)
    await fixture.clock.advance(by: .seconds(86_401))
    try await client.signIn(prompt: .login)
    #expect(fixture.tenant.counters.metadataRequests == 3)
  }

  @Test("A device clock that is wrong by a time zone locks nobody out", arguments: [-50_400.0, 50_400])
  func wrongClock(offset: Double) async throws {
    let fixture = Fixture()
    let clock = fixture.clock
    let client = try OAuthClient(
      configuration: try fixture.client().configuration,
      environment: Connector.Environment(
        presenter: fixture.script(.signIn(.alice)), transport: fixture.transport, clock: clock,
        now: { clock.date.addingTimeInterval(offset) }))
    try await client.signIn()
    #expect(try await client.accessToken().expiresAt == clock.date.addingTimeInterval(offset + 3600))
  }

  @Test("A wrong policy is found before a page opens")
  func unknownPolicy() async throws {
    let (_, presenter, client) = try Fixture().scripted()
    await expectError(ConnectorError.self, .configuration) { try await client.signIn(policy: Policy("B2C_1_Nowhere")) }
    #expect(presenter.requests.isEmpty)
  }
}
