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

  @Test func refreshRotatesAndKeepsThePerson() async throws {
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
    #expect(tenant.counters.refreshRequests == 2)
    #expect(tenant.counters.refreshes == 2)
  }

  @Test(
    arguments: [
      (LocalTenant.Behavior.RefreshTokenReuse.revokesGrant, 400, 400), (.refused, 400, 200), (.allowed, 200, 200),
    ])
  func secondUseIsAnsweredAsTheBehaviorSays(
    reuse: LocalTenant.Behavior.RefreshTokenReuse, reused: Int, replaced: Int
  ) async throws {
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

  @Test func ofManyAtTheSameTimeOneIsTheFirst() async throws {
    tenant.behavior.refreshTokenReuse = .refused
    let token = try await visitor.tokens()["refresh_token"]
    let visitor = visitor
    let successes = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<50 { group.addTask { try await visitor.refresh(token).status == 200 ? 1 : 0 } }
      return try await group.reduce(0, +)
    }
    #expect(successes == 1)
    #expect(tenant.counters.reusedRefreshTokens == 49)
  }

  @Test func withoutRotationTheAnswerHasNoRefreshToken() async throws {
    tenant.behavior.rotatesRefreshTokens = false
    let token = try await visitor.tokens()["refresh_token"]
    #expect(try await visitor.refresh(token)["refresh_token"] == nil)
    #expect(try await visitor.refresh(token).status == 200)
  }

  @Test func refreshTokenEndsUnlessItSlides() async throws {
    let token = try await visitor.tokens()["refresh_token"]
    await clock.advance(by: .seconds(13 * 86_400))
    let next = try await visitor.refresh(token)["refresh_token"]
    await clock.advance(by: .seconds(13 * 86_400))
    #expect(try await visitor.refresh(next).status == 200)
    let last = try await visitor.tokens()["refresh_token"]
    await clock.advance(by: .seconds(14 * 86_400))
    #expect(try await visitor.refresh(last).description.hasPrefix("AADB2C90080"))
  }

  @Test func revocationIsForOnePerson() async throws {
    let alice = try await visitor.tokens()["refresh_token"]
    let presenter = ScriptedPresenter(transport: tenant.transport, .signIn(.bob))
    let bob = try await visitor.redeem(visitor.signIn(presenter: presenter)["code"])["refresh_token"]
    tenant.revokeGrants(of: .alice)
    #expect(try await visitor.refresh(alice).description.hasPrefix("AADB2C90129"))
    let next = try await visitor.refresh(bob)
    #expect(next.status == 200)
    tenant.revokeGrants()
    #expect(try await visitor.refresh(next["refresh_token"]).description.hasPrefix("AADB2C90129"))
    #expect(tenant.counters.reusedRefreshTokens == 0)
  }

  @Test func deletedAccountIsTold() async throws {
    let token = try await visitor.tokens()["refresh_token"]
    tenant.users = [.bob]
    #expect(try await visitor.refresh(token).description.hasPrefix("AADB2C90129"))
  }

  @Test(
    arguments: [
      (["refresh_token": "unknown"], "AADB2C90129"), (["refresh_token": ""], "AADB2C90129"),
      (["refresh_token": nil], "AADB2C90083"), (["client_secret": "x"], "AADB2C90084"),
      (["client_secret": ""], "AADB2C90084"), (["client_assertion": "x"], "AADB2C90084"),
      (["scope": "https://contoso.onmicrosoft.com/x/y"], "AADB2C90117"),
    ] as [([String: String?], String)])
  func badRefreshIsRefused(changes: [String: String?], code: String) async throws {
    let token = try await visitor.tokens()["refresh_token"]
    #expect(try await visitor.refresh(token, changing: changes).description.hasPrefix(code))
    #expect(try await visitor.refresh(token).status == 200)
  }

  @Test func refreshCanAskForLess() async throws {
    let token = try await visitor.tokens()["refresh_token"]
    let scope = "https://contoso.onmicrosoft.com/tasks/write offline_access"
    let answer = try await visitor.refresh(token, changing: ["scope": scope])
    #expect(answer["id_token"] == nil)
    #expect(answer.accessToken["scp"] == .string("write"))
  }
}
