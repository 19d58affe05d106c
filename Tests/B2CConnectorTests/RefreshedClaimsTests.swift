import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// When the claims of a refresh are taken over, and which of the old ones stay.
@Suite("The claims of a refresh", .hangLimit)
struct RefreshedClaimsTests {
  struct Times: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Gets the present time in seconds.
    let change: @Sendable (inout [String: JSONValue], Int64) -> Void
  }

  /// The claims that tell how and when Alice has signed in.
  private static let signIn: [String: JSONValue] = [
    "auth_time": 1_767_225_000, "tid": "22222222-2222-4222-8222-222222222222",
  ]

  static let useless: [Times] = [
    Times(testDescription: "iat beyond the skew") { $0["iat"] = .integer($1 + 301) },
    Times(testDescription: "iat a day ahead") {
      $0["iat"] = .integer($1 + 86_400)
      $0["exp"] = .integer($1 + 90_000)
    },
    Times(testDescription: "iat in milliseconds") { $0["iat"] = .integer($1 * 1000) },
    Times(testDescription: "iat and exp in milliseconds") {
      $0["iat"] = .integer($1 * 1000)
      $0["exp"] = .integer(($1 + 3_600) * 1000)
    },
    Times(testDescription: "iat in milliseconds as text") { $0["iat"] = .string("\($1 * 1000)") },
    Times(testDescription: "iat without end") { claims, _ in claims["iat"] = .number(1e300) },
    Times(testDescription: "iat before all time") { claims, _ in claims["iat"] = -1 },
    Times(testDescription: "iat that is no number") { claims, _ in claims["iat"] = "yesterday" },
    Times(testDescription: "iat that is null") { claims, _ in claims["iat"] = .null },
    Times(testDescription: "exp at iat") {
      $0["iat"] = .integer($1 + 100)
      $0["exp"] = .integer($1 + 100)
    },
    Times(testDescription: "exp before iat") {
      $0["iat"] = .integer($1 + 100)
      $0["exp"] = .integer($1 + 99)
    },
    Times(testDescription: "exp more than a year after iat") { $0["exp"] = .integer($1 + 366 * 86_400) },
    Times(testDescription: "exp in milliseconds") { $0["exp"] = .integer(($1 + 3_600) * 1000) },
    Times(testDescription: "exp without end") { claims, _ in claims["exp"] = .number(1e300) },
    Times(testDescription: "exp without end as text") { claims, _ in claims["exp"] = "1e300" },
    Times(testDescription: "another nonce") { claims, _ in claims["nonce"] = "another" },
    Times(testDescription: "an auth_time after the sign-in's") { claims, _ in claims["auth_time"] = 1_767_225_301 },
    Times(testDescription: "an auth_time before the sign-in's") { claims, _ in claims["auth_time"] = 1_767_224_699 },
    Times(testDescription: "an iat before the record's") { $0["iat"] = .integer($1 - 4_301) },
    Times(testDescription: "expired") { $0["exp"] = .integer($1 - 301) },
    Times(testDescription: "without exp") { claims, _ in claims["exp"] = nil },
    Times(testDescription: "without sub") { claims, _ in claims["sub"] = nil },
    Times(testDescription: "without iss") { claims, _ in claims["iss"] = nil },
    Times(testDescription: "without aud") { claims, _ in claims["aud"] = nil },
    Times(testDescription: "aud that is no text") { claims, _ in claims["aud"] = 7 },
  ]

  @Test(
    "An id_token of no use leaves the claims as they were and freezes nothing; the tokens are kept", arguments: useless)
  func ofNoUse(_ times: Times) async throws {
    let stage = try await SignedInScene { $0.merge(Self.signIn.merging(["roles": ["admin"]]) { $1 }) { $1 } }
    let before = try await stage.scene.record()
    try await stage.refresh { claims, now in
      claims.merge(Self.signIn) { $1 }
      times.change(&claims, now)
    }
    let record = try await stage.scene.record()
    #expect(record.claims == before.claims && record.idToken == before.idToken)
    #expect(record.refreshToken != before.refreshToken)
    // The next right token counts: a role that the server has removed is gone.
    try await stage.refresh { $0.merge(Self.signIn) { $1 } }
    let user = try await stage.stored
    #expect(user.name == "Renamed" && user.claims["roles"] == nil)
    #expect(stage.scene.tenant.counters.reusedRefreshTokens == 0)
  }

  @Test("So does one that cannot be read", arguments: ["", "x", "a.b.c", "e30.e30."])
  func unreadable(_ text: String) async throws {
    let stage = try await SignedInScene()
    let before = try await stage.scene.record()
    stage.scene.tenant.behavior.changeTokenAnswer = { $0["id_token"] = .string(text) }
    try await stage.refresh { _ in }
    let record = try await stage.scene.record()
    #expect(record.claims == before.claims && record.idToken == before.idToken)
    #expect(record.refreshToken != before.refreshToken)
  }

  static let useful: [Times] = [
    Times(testDescription: "no iat") { claims, _ in claims["iat"] = nil },
    Times(testDescription: "iat within the skew") { $0["iat"] = .integer($1 + 299) },
    Times(testDescription: "times as text") {
      $0["iat"] = .string("\($1)")
      $0["exp"] = .string("\($1 + 3_600)")
    },
    Times(testDescription: "times with a fraction") {
      $0["iat"] = .number(Double($1) - 0.5)
      $0["exp"] = .number(Double($1) + 3_600.5)
    },
    Times(testDescription: "exp a year after iat") {
      $0["iat"] = .integer($1)
      $0["exp"] = .integer($1 + 365 * 86_400)
    },
    Times(testDescription: "as it comes") { _, _ in },
    Times(testDescription: "without oid and tid") { claims, _ in for name in ["oid", "tid"] { claims[name] = nil } },
    Times(testDescription: "without nonce and auth_time") { claims, _ in
      for name in ["nonce", "auth_time"] { claims[name] = nil }
    },
    Times(testDescription: "an auth_time within five minutes") { claims, _ in claims["auth_time"] = 1_767_225_300 },
    Times(testDescription: "an iat within five minutes before the record's") { $0["iat"] = .integer($1 - 4_299) },
    Times(testDescription: "this client as azp, in a list of aud") { claims, _ in
      let client = claims["aud"] ?? .null
      claims["aud"] = .array([client, "another-client"])
      claims["azp"] = client
    },
    Times(testDescription: "expired within the clock's tolerance") {
      $0["iat"] = .integer($1 - 4_000)
      $0["exp"] = .integer($1 - 290)
    },
  ]

  @Test("The claims of any other id_token replace the record's", arguments: useful)
  func taken(_ times: Times) async throws {
    let stage = try await SignedInScene { $0.merge(Self.signIn) { $1 } }
    let before = try await stage.scene.record()
    try await stage.refresh { claims, now in
      claims.merge(Self.signIn) { $1 }
      times.change(&claims, now)
    }
    #expect(try await stage.stored.name == "Renamed")
    #expect(try await stage.scene.record().idToken != before.idToken)
  }

  @Test("Signatures are not looked at: the token came from the token endpoint over TLS")
  func signature() async throws {
    let stage = try await SignedInScene()
    stage.scene.tenant.behavior.signIDTokens(.foreignKey)
    let before = stage.scene.network.requestCount
    try await stage.refresh { _ in }
    #expect(try await stage.stored.name == "Renamed")
    #expect(stage.scene.network.requestCount == before + 1)
  }

  private static let profile: [String: JSONValue] = [
    "given_name": "Alice", "email": "alice@example.com", "email_verified": true, "phone_number": "+49 1",
    "phone_number_verified": true, "address": ["country": "DE"], "locale": "de", "updated_at": 1_700_000_000,
  ]
  private static let rights: [String: JSONValue] = ["roles": ["admin"], "groups": ["a", "b"], "department": "Sales"]

  @Test(
    "Other providers need not repeat standard claims; every other claim is gone with the token",
    arguments: [LocalTenant.Shape.openIDConnect, .b2c, .entra, .ciam])
  func standardClaims(_ shape: LocalTenant.Shape) async throws {
    let stage = try await SignedInScene(shape) { $0.merge(Self.profile.merging(Self.rights) { $1 }) { $1 } }
    for _ in 0..<2 {
      try await stage.refresh { claims in
        for name in ["name", "email", "emails", "preferred_username"] { claims[name] = nil }
        claims["locale"] = .null
      }
    }
    let claims = try await stage.stored.claims
    for name in Self.rights.keys { #expect(claims[name] == nil, "\(name)") }
    for (name, value) in Self.profile where name != "locale" || shape == .openIDConnect {
      #expect(claims[name] == (shape == .openIDConnect ? value : nil), "\(name)")
    }
    #expect((claims["name"] == nil) == (shape != .openIDConnect))
  }

  @Test("A new address is not verified because the old one was", arguments: [nil, false, true] as [Bool?])
  func newAddress(_ isVerified: Bool?) async throws {
    let stage = try await SignedInScene(.openIDConnect) { $0.merge(Self.profile) { $1 } }
    try await stage.refresh {
      $0["email"] = "other@example.com"
      $0["email_verified"] = isVerified.map(JSONValue.bool)
      $0["phone_number"] = "+49 1"
    }
    let claims = try await stage.stored.claims
    #expect(claims["email"] == "other@example.com" && claims["email_verified"] == isVerified.map(JSONValue.bool))
    #expect(claims["phone_number_verified"] == true)
  }

  @Test("A claim that the server took away is gone after a refresh", arguments: ["name", "emails", "roles"])
  func takenAway(_ name: String) async throws {
    let scene = Scene { $0.changeIDTokenClaims = { $0["roles"] = ["admin"] } }
    let connector = try scene.connector()
    #expect(try await connector.signIn().user.claims[name] != nil)
    scene.tenant.behavior.changeIDTokenClaims = { $0[name] = nil }
    await scene.clock.advance(by: .seconds(4_000))
    _ = try await connector.accessToken()
    #expect(try await connector.session.user?.claims[name] == nil)
  }

  @Test("What says how the user signed in is kept where a refresh does not repeat it")
  func keptFromSignIn() async throws {
    let kept: Set = ["nonce", "auth_time", "amr", "idp"]
    let scene = Scene {
      $0.changeIDTokenClaims = {
        $0["amr"] = ["pwd"]
        $0["idp"] = "facebook.com"
      }
    }
    let connector = try scene.connector()
    let before = try await connector.signIn().user.claims.filter { kept.contains($0.key) }
    #expect(Set(before.keys) == kept)
    scene.tenant.behavior.changeIDTokenClaims = { claims in kept.forEach { claims[$0] = nil } }
    await scene.clock.advance(by: .seconds(4_000))
    _ = try await connector.accessToken()
    #expect(try await connector.session.user?.claims.filter { kept.contains($0.key) } == before)
  }

  @Test("An edit token without emails takes none away")
  func editWithoutEmails() async throws {
    let scene = Scene()
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(presenter: presenter)
    try await connector.signIn()
    scene.tenant.behavior.changeIDTokenClaims = { claims in
      if claims["tfp"]?.string == "B2C_1_EditProfile" { claims["emails"] = nil } else { claims["jobTitle"] = "Baker" }
    }
    presenter.follow(.editProfile(displayName: "Renamed"))
    try await connector.signIn(policy: Policy(id: "B2C_1_EditProfile", kind: .profileEdit))
    let user = try #require(try await connector.session.user)
    #expect(user.name == "Renamed")
    #expect(user.emails == [LocalUser.alice.email])
    #expect(user.policyID == Scene.signIn)
    #expect(user.claims["jobTitle"] == nil)
    // Those of the next refresh replace all.
    _ = try await connector.accessToken(forceRefresh: true)
    #expect(try await connector.session.user?.claims["jobTitle"] == "Baker")
  }
}
