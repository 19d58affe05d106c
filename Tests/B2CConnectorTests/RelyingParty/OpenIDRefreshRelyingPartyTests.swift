import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// The modules of `oidcc-client-refreshtoken-test-plan`, which is no part of the certification.
@Suite("OpenID Connect relying party: refresh", .descriptors(), .hangLimit)
struct OpenIDRefreshRelyingPartyTests {
  typealias Redirect = RelyingParty.Redirect

  @Test("oidcc-client-test-refresh-token", arguments: Redirect.allCases)
  func refresh(_ redirect: Redirect) async throws {
    let party = try RelyingParty(redirect)
    let first = try await party.connector.signIn().accessToken?.token
    await party.scene.clock.advance(by: .seconds(4_000))
    let second = try await party.connector.accessToken().token
    #expect(second != first)
    #expect(try await party.connector.fetchUserInfo().subject == LocalUser.alice.id)
    #expect(party.requests("/userinfo").last?.bearerToken == second.value)
    #expect(party.tenant.counters.refreshRequests == 1)
  }

  /// Signs in, spoils the id_tokens, refreshes; what comes of it may not be used.
  private func refusedRefresh(
    _ redirect: Redirect, _ change: @escaping @Sendable (inout [String: JSONValue]) -> Void
  ) async throws {
    let party = try RelyingParty(redirect)
    try await party.connector.signIn()
    let key = try #require(try await party.scene.cache.keys().first)
    let before = try #require(try await party.scene.cache.record(for: key))
    await party.scene.clock.advance(by: .seconds(4_000))
    party.tenant.behavior.changeIDTokenClaims = change
    await expectError(ConnectorError.self, .interactionRequired) { try await party.connector.accessToken() }
    #expect(party.tenant.counters.refreshes == 1)
    let after = try #require(try await party.scene.cache.record(for: key))
    #expect(after.claims == before.claims && after.accessTokens.isEmpty && after.refreshToken == nil)
    // Nor is it sent to the userinfo endpoint.
    await expectError(ConnectorError.self, .interactionRequired) { try await party.connector.fetchUserInfo() }
    #expect(party.requests("/userinfo").isEmpty)
  }

  @Test("oidcc-client-test-refresh-token-invalid-issuer", arguments: Redirect.allCases)
  func invalidIssuer(_ redirect: Redirect) async throws {
    try await refusedRefresh(redirect) { $0["iss"] = "https://evil.example" }
  }

  @Test("oidcc-client-test-refresh-token-invalid-sub", arguments: Redirect.allCases)
  func invalidSubject(_ redirect: Redirect) async throws {
    try await refusedRefresh(redirect) { $0["sub"] = "another-person" }
  }
}
