import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// The modules of `oidcc-client-rp-initiated-logout-rp-basic`.
@Suite("OpenID Connect relying party: RP-initiated logout RP", .descriptors(), .hangLimit)
struct OpenIDLogoutRelyingPartyTests {
  typealias Redirect = RelyingParty.Redirect

  /// Signs in and out, on a clock that no waiting time ends on; the redirect after the sign-out is changed.
  private func signOut(
    _ redirect: Redirect, _ outcome: BrowserSignOut, changing change: @escaping @Sendable (URL) throws -> URL = { $0 }
  ) async throws {
    let party = try RelyingParty(redirect, holdsTime: true)
    try await party.connector.signIn()
    #expect(await party.browser.nextArrival())
    party.browser.changeRedirect.withLock { $0 = change }
    let signOut = Task { try await party.connector.signOut(endsBrowserSession: true) }
    let isTaken = await party.browser.nextArrival()
    #expect(isTaken, "The app does not take the redirect, and waits for another one.")
    // Ends the wait of an app that does not.
    if !isTaken { await party.scene.clock.advance(by: .seconds(60)) }
    #expect(try await signOut.value == outcome)
    let request = try #require(party.requests("/logout").first).query
    #expect(
      request["post_logout_redirect_uri"]?.hasPrefix(redirect == .loopback ? "http://127.0.0.1:" : redirect.rawValue)
        == true)
    #expect(request["state"]?.isEmpty == false)
    #expect(party.tenant.sessionCount == 0)
    #expect(try await party.connector.session == .signedOut)
  }

  @Test("oidcc-client-test-rp-init-logout", arguments: Redirect.allCases)
  func logout(_ redirect: Redirect) async throws {
    try await signOut(redirect, .returned)
  }

  @Test("oidcc-client-test-rp-init-logout-other-state", arguments: Redirect.allCases)
  func otherState(_ redirect: Redirect) async throws {
    try await signOut(redirect, .notReturned) { try require(URL(string: "\(Self.place($0))?state=another-state")) }
  }

  @Test("oidcc-client-test-rp-init-logout-no-state", arguments: Redirect.allCases)
  func noState(_ redirect: Redirect) async throws {
    try await signOut(redirect, .notReturned) { try require(URL(string: "\(Self.place($0))")) }
  }

  private static func place(_ url: URL) -> Substring { url.absoluteString.prefix { $0 != "?" } }
}
