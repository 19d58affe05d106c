import B2CCore
import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite(.hangLimit)
struct LocalTenantRefreshTests {
  let clock = TestClock()
  let tenant: LocalTenant
  let visitor: TenantVisitor

  init() {
    let clock = clock
    tenant = LocalTenant(now: { clock.date })
    visitor = TenantVisitor(tenant)
  }

  @Test("A refresh changes the tokens and keeps the user")
  func rotation() async throws {
    let first = try await visitor.tokens()
    await clock.advance(by: .seconds(60))
    let second = try await visitor.refresh(first["refresh_token"])
    #expect(second.status == 200)
    #expect(second["refresh_token"] != first["refresh_token"])
    #expect(second["access_token"] != first["access_token"])
    for claim in ["iss", "sub", "aud", "auth_time", "tfp"] {
      #expect(second.idToken[claim] == first.idToken[claim], "\(claim)")
    }
    #expect(second.idToken["nonce"] == nil)
    #expect(second.members["expires_on"] == .integer(1_767_229_260))
    #expect(try await visitor.refresh(second["refresh_token"]).status == 200)
    #expect(tenant.counters.refreshRequests == 2 && tenant.counters.refreshes == 2)
  }

  @Test(
    "The second use of a refresh token is answered as the behaviour says",
    arguments: [
      (LocalTenant.Behavior.RefreshTokenReuse.revokesGrant, 400, 400), (.refused, 400, 200), (.allowed, 200, 200),
    ])
  func reuse(_ reuse: LocalTenant.Behavior.RefreshTokenReuse, _ reused: Int, _ replaced: Int) async throws {
    tenant.behavior.refreshTokenReuse = reuse
    let first = try await visitor.tokens()["refresh_token"]
    let second = try await visitor.refresh(first)["refresh_token"]
    for (token, status) in [(first, reused), (second, replaced)] {
      let answer = try await visitor.refresh(token)
      #expect(answer.status == status)
      if status == 400 { #expect(answer.error == "invalid_grant" && answer.description.hasPrefix("AADB2C90129")) }
    }
    #expect(tenant.counters.reusedRefreshTokens == 1)
  }

  @Test("Of many uses at the same time one is the first")
  func simultaneousUse() async throws {
    tenant.behavior.refreshTokenReuse = .refused
    let token = try await visitor.tokens()["refresh_token"]
    let statuses = try await simultaneously(50) { [visitor] _ in try await visitor.refresh(token).status }
    #expect(statuses.count { $0 == 200 } == 1)
    #expect(tenant.counters.reusedRefreshTokens == 49)
  }

  @Test("Without rotation the answer has no refresh token")
  func withoutRotation() async throws {
    tenant.behavior.rotatesRefreshTokens = false
    let token = try await visitor.tokens()["refresh_token"]
    #expect(try await visitor.refresh(token)["refresh_token"] == nil)
    #expect(try await visitor.refresh(token).status == 200)
  }

  @Test("A refresh token lasts 14 days, and each use gives one that lasts as long again")
  func lifetime() async throws {
    let token = try await visitor.tokens()["refresh_token"]
    await clock.advance(by: .seconds(13 * 86_400))
    let next = try await visitor.refresh(token)["refresh_token"]
    await clock.advance(by: .seconds(13 * 86_400))
    let last = try await visitor.refresh(next)
    #expect(last.status == 200)
    await clock.advance(by: .seconds(14 * 86_400))
    #expect(try await visitor.refresh(last["refresh_token"]).description.hasPrefix("AADB2C90080"))
  }

  @Test("Tokens are revoked for one user, for all, and with a deleted account")
  func revocation() async throws {
    let alice = try await visitor.tokens()["refresh_token"]
    let bob = try await visitor.tokens(as: visitor.user(.signIn(.bob)))["refresh_token"]
    tenant.revokeGrants(of: .alice)
    #expect(try await visitor.refresh(alice).description.hasPrefix("AADB2C90129"))
    let next = try await visitor.refresh(bob)
    #expect(next.status == 200)
    tenant.revokeGrants()
    #expect(try await visitor.refresh(next["refresh_token"]).description.hasPrefix("AADB2C90129"))
    #expect(tenant.counters.reusedRefreshTokens == 0)
    let again = try await visitor.tokens()["refresh_token"]
    tenant.users = [.bob]
    #expect(try await visitor.refresh(again).description.hasPrefix("AADB2C90129"))
  }

  static let badRefreshes: [([String: String?], String)] = [
    (["refresh_token": "unknown"], "AADB2C90129"), (["refresh_token": ""], "AADB2C90129"),
    (["refresh_token": nil], "AADB2C90083"), (["client_secret": "x"], "AADB2C90084"),
    (["client_secret": ""], "AADB2C90084"), (["client_assertion": "x"], "AADB2C90084"),
    (["scope": "https://contoso.onmicrosoft.com/x/y"], "AADB2C90117"),
  ]

  @Test("A bad refresh is refused with its code, and the token can still be used", arguments: badRefreshes)
  func badRefresh(_ changes: [String: String?], _ code: String) async throws {
    let token = try await visitor.tokens()["refresh_token"]
    #expect(try await visitor.refresh(token, changing: changes).description.hasPrefix(code))
    #expect(try await visitor.refresh(token).status == 200)
  }

  @Test("A refresh can ask for fewer scopes")
  func fewerScopes() async throws {
    let token = try await visitor.tokens()["refresh_token"]
    let scope = "https://contoso.onmicrosoft.com/tasks/write offline_access"
    let answer = try await visitor.refresh(token, changing: ["scope": scope])
    #expect(answer["id_token"] == nil)
    #expect(answer.accessToken["scp"] == .string("write"))
  }
}
