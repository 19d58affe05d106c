import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

private let placeholder: JSONValue = "Not supported currently. Use oid claim."
private let zero: JSONValue = "00000000-0000-0000-0000-000000000000"
private let foreign: JSONValue = "99999999-9999-4999-8999-999999999999"
private let tenantGUID = "22222222-2222-4222-8222-222222222222"
private let tenantID = JSONValue.string(tenantGUID)

/// The claims that a record takes over from the id_token of a refresh, and those that it keeps.
@Suite("The claims of a refresh", .hangLimit)
struct RefreshedClaimsTests {
  /// The claims that say how and when Alice has signed in.
  private static let signIn: RefreshRow.Claims = [
    "auth_time": 1_767_225_000, "tid": tenantID,
  ]

  static let useless: [RefreshRow] = [
    RefreshRow("iat beyond the skew") { ["iat": .integer($0 + 301)] },
    RefreshRow("iat in milliseconds") { ["iat": .integer($0 * 1_000)] },
    RefreshRow("iat that is no number", ["iat": "yesterday"]), RefreshRow("null as iat", ["iat": .some(.null)]),
    RefreshRow("exp at iat") { ["iat": .integer($0 + 100), "exp": .integer($0 + 100)] },
    RefreshRow("exp more than a year after iat") { ["exp": .integer($0 + 366 * 86_400)] },
    RefreshRow("exp in milliseconds") { ["exp": .integer(($0 + 3_600) * 1_000)] },
    RefreshRow("another nonce", ["nonce": "another"]),
    RefreshRow("auth_time after the sign-in's", ["auth_time": 1_767_225_301]),
    RefreshRow("auth_time before the sign-in's", ["auth_time": 1_767_224_699]),
    RefreshRow("iat before the record's") { ["iat": .integer($0 - 4_301)] },
    RefreshRow("expired") { ["exp": .integer($0 - 301)] },
    RefreshRow("no exp", ["exp": nil]), RefreshRow("no sub", ["sub": nil]), RefreshRow("no iss", ["iss": nil]),
    RefreshRow("no aud", ["aud": nil]), RefreshRow("a number as aud", ["aud": 7]),
    // Claims that cannot be compared with the record's.
    RefreshRow("the placeholder alone", after: ["sub": placeholder], ["sub": placeholder, "oid": nil]),
    RefreshRow("a sub after the placeholder", after: ["sub": placeholder], ["sub": "mallory", "oid": nil]),
    RefreshRow("the placeholder and an oid of zeros", ["sub": placeholder, "oid": zero]),
    RefreshRow("the placeholder and a number as oid", ["sub": placeholder, "oid": 7]),
    RefreshRow("the placeholder and a list as oid", at: .entra, ["sub": placeholder, "oid": ["one"]]),
    RefreshRow("a blank sub", at: .openIDConnect, ["sub": "\t "]),
    RefreshRow("a number as sub", at: .openIDConnect, ["sub": 1]),
    RefreshRow("a sub of zeros", at: .openIDConnect, ["sub": zero]),
    RefreshRow("an empty iss", ["iss": ""]),
    RefreshRow("a list as iss", at: .entra, ["iss": ["https://login.example"]]),
  ]

  @Test("A useless id_token changes no claim and prevents no later change, and the tokens are kept", arguments: useless)
  func changesNothing(_ row: RefreshRow) async throws {
    let claims = Self.signIn.merging(["roles": ["admin"]]) { $1 }.merging(row.signIn) { $1 }
    let stage = try await SignedInScene(row.shape, claims: claims)
    let before = try await stage.scene.record()
    try await stage.refresh {
      $0.set(Self.signIn)
      row.refresh(&$0, $1)
    }
    let record = try await stage.scene.record()
    #expect(record.claims == before.claims && record.idToken == before.idToken)
    #expect(record.refreshToken != before.refreshToken)
    // The next token takes a role away.
    try await stage.refresh(Self.signIn)
    let user = try await stage.stored
    #expect(user.name == "Renamed" && user.claims["roles"] == nil)
    stage.scene.expectRefreshes(2)
  }

  @Test(
    "An id_token that is missing or cannot be read changes no claim, and the tokens are kept",
    arguments: [nil, "", "x", "a.b.c", "e30.e30."] as [JSONValue?])
  func unreadable(_ idToken: JSONValue?) async throws {
    let stage = try await SignedInScene(.b2c)
    let before = try await stage.scene.record()
    stage.scene.tenant.behavior.changeTokenAnswer = { $0["id_token"] = idToken }
    try await stage.refresh()
    let record = try await stage.scene.record()
    #expect(record.claims == before.claims && record.idToken == before.idToken)
    #expect(record.refreshToken != before.refreshToken)
  }

  static let useful: [RefreshRow] = [
    RefreshRow("nothing unusual", [:]), RefreshRow("no iat", ["iat": nil]),
    RefreshRow("a sub after the placeholder", after: ["sub": placeholder], [:]),
    RefreshRow("iat within the skew") { ["iat": .integer($0 + 299)] },
    RefreshRow("times as text") { ["iat": .string("\($0)"), "exp": .string("\($0 + 3_600)")] },
    RefreshRow("times with a fraction") { ["iat": .number(Double($0) - 0.5), "exp": .number(Double($0) + 3_600.5)] },
    RefreshRow("exp a year after iat") { ["iat": .integer($0), "exp": .integer($0 + 365 * 86_400)] },
    RefreshRow("no oid and tid", ["oid": nil, "tid": nil]),
    RefreshRow("no nonce and auth_time", ["nonce": nil, "auth_time": nil]),
    RefreshRow("auth_time within five minutes", ["auth_time": 1_767_225_300]),
    RefreshRow("iat within five minutes before the record's") { ["iat": .integer($0 - 4_299)] },
    RefreshRow(
      "this client as azp, in a list of aud",
      ["aud": [.string(LocalTenant.standardClientID), "another"], "azp": .string(LocalTenant.standardClientID)]),
    RefreshRow("expired within the skew") { ["iat": .integer($0 - 4_000), "exp": .integer($0 - 290)] },
  ]

  @Test("The claims of any other id_token replace the record's", arguments: useful)
  func replaces(_ row: RefreshRow) async throws {
    let stage = try await SignedInScene(row.shape, claims: Self.signIn.merging(row.signIn) { $1 })
    let before = try await stage.scene.record()
    try await stage.refresh {
      $0.set(Self.signIn)
      row.refresh(&$0, $1)
    }
    #expect(try await stage.stored.name == "Renamed")
    #expect(try await stage.scene.record().idToken != before.idToken)
  }

  @Test("The signature is not checked and no key is fetched, because the token endpoint sent the token over TLS")
  func signature() async throws {
    let stage = try await SignedInScene(.b2c)
    let before = stage.scene.network.requestCount
    stage.scene.tenant.behavior.signIDTokens(.foreignKey)
    try await stage.refresh()
    #expect(try await stage.stored.name == "Renamed" && stage.scene.network.requestCount == before + 1)
  }

  private static let profile: [String: JSONValue] = [
    "given_name": "Alice", "email": "alice@example.com", "email_verified": true, "phone_number": "+49 1",
    "phone_number_verified": true, "address": ["country": "DE"], "locale": "de", "updated_at": 1_700_000_000,
  ]
  private static let rights: [String: JSONValue] = ["roles": ["admin"], "groups": ["a", "b"], "department": "Sales"]

  @Test(
    "If a refresh does not repeat them, other providers' standard claims stay, and every other claim is removed",
    arguments: [LocalTenant.Shape.openIDConnect, .b2c, .entra, .ciam])
  func standardClaims(_ shape: LocalTenant.Shape) async throws {
    let stage = try await SignedInScene(shape, claims: Self.profile.merging(Self.rights) { $1 })
    for _ in 0..<2 {
      try await stage.refresh([
        "name": nil, "email": nil, "emails": nil, "preferred_username": nil, "locale": .some(.null),
      ])
    }
    let claims = try await stage.stored.claims
    for name in Self.rights.keys + ["emails"] { #expect(claims[name] == nil, "\(name)") }
    for (name, value) in Self.profile where name != "locale" || shape == .openIDConnect {
      #expect(claims[name] == (shape == .openIDConnect ? value : nil), "\(name)")
    }
    #expect((claims["name"] == nil) == (shape != .openIDConnect))
  }

  @Test("A new address is not verified because the old one was", arguments: [nil, false, true] as [JSONValue?])
  func newAddress(_ isVerified: JSONValue?) async throws {
    let stage = try await SignedInScene(.openIDConnect, claims: Self.profile)
    try await stage.refresh(["email": "other@example.com", "email_verified": isVerified, "phone_number": "+49 1"])
    let claims = try await stage.stored.claims
    #expect(claims["email"] == "other@example.com" && claims["email_verified"] == isVerified)
    #expect(claims["phone_number_verified"] == true)
  }

  @Test("Claims that say how the user signed in stay if a refresh does not repeat them")
  func keptFromSignIn() async throws {
    let kept = ["nonce", "auth_time", "acr", "amr", "idp"]
    let stage = try await SignedInScene(.b2c, claims: ["acr": "2", "amr": ["pwd"], "idp": "facebook.com"])
    try await stage.refresh { claims, _ in kept.forEach { claims[$0] = nil } }
    for name in kept {
      let before = try #require(stage.alice.user.claims[name], "\(name)")
      #expect(try await stage.stored.claims[name] == before, "\(name)")
    }
  }
}

/// The user that the id_token of a refresh names, compared with the user who signed in.
@Suite("The user of a refresh", .hangLimit)
struct RefreshedUserTests {
  static let otherIssuers: [RefreshRow] = [
    RefreshRow("another iss", ["iss": "https://evil.example"]),
    RefreshRow("iss without its slash", ["iss": .string("https://contoso.b2clogin.com/\(tenantGUID)/v2.0")]),
    RefreshRow("another iss", at: .openIDConnect, ["iss": "https://evil.example"]),
    RefreshRow("iss with a slash", at: .openIDConnect, ["iss": "https://contoso.example/"]),
  ]
  static let otherClients = [LocalTenant.Shape.b2c, .openIDConnect].flatMap { shape -> [RefreshRow] in
    [
      RefreshRow("aud without this client", at: shape, ["aud": "another-client"]),
      RefreshRow("a list of aud without this client", at: shape, ["aud": ["another-client", "a-third"]]),
      RefreshRow("an empty list of aud", at: shape, ["aud": []]),
      RefreshRow("another azp", at: shape, ["azp": "another-client"]),
    ]
  }
  static let otherUsers =
    [LocalTenant.Shape.b2c, .openIDConnect].flatMap { shape -> [RefreshRow] in
      [
        RefreshRow("another sub", at: shape, ["sub": "another-person"]),
        RefreshRow("sub in another case", at: shape, ["sub": .string(LocalUser.alice.id.uppercased())]),
        RefreshRow("another tid", at: shape, after: ["tid": tenantID], ["tid": foreign]),
        // Such a token is another user's even if its claims would not be taken over.
        RefreshRow("another sub, expired", at: shape, ["sub": "another-person", "exp": 1_000]),
        RefreshRow("another sub, another nonce", at: shape, ["sub": "another-person", "nonce": "another"]),
      ]
    } + otherObjects
  private static let otherObjects: [RefreshRow] = [
    RefreshRow("another oid", ["oid": foreign]),
    RefreshRow("another oid after none", after: ["oid": nil], ["sub": placeholder, "oid": foreign]),
    RefreshRow("another oid after one of zeros", after: ["oid": zero], ["oid": foreign]),
    RefreshRow("another tid after none", ["tid": foreign]),
    RefreshRow("another tid after a blank one", after: ["tid": " "], ["tid": foreign]),
    RefreshRow("another tid", at: .entra, ["tid": foreign]),
    RefreshRow("another oid and no sub", at: .ciam, ["sub": nil, "oid": foreign]),
    RefreshRow("another oid with the same sub", at: .openIDConnect, after: ["oid": "one"], ["oid": "two"]),
  ]

  @Test(
    "Tokens that name another user, issuer or client are refused, and the session ends",
    arguments: otherIssuers.map { ("issuer", $0) } + otherClients.map { ("client", $0) }
      + otherUsers.map { ("user", $0) })
  func other(_ named: String, _ row: RefreshRow) async throws {
    let stage = try await SignedInScene(row.shape, claims: row.signIn)
    let before = try await stage.scene.record()
    // The access token has not expired, and is not used either.
    let error = try await #require(throws: ConnectorError.self) {
      try await stage.refresh(after: 3_400, row.refresh)
    }
    #expect(error.code == .interactionRequired && error.message.contains("names another \(named) than"), "\(error)")
    #expect(!"\(error)".contains("evil.example") && !"\(error)".contains("another-"))
    let record = try await stage.scene.record()
    #expect(record.isEnded && record.refreshToken == nil && record.accessTokens.isEmpty && record.idToken == nil)
    #expect(record.claims == before.claims && record.signIn == before.signIn)
    #expect(try await stage.connector.session == .expired(stage.stored))
    await expectError(ConnectorError.self, .interactionRequired) { try await stage.connector.accessToken() }
    #expect(stage.scene.tenant.counters.refreshRequests == 1, "The refresh token is sent once.")
  }

  static let thin: [RefreshRow] = [
    RefreshRow("no oid", ["oid": nil]), RefreshRow("a number as oid", ["oid": 7]),
    RefreshRow("null as oid", at: .ciam, ["oid": .some(.null)]),
    RefreshRow("an oid of zeros in braces", ["oid": "{00000000-0000-0000-0000-000000000000}"]),
    RefreshRow("an oid of spaces", at: .entra, ["oid": "\u{A0} "]),
    RefreshRow("a tid of zeros", at: .entra, ["tid": zero]),
    RefreshRow("an empty tid", at: .entra, ["tid": ""]), RefreshRow("the placeholder", ["sub": placeholder]),
    RefreshRow("the tenant's own tid after none", ["tid": tenantID]),
  ]

  @Test("Claims that say less of the same user are taken over, and the user keeps all ids", arguments: thin)
  func takesThinClaims(_ row: RefreshRow) async throws {
    // Entra ID sends a sub that is only for this app.
    let stage = try await SignedInScene(row.shape, claims: ["sub": "pairwise"])
    for name in ["Once", "Twice"] as [JSONValue] {
      try await stage.refresh {
        $0["sub"] = "pairwise"
        row.refresh(&$0, $1)
        $0["name"] = name
      }
      let stored = try await stage.stored
      #expect(stored.claims["name"] == name)
      #expect(stored.subject == "pairwise" && stored.objectID == stage.alice.user.objectID)
      #expect(stage.alice.user.tenantID == nil || stored.tenantID == stage.alice.user.tenantID)
    }
    await expectError(ConnectorError.self, .interactionRequired) { try await stage.refresh(["oid": foreign]) }
  }

  @Test(
    "A stored user without an issuer, as of a device code without an id_token, belongs to the provider's issuer",
    arguments: [LocalTenant.Shape.b2c, .entra, .ciam, .openIDConnect],
    [nil, "https://contoso.example/", .string("https://login.example/\(tenantGUID)/v2.0")] as [JSONValue?])
  func storedWithoutIssuer(_ shape: LocalTenant.Shape, _ issuer: JSONValue?) async throws {
    let stage = try await SignedInScene(shape)
    let key = try #require(try await stage.scene.cache.keys().first)
    var record = try await stage.scene.record()
    record.claims["iss"] = nil
    record.stamp = UUID()
    try await stage.scene.cache.store(record, for: key)
    let refresh = { try await stage.refresh { claims, _ in claims["iss"] = issuer ?? claims["iss"] } }
    if issuer == nil {
      try await refresh()
      #expect(try await stage.stored.name == "Renamed")
    } else {
      await expectError(ConnectorError.self, .interactionRequired, saying: "another issuer") { try await refresh() }
    }
  }
}
