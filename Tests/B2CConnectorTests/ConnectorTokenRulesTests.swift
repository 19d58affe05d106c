import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// What a record knows of its tokens: when the refresh token ends, and what an access token is good for.
@Suite("The rules of stored tokens", .hangLimit)
struct ConnectorTokenRulesTests {
  @Test(
    "A new refresh token has its own expiry, or none that is known",
    arguments: [(nil, true), (.integer(9_000_000), true), ("9000000", true), (.integer(4_000), false)]
      as [(JSONValue?, Bool)])
  func newRefreshToken(_ lifetime: JSONValue?, _ lasts: Bool) async throws {
    let scene = Scene()
    scene.tenant.behavior.changeTokenAnswer = { $0["refresh_token_expires_in"] = 7_200 }
    let connector = try scene.connector()
    try await connector.doPolicy(.signIn)
    scene.tenant.behavior.changeTokenAnswer = { $0["refresh_token_expires_in"] = lifetime }
    await scene.clock.advance(by: .seconds(3_700))
    _ = try await connector.accessToken()
    #expect(scene.tenant.counters.refreshes == 1)
    // After the end of the first refresh token.
    await scene.clock.advance(by: .seconds(5_000))
    let user = try #require(try await connector.users().first)
    #expect(user.hasSession == lasts)
    #expect(try await connector.session == (lasts ? .signedIn(user) : .expired(user)))
  }

  @Test("An answer without a refresh token leaves the old one and its expiry")
  func keptRefreshToken() async throws {
    let scene = Scene()
    scene.tenant.behavior.rotatesRefreshTokens = false
    scene.tenant.behavior.changeTokenAnswer = { $0["refresh_token_expires_in"] = 7_200 }
    let connector = try scene.connector()
    try await connector.doPolicy(.signIn)
    scene.tenant.behavior.changeTokenAnswer = { $0["refresh_token_expires_in"] = nil }
    await scene.clock.advance(by: .seconds(3_700))
    _ = try await connector.accessToken()
    await scene.clock.advance(by: .seconds(5_000))
    #expect(try await connector.users().map(\.hasSession) == [false])
  }

  @Test(
    "A scope that was asked for and not granted is not asked for again while the token lasts",
    arguments: [LocalTenant.Shape.b2c, .entra, .openIDConnect])
  func notGranted(_ shape: LocalTenant.Shape) async throws {
    let scene = Scene(shape: shape) { $0.grantedScopes = { $0.filter { !$0.hasSuffix("write") } } }
    let connector = try await scene.signedIn()
    let scopes = scene.tenant.apiScopes
    for wanted in [nil, scopes, scopes.reversed(), [scopes[1]], [scopes[0]], scopes.map { $0.uppercased() }] {
      #expect(try await connector.accessToken(scopes: wanted).scopes.contains { $0.hasSuffix("read") })
    }
    #expect(scene.tenant.counters.refreshRequests == 0)
    // What was asked for at a refresh counts from then on as well.
    await scene.clock.advance(by: .seconds(4_000))
    for _ in 0..<3 { _ = try await connector.accessToken() }
    #expect(scene.tenant.counters.refreshRequests == 1)
  }
}
