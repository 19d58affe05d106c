import B2CCore
import B2CIDToken
import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite(.hangLimit)
struct LocalTenantLogoutTests {
  let tenant = LocalTenant()
  var visitor: TenantVisitor { TenantVisitor(tenant) }

  private func signOut(
    _ presenter: ScriptedPresenter, _ query: [(String, String)]
  ) async throws -> URL {
    let page = try visitor.url("/oauth2/v2.0/logout", query)
    let redirect = try #require(URL(string: LocalTenant.standardRedirectURI))
    return try await presenter.present(
      PresentationRequest(purpose: .signOut, redirectURI: redirect, state: Secret("s")) { _ in page })
  }

  @Test func logoutEndsTheSessionAndComesBackWithState() async throws {
    let presenter = visitor.makePresenter()
    let answer = try await visitor.redeem(visitor.signIn(presenter: presenter)["code"])
    #expect(tenant.sessionCount == 1)
    let callback = try await signOut(
      presenter,
      [
        ("post_logout_redirect_uri", LocalTenant.standardRedirectURI), ("state", "out-1"),
        ("id_token_hint", try #require(answer["id_token"])),
      ])
    #expect(callback.absoluteString == LocalTenant.standardRedirectURI + "?state=out-1")
    #expect(tenant.sessionCount == 0)
    #expect(try await visitor.signIn(["prompt": "none"], presenter: presenter)["error"] == "interaction_required")
  }

  @Test func withoutRedirectThePageIsTheEnd() async throws {
    let presenter = visitor.makePresenter()
    _ = try await visitor.signIn(presenter: presenter)
    await expectError(ConnectorError.self, .userClosedBrowser) { try await signOut(presenter, []) }
    #expect(tenant.sessionCount == 0)
  }

  @Test func withAHintTheRedirectHasToBeRegistered() async throws {
    let token = try #require(try await visitor.tokens()["id_token"])
    let other = ("post_logout_redirect_uri", "https://other.example/out")
    let refused = try await visitor.get(visitor.url("/oauth2/v2.0/logout", [other, ("id_token_hint", token)]))
    #expect(refused.status == 400)
    #expect(refused.header("location") == nil)
    let taken = try await visitor.get(visitor.url("/oauth2/v2.0/logout", [other]))
    #expect(taken.header("location") == "https://other.example/out")
  }

  @Test func aLoopbackRedirectComesBackToAnyPort() async throws {
    let tenant = LocalTenant(shape: .openIDConnect, redirectURIs: ["http://127.0.0.1/done"])
    let visitor = TenantVisitor(tenant)
    let token = try #require(try await visitor.tokens()["id_token"])
    for (uri, status) in [("http://127.0.0.1:8123/done", 302), ("http://127.0.0.1:8123/other", 400)] {
      let query = [("post_logout_redirect_uri", uri), ("id_token_hint", token)]
      #expect(try await visitor.get(visitor.url("/logout", query)).status == status)
    }
  }
}
