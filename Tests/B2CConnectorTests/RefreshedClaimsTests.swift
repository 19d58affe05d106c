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

  static let impossibleTimes: [Times] = [
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
  ]

  @Test("Claims with impossible times are not taken over, and freeze nothing", arguments: impossibleTimes)
  func impossible(_ times: Times) async throws {
    let scene = try await SignedInScene { $0["roles"] = ["admin"] }
    let clock = scene.clock
    try await scene.refresh { times.change(&$0, Int64(clock.date.timeIntervalSince1970)) }
    #expect(try await scene.stored.claims == scene.user.claims)
    // The next right token counts: a role that the server has removed is gone.
    try await scene.refresh { _ in }
    let user = try await scene.stored
    #expect(user.name == "Renamed" && user.claims["roles"] == nil)
    #expect(scene.tenant.counters.reusedRefreshTokens == 0)
  }

  static let possibleTimes: [Times] = [
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
  ]

  @Test("Claims with possible times are taken over", arguments: possibleTimes)
  func possible(_ times: Times) async throws {
    let scene = try await SignedInScene()
    let clock = scene.clock
    try await scene.refresh { times.change(&$0, Int64(clock.date.timeIntervalSince1970)) }
    #expect(try await scene.stored.name == "Renamed")
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
    let scene = try await SignedInScene(shape) { $0.merge(Self.profile.merging(Self.rights) { $1 }) { $1 } }
    for _ in 0..<2 {
      try await scene.refresh { claims in
        for name in ["name", "email", "emails", "preferred_username"] { claims[name] = nil }
        claims["locale"] = .null
      }
    }
    let claims = try await scene.stored.claims
    for name in Self.rights.keys { #expect(claims[name] == nil, "\(name)") }
    for (name, value) in Self.profile where name != "locale" || shape == .openIDConnect {
      #expect(claims[name] == (shape == .openIDConnect ? value : nil), "\(name)")
    }
    #expect((claims["name"] == nil) == (shape != .openIDConnect))
  }

  @Test("A new address is not verified because the old one was", arguments: [nil, false, true] as [Bool?])
  func newAddress(_ isVerified: Bool?) async throws {
    let scene = try await SignedInScene(.openIDConnect) { $0.merge(Self.profile) { $1 } }
    try await scene.refresh {
      $0["email"] = "other@example.com"
      $0["email_verified"] = isVerified.map(JSONValue.bool)
      $0["phone_number"] = "+49 1"
    }
    let claims = try await scene.stored.claims
    #expect(claims["email"] == "other@example.com" && claims["email_verified"] == isVerified.map(JSONValue.bool))
    #expect(claims["phone_number_verified"] == true)
  }
}
