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
