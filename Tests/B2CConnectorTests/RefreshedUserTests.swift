import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// A user who has signed in at a local tenant, and whose id_tokens a test changes before the next refresh.
struct SignedInScene {
  let clock = TestClock()
  let tenant: LocalTenant
  let cache = DictionaryCache()
  let connector: Connector
  /// The user of the sign-in.
  let user: UserInfo

  /// Signs Alice in; `byDevice` by a device code that brings no id_token.
  init(
    _ shape: LocalTenant.Shape = .b2c, byDevice: Bool = false,
    _ change: @escaping @Sendable (inout [String: JSONValue]) -> Void = { _ in }
  ) async throws {
    let clock = clock
    tenant = LocalTenant(shape: shape, now: { clock.date })
    tenant.behavior.changeIDTokenClaims = change
    connector = try Connector.local(tenant, cache: cache, clock: clock)
    if byDevice {
      tenant.behavior.changeTokenAnswer = { $0["id_token"] = nil }
      user = try await connector.signInWithDeviceCode { [tenant] code in
        #expect(tenant.approveDevice(userCode: code.userCode, email: LocalUser.alice.email))
      }.user
      tenant.behavior.changeTokenAnswer = nil
    } else {
      user = try await connector.signIn().user
    }
  }

  /// Refreshes with an id_token that names the user `Renamed`.
  func refresh(_ change: @escaping @Sendable (inout [String: JSONValue]) -> Void) async throws {
    tenant.behavior.changeIDTokenClaims = {
      $0["name"] = "Renamed"
      change(&$0)
    }
    await clock.advance(by: .seconds(4_000))
    _ = try await connector.accessToken(user: user)
  }

  /// The user as stored.
  var stored: UserInfo {
    get async throws { try #require(try await connector.user(id: user.id)) }
  }
}

private let placeholder: JSONValue = "Not supported currently. Use oid claim."
private let zero = "00000000-0000-0000-0000-000000000000"
private let foreign: JSONValue = "99999999-9999-4999-8999-999999999999"

/// Who the id_token of a refresh names, against who signed in.
@Suite("The user of a refresh", .hangLimit)
struct RefreshedUserTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var shape = LocalTenant.Shape.b2c
    var signIn: @Sendable (inout [String: JSONValue]) -> Void = { _ in }
    let refresh: @Sendable (inout [String: JSONValue]) -> Void
  }

  static let others: [Row] = [
    Row(
      testDescription: "the placeholder and another oid, after a sign-in without oid", signIn: { $0["oid"] = nil },
      refresh: {
        $0["sub"] = placeholder
        $0["oid"] = foreign
      }),
    Row(
      testDescription: "another oid, after one of zeros", signIn: { $0["oid"] = .string(zero) },
      refresh: { $0["oid"] = foreign }),
    Row(testDescription: "another tenant, after a sign-in without tid", refresh: { $0["tid"] = foreign }),
    Row(
      testDescription: "another tenant, after a blank one", signIn: { $0["tid"] = " " },
      refresh: { $0["tid"] = foreign }
    ),
    Row(
      testDescription: "another tenant of Entra ID", shape: .entra, refresh: { $0["tid"] = foreign }),
    Row(
      testDescription: "another oid and no sub", shape: .ciam,
      refresh: {
        $0["sub"] = nil
        $0["oid"] = foreign
      }),
    Row(testDescription: "another sub", shape: .openIDConnect, refresh: { $0["sub"] = "mallory" }),
    Row(
      testDescription: "another oid with the same sub", shape: .openIDConnect, signIn: { $0["oid"] = "one" },
      refresh: { $0["oid"] = "two" }),
  ]

  @Test("Tokens of another user are refused, also if only the new token names that user", arguments: others)
  func other(_ row: Row) async throws {
    let scene = try await SignedInScene(row.shape, row.signIn)
    await expectError(ConnectorError.self, .interactionRequired, saying: "names another user") {
      try await scene.refresh(row.refresh)
    }
    #expect(try await scene.connector.session == .expired(scene.stored))
    #expect(try await scene.stored.claims == scene.user.claims)
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
      refresh: {
        $0["sub"] = placeholder
        $0["oid"] = .string(zero)
      }),
    Row(
      testDescription: "the placeholder and an oid that is a number",
      refresh: {
        $0["sub"] = placeholder
        $0["oid"] = 7
      }),
    Row(
      testDescription: "the placeholder and an oid in a list", shape: .entra,
      refresh: {
        $0["sub"] = placeholder
        $0["oid"] = ["one"]
      }),
    Row(testDescription: "a blank sub", shape: .openIDConnect, refresh: { $0["sub"] = "\t " }),
    Row(testDescription: "a sub that is a number", shape: .openIDConnect, refresh: { $0["sub"] = 1 }),
    Row(testDescription: "a sub of zeros", shape: .openIDConnect, refresh: { $0["sub"] = .string(zero) }),
    Row(testDescription: "an empty iss", refresh: { $0["iss"] = "" }),
    Row(testDescription: "an iss that is a list", shape: .entra, refresh: { $0["iss"] = ["https://login.example"] }),
  ]

  @Test("Claims that cannot be compared are not taken over, and the tokens are", arguments: incomparableRows)
  func incomparable(_ row: Row) async throws {
    let scene = try await SignedInScene(row.shape, row.signIn)
    for refreshes in 1...2 {
      try await scene.refresh(row.refresh)
      #expect(scene.tenant.counters.refreshes == refreshes)
    }
    #expect(try await scene.stored.claims == scene.user.claims)
    #expect(scene.tenant.counters.reusedRefreshTokens == 0)
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
    Row(
      testDescription: "the tenant's own tid, after a sign-in without it",
      refresh: { $0["tid"] = "22222222-2222-4222-8222-222222222222" }),
  ]

  @Test("A token that says less of the same user is taken over, and the user keeps all ids", arguments: sameRows)
  func same(_ row: Row) async throws {
    // A sub of the app's own, as Entra ID's are.
    let scene = try await SignedInScene(row.shape) { $0["sub"] = "pairwise" }
    for name in ["Once", "Twice"] {
      try await scene.refresh {
        $0["sub"] = "pairwise"
        row.refresh(&$0)
        $0["name"] = .string(name)
      }
      let stored = try await scene.stored
      #expect(stored.name == name)
      #expect(stored.subject == "pairwise" && stored.objectID == scene.user.objectID)
      #expect(scene.user.tenantID == nil || stored.tenantID == scene.user.tenantID)
    }
    await expectError(ConnectorError.self, .interactionRequired) { try await scene.refresh { $0["oid"] = foreign } }
  }

  @Test(
    "Whom userinfo alone has named is of the provider's issuer",
    arguments: ["https://evil.example", "", "https://idp.example.com/"])
  func deviceWithoutIDToken(_ issuer: String) async throws {
    let scene = try await SignedInScene(.openIDConnect, byDevice: true)
    #expect(scene.user.claims["iss"] == nil)
    if issuer.isEmpty {
      try await scene.refresh { _ in }
      #expect(try await scene.stored.name == "Renamed")
    } else {
      await expectError(ConnectorError.self, .interactionRequired, saying: "another issuer") {
        try await scene.refresh { $0["iss"] = .string(issuer) }
      }
    }
  }

  @Test(
    "A stored user without an issuer is of the provider's issuer", arguments: [LocalTenant.Shape.b2c, .entra, .ciam])
  func storedWithoutIssuer(_ shape: LocalTenant.Shape) async throws {
    for issuer in [nil, "https://evil.example", "https://login.example/22222222-2222-4222-8222-222222222222/v2.0"] {
      let scene = try await SignedInScene(shape)
      let key = try #require(await scene.cache.keys().first)
      var record = try #require(await scene.cache.record(for: key))
      record.claims["iss"] = nil
      record.stamp = UUID()
      await scene.cache.store(record, for: key)
      if let issuer {
        await expectError(ConnectorError.self, .interactionRequired, saying: "another issuer") {
          try await scene.refresh { $0["iss"] = .string(issuer) }
        }
      } else {
        try await scene.refresh { _ in }
        #expect(try await scene.stored.name == "Renamed")
      }
    }
  }
}
