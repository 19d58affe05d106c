import B2CCore
import B2COAuth
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
    let first = try await party.client.signIn().accessToken?.token
    await party.fixture.clock.advance(by: .seconds(4_000))
    let second = try await party.client.accessToken().token
    #expect(second != first)
    #expect(try await party.client.userInfo().subject == LocalUser.alice.id)
    #expect(party.requests("/userinfo").last?.bearerToken == second.value)
    #expect(party.tenant.counters.refreshRequests == 1)
  }

  /// Signs in, spoils the id_tokens, refreshes; what comes of it may not be used.
  private func refusedRefresh(
    _ redirect: Redirect, _ change: @escaping @Sendable (inout [String: JSONValue]) -> Void
  ) async throws {
    let party = try RelyingParty(redirect)
    try await party.client.signIn()
    let key = try #require(try await party.fixture.cache.keys().first)
    let before = try #require(try await party.fixture.cache.record(for: key))
    await party.fixture.clock.advance(by: .seconds(4_000))
    party.tenant.behavior.changeIDTokenClaims = change
    await expectError(ConnectorError.self, .interactionRequired) { try await party.client.accessToken() }
    #expect(party.tenant.counters.refreshes == 1)
    let after = try #require(try await party.fixture.cache.record(for: key))
    #expect(after.claims == before.claims && after.accessTokens.isEmpty && after.refreshToken == nil)
    // Nor is it sent to the userinfo endpoint.
    await expectError(ConnectorError.self, .interactionRequired) { try await party.client.userInfo() }
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
