import B2CConnector
import B2CCore
import B2CTestKit
import B2CTokenCache
import Foundation
import TestSupport
import Testing

/// The id_token of a refresh against the record of the sign-in: who it names, and whether its claims are taken over.
@Suite("The id_token of a refresh", .hangLimit)
struct RefreshedIdentityTests {
  struct Change: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let claims: @Sendable (inout [String: JSONValue]) -> Void

    init(_ testDescription: String, _ claims: @escaping @Sendable (inout [String: JSONValue]) -> Void) {
      self.testDescription = testDescription
      self.claims = claims
    }
  }

  private static let placeholder = "Not supported currently. Use oid claim."
  private static let tenantID = "22222222-2222-4222-8222-222222222222"
  private static let signInTime: Int64 = 1_767_225_000

  /// A client with an expired token, and its record.
  private struct Stage {
    let scene: Scene
    let connector: Connector
    let key: TokenCacheKey
    let before: TokenRecord

    init(_ change: Change? = nil, shape: LocalTenant.Shape = .b2c) async throws {
      scene = Scene(shape: shape) {
        $0.changeIDTokenClaims = { claims in
          claims["tid"] = .string(tenantID)
          claims["auth_time"] = .integer(signInTime)
          change?.claims(&claims)
        }
      }
      connector = try scene.connector()
      try await connector.signIn()
      key = try require(try await scene.cache.keys().first)
      before = try require(try await scene.cache.record(for: key))
      await scene.clock.advance(by: .seconds(4_000))
    }

    func refreshWill(_ change: Change) {
      scene.tenant.behavior.changeIDTokenClaims = { claims in
        claims["name"] = "Renamed"
        claims["auth_time"] = .integer(signInTime)
        claims["tid"] = .string(tenantID)
        change.claims(&claims)
      }
    }

    var record: TokenRecord {
      get async throws { try require(try await scene.cache.record(for: key)) }
    }
  }

  struct Other: Sendable, CustomTestStringConvertible {
    let named: String
    let change: Change
    var testDescription: String { change.testDescription }

    init(_ named: String, _ testDescription: String, _ claims: @escaping @Sendable (inout [String: JSONValue]) -> Void)
    {
      self.named = named
      change = Change(testDescription, claims)
    }
  }

  static let others: [Other] = [
    Other("issuer", "another iss") { $0["iss"] = "https://evil.example" },
    Other("issuer", "iss with one slash more") { $0["iss"] = .string(($0["iss"]?.string ?? "") + "/") },
    Other("client", "aud without this client") { $0["aud"] = "another-client" },
    Other("client", "a list of aud without this client") { $0["aud"] = ["another-client", "a-third"] },
    Other("client", "an empty list of aud") { $0["aud"] = [] },
    Other("client", "another azp") { $0["azp"] = "another-client" },
    Other("user", "another sub") { $0["sub"] = "another-person" },
    Other("user", "sub in another case") { $0["sub"] = .string(LocalUser.alice.id.uppercased()) },
    Other("user", "another tid") { $0["tid"] = "99999999-9999-4999-8999-999999999999" },
    // The other rules do not make it less than another person's.
    Other("user", "another sub, expired") {
      $0["sub"] = "another-person"
      $0["exp"] = 1_000
    },
    Other("user", "another sub, another nonce") {
      $0["sub"] = "another-person"
      $0["nonce"] = "another"
    },
  ]

  @Test(
    "One that names another person, issuer or client is refused with its tokens, and the session ends",
    arguments: others, [LocalTenant.Shape.b2c, .openIDConnect])
  func foreign(_ other: Other, _ shape: LocalTenant.Shape) async throws {
    try await refused(other, shape)
  }

  @Test("So is one of another oid, where both have it")
  func otherObject() async throws {
    try await refused(Other("user", "oid") { $0["oid"] = "99999999-9999-4999-8999-999999999999" }, .b2c)
  }

  private func refused(_ other: Other, _ shape: LocalTenant.Shape) async throws {
    let stage = try await Stage(shape: shape)
    stage.refreshWill(other.change)
    let error = try await #require(throws: ConnectorError.self) { try await stage.connector.accessToken() }
    #expect(error.code == .interactionRequired)
    #expect(error.message.contains("names another \(other.named) than"), "\(error)")
    #expect(!"\(error)".contains("evil.example") && !"\(error)".contains("another-"))
    let record = try await stage.record
    #expect(record.isEnded && record.refreshToken == nil && record.accessTokens.isEmpty && record.idToken == nil)
    #expect(record.claims == stage.before.claims && record.signIn == stage.before.signIn)
    guard case .expired = try await stage.connector.session else { throw MissingValue() }
    // Nothing is sent again.
    await expectError(ConnectorError.self, .interactionRequired) { try await stage.connector.accessToken() }
    #expect(stage.scene.tenant.counters.refreshRequests == 1)
  }

  @Test("A token that has not expired is not served after that", arguments: others.prefix(2))
  func otherWhileEarly(_ other: Other) async throws {
    let scene = Scene()
    let connector = try await scene.signedIn(after: 3_400)
    scene.tenant.behavior.changeIDTokenClaims = other.change.claims
    await expectError(ConnectorError.self, .interactionRequired) { try await connector.accessToken() }
  }

  static let useless: [Change] = [
    Change("another nonce") { $0["nonce"] = "another" },
    Change("an auth_time after the sign-in's") { $0["auth_time"] = .integer(signInTime + 301) },
    Change("an auth_time before the sign-in's") { $0["auth_time"] = .integer(signInTime - 301) },
    Change("an iat before the record's") { $0["iat"] = .integer(1_767_225_600 - 301) },
    Change("expired") { $0["exp"] = .integer(1_767_225_600 + 4_000 - 301) },
    Change("without exp") { $0["exp"] = nil },
    Change("without sub") { $0["sub"] = nil },
    Change("without iss") { $0["iss"] = nil },
    Change("without aud") { $0["aud"] = nil },
    Change("aud that is no text") { $0["aud"] = 7 },
  ]

  @Test("One of no use leaves the claims as they were, and the tokens are kept", arguments: useless)
  func ofNoUse(_ change: Change) async throws {
    let stage = try await Stage()
    stage.refreshWill(change)
    let token = try await stage.connector.accessToken()
    let record = try await stage.record
    #expect(record.claims == stage.before.claims && record.idToken == stage.before.idToken)
    #expect(record.accessTokens.first?.token == token.token && record.refreshToken != stage.before.refreshToken)
  }

  @Test("So does one that cannot be read", arguments: ["", "x", "a.b.c", "e30.e30."])
  func unreadable(_ text: String) async throws {
    let stage = try await Stage()
    stage.scene.tenant.behavior.changeTokenAnswer = { $0["id_token"] = .string(text) }
    _ = try await stage.connector.accessToken()
    let record = try await stage.record
    #expect(record.claims == stage.before.claims && record.idToken == stage.before.idToken)
    #expect(record.refreshToken != stage.before.refreshToken)
  }

  static let good: [Change] = [
    Change("as it comes") { _ in },
    Change("the placeholder in sub") { $0["sub"] = .string(placeholder) },
    Change("without oid and tid") {
      $0["oid"] = nil
      $0["tid"] = nil
    },
    Change("without nonce and auth_time") {
      $0["nonce"] = nil
      $0["auth_time"] = nil
    },
    Change("an auth_time within five minutes") { $0["auth_time"] = .integer(signInTime + 300) },
    Change("an iat within five minutes before the record's") { $0["iat"] = .integer(1_767_225_600 - 299) },
    Change("this client as azp, in a list of aud") {
      guard case .string(let client)? = $0["aud"] else { return }
      $0["aud"] = [.string(client), "another-client"]
      $0["azp"] = .string(client)
    },
    Change("expired within the clock's tolerance") {
      $0["iat"] = .integer(1_767_225_600)
      $0["exp"] = .integer(1_767_225_600 + 4_000 - 290)
    },
  ]

  @Test("Its claims replace the record's otherwise", arguments: good)
  func taken(_ change: Change) async throws {
    let stage = try await Stage()
    stage.refreshWill(change)
    _ = try await stage.connector.accessToken()
    let record = try await stage.record
    #expect(record.claims["name"] == "Renamed" && record.idToken != stage.before.idToken)
    #expect(try await stage.connector.users().map(\.name) == ["Renamed"])
  }

  @Test("A placeholder at the sign-in is no subject that a refresh could differ from")
  func placeholderAtSignIn() async throws {
    let stage = try await Stage(Change("placeholder") { $0["sub"] = .string(Self.placeholder) })
    stage.refreshWill(Change("a real one") { _ in })
    _ = try await stage.connector.accessToken()
    #expect(try await stage.record.claims["name"] == "Renamed")
  }

  @Test("Signatures are not looked at: the token came from the token endpoint over TLS")
  func signature() async throws {
    let stage = try await Stage()
    stage.refreshWill(Change("as it comes") { _ in })
    stage.scene.tenant.behavior.signIDTokens(.foreignKey)
    let before = stage.scene.network.requestCount
    _ = try await stage.connector.accessToken()
    #expect(try await stage.record.claims["name"] == "Renamed")
    #expect(stage.scene.network.requestCount == before + 1)
  }
}
