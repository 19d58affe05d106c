import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// A user who has signed in, and whose id_tokens a test changes before the next refresh.
struct SignedInScene {
  typealias Change = @Sendable (inout [String: JSONValue]) -> Void

  let scene: Scene
  let connector: Connector
  /// The user of the sign-in.
  let user: UserInfo

  /// Signs Alice in; `byDevice` by a device code that brings no id_token.
  init(_ shape: LocalTenant.Shape = .b2c, byDevice: Bool = false, _ change: @escaping Change = { _ in }) async throws {
    let scene = Scene(shape: shape)
    self.scene = scene
    scene.tenant.behavior.changeIDTokenClaims = change
    connector = try scene.connector()
    if byDevice {
      scene.tenant.behavior.changeTokenAnswer = { $0["id_token"] = nil }
      user = try await connector.signInWithDeviceCode { code in
        #expect(scene.tenant.approveDevice(userCode: code.userCode, email: LocalUser.alice.email))
      }.user
      scene.tenant.behavior.changeTokenAnswer = nil
    } else {
      user = try await connector.signIn().user
    }
  }

  /// Refreshes with an id_token that names the user `Renamed`; the time of its issue in seconds is the second argument.
  func refresh(after seconds: Int = 4_000, _ change: @escaping @Sendable (inout [String: JSONValue], Int64) -> Void)
    async throws
  {
    let clock = scene.clock
    scene.tenant.behavior.changeIDTokenClaims = {
      $0["name"] = "Renamed"
      change(&$0, Int64(clock.date.timeIntervalSince1970))
    }
    await clock.advance(by: .seconds(seconds))
    _ = try await connector.accessToken(user: user)
  }

  func refresh(_ change: @escaping Change) async throws { try await refresh { claims, _ in change(&claims) } }

  /// The user as stored.
  var stored: UserInfo {
    get async throws { try #require(try await connector.user(id: user.id)) }
  }
}

private let placeholder: JSONValue = "Not supported currently. Use oid claim."
private let zero = "00000000-0000-0000-0000-000000000000"
private let foreign: JSONValue = "99999999-9999-4999-8999-999999999999"
private let tenantID: JSONValue = "22222222-2222-4222-8222-222222222222"

/// Who the id_token of a refresh names, against who signed in.
@Suite("The user of a refresh", .hangLimit)
struct RefreshedUserTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var shape = LocalTenant.Shape.b2c
    /// What the token names another one of.
    var named = "user"
    var signIn: SignedInScene.Change = { _ in }
    let refresh: SignedInScene.Change
  }

  static let strangers: [Row] = [LocalTenant.Shape.b2c, .openIDConnect].flatMap { shape in
    let signIn: SignedInScene.Change = { $0["tid"] = tenantID }
    func row(_ name: String, _ named: String, _ refresh: @escaping SignedInScene.Change) -> Row {
      Row(testDescription: "\(shape): \(name)", shape: shape, named: named, signIn: signIn, refresh: refresh)
    }
    return [
      row("another iss", "issuer") { $0["iss"] = "https://evil.example" },
      row("iss with one slash more", "issuer") { $0["iss"] = .string(($0["iss"]?.string ?? "") + "/") },
      row("aud without this client", "client") { $0["aud"] = "another-client" },
      row("a list of aud without this client", "client") { $0["aud"] = ["another-client", "a-third"] },
      row("an empty list of aud", "client") { $0["aud"] = [] },
      row("another azp", "client") { $0["azp"] = "another-client" },
      row("another sub", "user") { $0["sub"] = "another-person" },
      row("sub in another case", "user") { $0["sub"] = .string(LocalUser.alice.id.uppercased()) },
      row("another tid", "user") { $0["tid"] = foreign },
      // The other rules do not make it less than another person's.
      row("another sub, expired", "user") { $0.merge(["sub": "another-person", "exp": 1_000]) { $1 } },
      row("another sub, another nonce", "user") { $0.merge(["sub": "another-person", "nonce": "another"]) { $1 } },
    ]
  }

  static let others: [Row] = [
    Row(testDescription: "another oid", refresh: { $0["oid"] = foreign }),
    Row(
      testDescription: "the placeholder and another oid, after a sign-in without oid", signIn: { $0["oid"] = nil },
      refresh: { $0.merge(["sub": placeholder, "oid": foreign]) { $1 } }),
    Row(
      testDescription: "another oid, after one of zeros", signIn: { $0["oid"] = .string(zero) },
      refresh: { $0["oid"] = foreign }),
    Row(testDescription: "another tenant, after a sign-in without tid", refresh: { $0["tid"] = foreign }),
    Row(
      testDescription: "another tenant, after a blank one", signIn: { $0["tid"] = " " },
      refresh: { $0["tid"] = foreign }),
    Row(testDescription: "another tenant of Entra ID", shape: .entra, refresh: { $0["tid"] = foreign }),
    Row(
      testDescription: "another oid and no sub", shape: .ciam,
      refresh: {
        $0["sub"] = nil
        $0["oid"] = foreign
      }),
    Row(
      testDescription: "another oid with the same sub", shape: .openIDConnect, signIn: { $0["oid"] = "one" },
      refresh: { $0["oid"] = "two" }),
  ]

  @Test(
    "Tokens that name another user, issuer or client are refused, and the session ends", arguments: strangers + others)
  func other(_ row: Row) async throws {
    let stage = try await SignedInScene(row.shape, row.signIn)
    let before = try await stage.scene.record()
    let error = try await #require(throws: ConnectorError.self) { try await stage.refresh(row.refresh) }
    #expect(error.code == .interactionRequired && error.message.contains("names another \(row.named) than"), "\(error)")
    #expect(!"\(error)".contains("evil.example") && !"\(error)".contains("another-"))
    let record = try await stage.scene.record()
    #expect(record.isEnded && record.refreshToken == nil && record.accessTokens.isEmpty && record.idToken == nil)
    #expect(record.claims == before.claims && record.signIn == before.signIn)
    #expect(try await stage.connector.session == .expired(stage.stored))
    // Nothing is sent again.
    await expectError(ConnectorError.self, .interactionRequired) { try await stage.connector.accessToken() }
    #expect(stage.scene.tenant.counters.refreshRequests == 1)
  }

  @Test("A token that has not expired is not served after that", arguments: strangers.prefix(2))
  func otherWhileEarly(_ row: Row) async throws {
    let stage = try await SignedInScene(row.shape, row.signIn)
    await expectError(ConnectorError.self, .interactionRequired) {
      try await stage.refresh(after: 3_400) { claims, _ in row.refresh(&claims) }
    }
  }

  static let incomparableRows: [Row] = [
    Row(
      testDescription: "the placeholder alone", signIn: { $0["sub"] = placeholder },
      refresh: {
        $0["sub"] = placeholder
        $0["oid"] = nil
      }),
    Row(
      testDescription: "a sub where there was the placeholder", signIn: { $0["sub"] = placeholder },
      refresh: {
        $0["sub"] = "mallory"
        $0["oid"] = nil
      }),
    Row(
      testDescription: "the placeholder and an oid of zeros",
      refresh: { $0.merge(["sub": placeholder, "oid": .string(zero)]) { $1 } }),
    Row(
      testDescription: "the placeholder and an oid that is a number",
      refresh: { $0.merge(["sub": placeholder, "oid": 7]) { $1 } }),
    Row(
      testDescription: "the placeholder and an oid in a list", shape: .entra,
      refresh: { $0.merge(["sub": placeholder, "oid": ["one"]]) { $1 } }),
    Row(testDescription: "a blank sub", shape: .openIDConnect, refresh: { $0["sub"] = "\t " }),
    Row(testDescription: "a sub that is a number", shape: .openIDConnect, refresh: { $0["sub"] = 1 }),
    Row(testDescription: "a sub of zeros", shape: .openIDConnect, refresh: { $0["sub"] = .string(zero) }),
    Row(testDescription: "an empty iss", refresh: { $0["iss"] = "" }),
    Row(testDescription: "an iss that is a list", shape: .entra, refresh: { $0["iss"] = ["https://login.example"] }),
  ]

  @Test("Claims that cannot be compared are not taken over, and the tokens are", arguments: incomparableRows)
  func incomparable(_ row: Row) async throws {
    let stage = try await SignedInScene(row.shape, row.signIn)
    for refreshes in 1...2 {
      try await stage.refresh(row.refresh)
      #expect(stage.scene.tenant.counters.refreshes == refreshes)
    }
    #expect(try await stage.stored.claims == stage.user.claims)
    #expect(stage.scene.tenant.counters.reusedRefreshTokens == 0)
  }

  static let sameRows: [Row] = [
    Row(testDescription: "no oid", refresh: { $0["oid"] = nil }),
    Row(testDescription: "an oid that is a number", refresh: { $0["oid"] = 7 }),
    Row(testDescription: "an oid that is null", shape: .ciam, refresh: { $0["oid"] = .null }),
    Row(testDescription: "an oid of zeros in braces", refresh: { $0["oid"] = .string("{\(zero)}") }),
    Row(testDescription: "an oid of spaces", shape: .entra, refresh: { $0["oid"] = "\u{A0} " }),
    Row(testDescription: "a tid of zeros", shape: .entra, refresh: { $0["tid"] = .string(zero) }),
    Row(testDescription: "an empty tid", shape: .entra, refresh: { $0["tid"] = "" }),
    Row(testDescription: "the placeholder", refresh: { $0["sub"] = placeholder }),
    Row(testDescription: "the tenant's own tid, after a sign-in without it", refresh: { $0["tid"] = tenantID }),
  ]

  @Test("A token that says less of the same user is taken over, and the user keeps all ids", arguments: sameRows)
  func same(_ row: Row) async throws {
    // A sub of the app's own, as Entra ID's are.
    let stage = try await SignedInScene(row.shape) { $0["sub"] = "pairwise" }
    for name in ["Once", "Twice"] {
      try await stage.refresh {
        $0["sub"] = "pairwise"
        row.refresh(&$0)
        $0["name"] = .string(name)
      }
      let stored = try await stage.stored
      #expect(stored.name == name)
      #expect(stored.subject == "pairwise" && stored.objectID == stage.user.objectID)
      #expect(stage.user.tenantID == nil || stored.tenantID == stage.user.tenantID)
    }
    await expectError(ConnectorError.self, .interactionRequired) { try await stage.refresh { $0["oid"] = foreign } }
  }

  @Test("A placeholder at the sign-in is no subject that a refresh could differ from")
  func placeholderAtSignIn() async throws {
    let stage = try await SignedInScene { $0["sub"] = placeholder }
    try await stage.refresh { _ in }
    #expect(try await stage.stored.name == "Renamed")
  }

  @Test(
    "Whom userinfo alone has named is of the provider's issuer",
    arguments: ["https://evil.example", "", "https://idp.example.com/"])
  func deviceWithoutIDToken(_ issuer: String) async throws {
    let stage = try await SignedInScene(.openIDConnect, byDevice: true)
    #expect(stage.user.claims["iss"] == nil)
    if issuer.isEmpty {
      try await stage.refresh { _ in }
      #expect(try await stage.stored.name == "Renamed")
    } else {
      await expectError(ConnectorError.self, .interactionRequired, saying: "another issuer") {
        try await stage.refresh { $0["iss"] = .string(issuer) }
      }
    }
  }

  @Test(
    "A stored user without an issuer is of the provider's issuer", arguments: [LocalTenant.Shape.b2c, .entra, .ciam])
  func storedWithoutIssuer(_ shape: LocalTenant.Shape) async throws {
    for issuer in [nil, "https://evil.example", "https://login.example/22222222-2222-4222-8222-222222222222/v2.0"] {
      let stage = try await SignedInScene(shape)
      let cache = stage.scene.cache
      let key = try #require(try await cache.keys().first)
      var record = try #require(try await cache.record(for: key))
      record.claims["iss"] = nil
      record.stamp = UUID()
      try await cache.store(record, for: key)
      if let issuer {
        await expectError(ConnectorError.self, .interactionRequired, saying: "another issuer") {
          try await stage.refresh { $0["iss"] = .string(issuer) }
        }
      } else {
        try await stage.refresh { _ in }
        #expect(try await stage.stored.name == "Renamed")
      }
    }
  }
}
