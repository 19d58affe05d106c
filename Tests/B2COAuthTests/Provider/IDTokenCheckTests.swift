import B2CCore
import B2COAuth
import B2CTestKit
import B2CTokenCache
import Foundation
import TestSupport
import Testing

/// OpenID Connect Core 12.2: whom the id_token of a refresh may name.
@Suite("The id_token of a refresh", .timeLimit(.minutes(10)))
struct IDTokenCheckTests {
  struct Change: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let named: String
    let apply: @Sendable (inout LocalTenant.Behavior) -> Void

    init(
      _ testDescription: String, names named: String = "",
      _ apply: @escaping @Sendable (inout LocalTenant.Behavior) -> Void
    ) {
      self.testDescription = testDescription
      self.named = named
      self.apply = apply
    }

    /// Changes one claim.
    init(_ name: String, _ value: JSONValue?, names named: String = "") {
      self.init("\(name): \(value.map { "\($0)" } ?? "none")", names: named) {
        $0.changeIDTokenClaims = { $0[name] = value }
      }
    }
  }

  static let foreignTokens: [Change] = [
    Change("sub", "another-person", names: "user"),
    Change("iss", "https://evil.example", names: "issuer"),
    Change("another iss, and a damaged signature", names: "issuer") {
      $0.signIDTokens(.damaged)
      $0.changeIDTokenClaims = { $0["iss"] = "https://evil.example" }
    },
    Change("iss with one slash more", names: "issuer") {
      $0.changeIDTokenClaims = { $0["iss"] = .string(($0["iss"]?.string ?? "") + "/") }
    },
    Change("aud", "another-client", names: "client"), Change("aud", ["another-client", "a-third"], names: "client"),
    Change("azp", "another-client", names: "client"),
  ]

  static let shapes: [LocalTenant.Shape] = [.b2c, .openIDConnect]

  @Test(
    "Another person, issuer or client than at the sign-in is refused, and nothing is stored", arguments: foreignTokens,
    shapes
  )
  func foreign(_ change: Change, _ shape: LocalTenant.Shape) async throws {
    let fixture = Fixture(shape: shape)
    let client = try fixture.client()
    try await client.signIn()
    let key = try #require(try await fixture.cache.keys().first)
    let before = try await fixture.cache.record(for: key)
    await fixture.clock.advance(by: .seconds(4_000))
    change.apply(&fixture.tenant.behavior)
    let error = try await #require(throws: ConnectorError.self) { try await client.accessToken() }
    #expect(error.code == .interactionRequired)
    #expect(error.message.contains("names another \(change.named) than"))
    #expect(!"\(error)".contains("evil.example") && !"\(error)".contains("another-"))
    #expect(try await fixture.cache.record(for: key) == before)
  }

  static let ownTokens: [Change] = [
    Change("iss", nil), Change("aud", nil), Change("aud", 7), Change("azp", 7),
    Change("aud", [.string(LocalTenant.standardClientID)]),
    Change("aud", [.string(LocalTenant.standardClientID), "another-client"]),
    Change("azp", .string(LocalTenant.standardClientID)),
  ]

  @Test("What names this client among others, or names nobody, costs no token", arguments: ownTokens, shapes)
  func own(_ change: Change, _ shape: LocalTenant.Shape) async throws {
    let fixture = Fixture(shape: shape)
    let client = try fixture.client()
    let first = try #require(try await client.signIn().accessToken)
    await fixture.clock.advance(by: .seconds(4_000))
    change.apply(&fixture.tenant.behavior)
    #expect(try await client.accessToken().token != first.token)
  }

  @Test("A record without an iss, as an older state may have stored it, is compared with nothing")
  func withoutIssuer() async throws {
    let fixture = Fixture()
    try await fixture.client().signIn()
    let key = try #require(try await fixture.cache.keys().first)
    var record = try #require(try await fixture.cache.record(for: key))
    record.claims["iss"] = nil
    try await fixture.cache.store(record, for: key)
    await fixture.clock.advance(by: .seconds(4_000))
    fixture.tenant.behavior.changeIDTokenClaims = { $0["iss"] = "https://evil.example" }
    _ = try await fixture.client().accessToken()
  }
}
