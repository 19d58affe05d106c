import B2CAuthority
import B2CCore
import B2COAuth
import B2CTestKit
import B2CTokenCache
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Users", .hangLimit)
struct UsersTests {
  @Test("Two people stand side by side; the latest is current, and either can be named")
  func two() async throws {
    let (fixture, presenter, client) = try Fixture().scripted()
    let alice = try await client.signIn()
    await fixture.clock.advance(by: .seconds(1))
    presenter.follow(.signIn(.bob))
    let bob = try await client.signIn(prompt: .login)
    #expect(try await client.users().map(\.username) == [LocalUser.bob.email, LocalUser.alice.email])
    #expect(try await client.currentUser()?.id == bob.user.id)
    #expect(try await client.accessToken().token == bob.accessToken?.token)
    #expect(try await client.accessToken(user: alice.user).token == alice.accessToken?.token)
    #expect(try await client.user(id: alice.user.id.uppercased())?.username == LocalUser.alice.email)
    try await client.signOut(bob.user)
    #expect(try await client.currentUser()?.id == alice.user.id)
  }

  @Test("One person has one session: a sign-in by another policy replaces it, and is renewed at that policy")
  func twoPolicies() async throws {
    let fixture = Fixture()
    let client = try fixture.client()
    let first = try await client.signIn()
    await fixture.clock.advance(by: .seconds(1))
    let other = try Policy("B2C_1_SignUpOrSignIn")
    let second = try await client.signIn(policy: other, prompt: .login)
    #expect(first.user.id == second.user.id)
    #expect(try await client.users().map(\.policyID) == ["B2C_1_SignUpOrSignIn"])
    #expect(try await fixture.cache.keys().count == 1)
    #expect(try await client.accessToken().token == second.accessToken?.token)
    await fixture.clock.advance(by: .seconds(4_000))
    _ = try await client.accessToken()
    let request = try #require(fixture.transport.requests.last { $0.isTokenRequest })
    #expect(request.url?.absoluteString.contains("B2C_1_SignUpOrSignIn") == true)
    #expect(fixture.tenant.counters.refreshes == 1)
  }

  @Test("A sign-in that brings less than the one before replaces it as well")
  func replacedByLess() async throws {
    let (fixture, client) = try await Fixture().signedIn()
    fixture.tenant.behavior.changeTokenAnswer = { $0["refresh_token"] = nil }
    let second = try await client.signIn(policy: Policy("B2C_1_SignUpOrSignIn"), prompt: .login)
    #expect(try await fixture.record().refreshToken == nil)
    #expect(try await client.accessToken().token == second.accessToken?.token)
  }

  @Test("Editing the profile updates the claims and makes no second user")
  func profileEdit() async throws {
    // A server that repeats the nonce of its sign-in in the id_token of every refresh.
    let nonces = Locked<[JSONValue: JSONValue]>([:])
    let fixture = Fixture {
      $0.changeIDTokenClaims = { claims in
        guard let policy = claims["tfp"] else { return }
        nonces.withLock { nonces in
          nonces[policy] = claims["nonce"] ?? nonces[policy]
          claims["nonce"] = nonces[policy]
        }
      }
    }
    let presenter = fixture.script(.signIn(.alice))
    let client = try fixture.client(presenter: presenter)
    let signedIn = try await client.signIn()
    presenter.follow(.editProfile(displayName: "Alice Renamed"))
    let edited = try await client.signIn(policy: Policy(id: "B2C_1_EditProfile", kind: .profileEdit))
    #expect(edited.user.name == "Alice Renamed")
    #expect(edited.user.id == signedIn.user.id)
    #expect(try await client.users().map(\.name) == ["Alice Renamed"])
    #expect(try await fixture.cache.keys().count == 1)
    #expect(try await client.currentUser()?.policyID == Fixture.signIn)
    // The id_token of a refresh is checked against the sign-in, not the edit: its claims are taken over.
    fixture.tenant.users[0].displayName = "Alice Later"
    await fixture.clock.advance(by: .seconds(4_000))
    _ = try await client.accessToken()
    let refreshed = try #require(try await client.currentUser())
    #expect(refreshed.name == "Alice Later")
    #expect(refreshed.policyID == Fixture.signIn)
    #expect(try await fixture.cache.keys().count == 1)
  }

  @Test("A person survives a new launch")
  func relaunch() async throws {
    let fixture = Fixture()
    let token = try await fixture.client().signIn().accessToken?.token
    let relaunched = try fixture.client(presenter: fixture.script(.closeBrowser))
    #expect(try await relaunched.currentUser()?.username == LocalUser.alice.email)
    #expect(try await relaunched.accessToken().token == token)
  }

  @Test("Clients of other applications and authorities in the same cache are left alone")
  func neighbours() async throws {
    let fixture = Fixture()
    let foreign = TokenCacheKey(
      authority: "https://other.example/tenant", clientID: fixture.tenant.clientID, userID: "x.y")
    let neighbour = TokenCacheKey(
      authority: "https://contoso.b2clogin.com/contoso.onmicrosoft.com", clientID: "other", userID: "x.y"
    )
    for key in [foreign, neighbour] {
      try await fixture.cache.store(TokenRecord(signedInAt: .distantFuture), for: key)
    }
    let client = try fixture.client()
    let alice = try await client.signIn()
    #expect(try await client.users().count == 1)
    // A client of another authority with the same client id gets no token of this one, and changes nothing here.
    let authority = try Authority("https://fabrikam.b2clogin.com/fabrikam.onmicrosoft.com")
    let other = try fixture.client { $0.authority = authority }
    await expectError(ConnectorError.self, .interactionRequired) { try await other.accessToken() }
    #expect(try await other.session() == .signedOut)
    #expect(try await client.accessToken().token == alice.accessToken?.token)
    try await client.signOut()
    #expect(Set(try await fixture.cache.keys()) == [foreign, neighbour])
  }

  @Test(
    "Client ids that differ in case share tokens at Microsoft authorities only",
    arguments: [(LocalTenant.Shape.b2c, 1), (.entra, 1), (.openIDConnect, 0)])
  func clientCase(_ shape: LocalTenant.Shape, _ seen: Int) async throws {
    let fixture = Fixture(shape: shape)
    let upper = try fixture.client { $0.clientID = "TodoApp" }
    let lower = try fixture.client { $0.clientID = "todoapp" }
    let stored = TokenCacheKey(
      authority: try Authority(fixture.tenant.authority(), kind: shape == .entra ? .entra : nil).cacheID,
      clientID: shape == .openIDConnect ? "TodoApp" : "todoapp", userID: "person.tenant")
    try await fixture.cache.store(TokenRecord(signedInAt: fixture.clock.date), for: stored)
    #expect(try await upper.users().count == 1)
    #expect(try await lower.users().count == seen)
  }

  @Test("A session that has ended leaves the person known")
  func endedSession() async throws {
    let (fixture, client) = try await Fixture().signedIn()
    fixture.tenant.revokeGrants()
    await fixture.clock.advance(by: .seconds(4_000))
    await expectError(ConnectorError.self, .interactionRequired) { try await client.accessToken() }
    #expect(try await client.currentUser()?.username == LocalUser.alice.email)
  }
}
