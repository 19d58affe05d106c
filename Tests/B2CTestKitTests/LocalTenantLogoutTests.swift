import B2CCore
import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite(.hangLimit)
struct LocalTenantLogoutTests {
  let tenant = LocalTenant()
  var visitor: TenantVisitor { TenantVisitor(tenant) }

  private func signOut(_ user: ScriptedPresenter, _ query: [(String, String)]) async throws -> URL {
    let page = try visitor.url("/oauth2/v2.0/logout", query)
    let redirect = try #require(URL(string: LocalTenant.standardRedirectURI))
    return try await user.present(
      PresentationRequest(purpose: .signOut, redirectURI: redirect, state: Secret("s")) { _ in page })
  }

  @Test("A sign-out ends the session and redirects with the state")
  func redirect() async throws {
    let user = visitor.user()
    let answer = try await visitor.tokens(as: user)
    #expect(tenant.sessionCount == 1)
    let query = [
      ("post_logout_redirect_uri", LocalTenant.standardRedirectURI), ("state", "out-1"),
      ("id_token_hint", try #require(answer["id_token"])),
    ]
    let callback = try await signOut(user, query)
    #expect(callback.absoluteString == LocalTenant.standardRedirectURI + "?state=out-1")
    #expect(tenant.sessionCount == 0)
    #expect(try await visitor.signIn(["prompt": "none"], as: user)["error"] == "interaction_required")
  }

  @Test("Without a redirect the page of a sign-out is the end")
  func withoutRedirect() async throws {
    let user = visitor.user()
    _ = try await visitor.signIn(as: user)
    await expectError(ConnectorError.self, .userClosedBrowser) { try await signOut(user, []) }
    #expect(tenant.sessionCount == 0)
  }

  @Test("With an id_token_hint the redirect must be registered")
  func hint() async throws {
    let token = try #require(try await visitor.tokens()["id_token"])
    let other = ("post_logout_redirect_uri", "https://other.example/out")
    let refused = try await visitor.get(visitor.url("/oauth2/v2.0/logout", [other, ("id_token_hint", token)]))
    #expect(refused.status == 400)
    #expect(refused.header("location") == nil)
    let taken = try await visitor.get(visitor.url("/oauth2/v2.0/logout", [other]))
    #expect(taken.header("location") == "https://other.example/out")
  }

  @Test(
    "A loopback redirect may have any port",
    arguments: [("http://127.0.0.1:8123/done", 302), ("http://127.0.0.1:8123/other", 400)])
  func loopback(_ uri: String, _ status: Int) async throws {
    let visitor = TenantVisitor(LocalTenant(shape: .openIDConnect, redirectURIs: ["http://127.0.0.1/done"]))
    let token = try #require(try await visitor.tokens()["id_token"])
    let query = [("post_logout_redirect_uri", uri), ("id_token_hint", token)]
    #expect(try await visitor.get(visitor.url("/logout", query)).status == status)
  }
}
