import B2CConnector
import B2CCore
import B2CTestKit
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
    let scene = Scene()
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(presenter: presenter)
    let alice = try await connector.signIn()
    await scene.clock.advance(by: .seconds(1))
    presenter.follow(.signIn(.bob))
    let bob = try await connector.signIn(options: SignInOptions(prompt: .login))
    #expect(try await connector.users().map(\.username) == [LocalUser.bob.email, LocalUser.alice.email])
    #expect(try await connector.session.user?.id == bob.user.id)
    #expect(try await connector.accessToken().token == bob.accessToken?.token)
    #expect(try await connector.accessToken(user: alice.user).token == alice.accessToken?.token)
    #expect(try await connector.user(id: alice.user.id.uppercased())?.username == LocalUser.alice.email)
    try await connector.signOut(bob.user)
    #expect(try await connector.session.user?.id == alice.user.id)
  }

  @Test("One person has one session: a sign-in by another policy replaces it, and is renewed at that policy")
  func twoPolicies() async throws {
    let scene = Scene()
    let connector = try scene.connector()
    let first = try await connector.signIn()
    await scene.clock.advance(by: .seconds(1))
    let other = try Policy("B2C_1_SignUpOrSignIn")
    let second = try await connector.signIn(policy: other, options: SignInOptions(prompt: .login))
    #expect(first.user.id == second.user.id)
    #expect(try await connector.users().map(\.policyID) == ["B2C_1_SignUpOrSignIn"])
    #expect(try await scene.cache.keys().count == 1)
    #expect(try await connector.accessToken().token == second.accessToken?.token)
    await scene.clock.advance(by: .seconds(4_000))
    _ = try await connector.accessToken()
    let request = try #require(scene.transport.requests.last { $0.isTokenRequest })
    #expect(request.url?.absoluteString.contains("B2C_1_SignUpOrSignIn") == true)
    #expect(scene.tenant.counters.refreshes == 1)
  }

  @Test("A sign-in that brings less than the one before replaces it as well")
  func replacedByLess() async throws {
    let scene = Scene()
    let connector = try await scene.signedIn()
    scene.tenant.behavior.changeTokenAnswer = { $0["refresh_token"] = nil }
    let second = try await connector.signIn(
      policy: Policy("B2C_1_SignUpOrSignIn"), options: SignInOptions(prompt: .login))
    #expect(try await scene.record().refreshToken == nil)
    #expect(try await connector.accessToken().token == second.accessToken?.token)
  }

  @Test("Editing the profile updates the claims and makes no second user")
  func profileEdit() async throws {
    // A server that repeats the nonce of its sign-in in the id_token of every refresh.
    let nonces = Locked<[JSONValue: JSONValue]>([:])
    let scene = Scene {
      $0.changeIDTokenClaims = { claims in
        guard let policy = claims["tfp"] else { return }
        nonces.withLock { nonces in
          nonces[policy] = claims["nonce"] ?? nonces[policy]
          claims["nonce"] = nonces[policy]
        }
      }
    }
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(presenter: presenter)
    let signedIn = try await connector.signIn()
    presenter.follow(.editProfile(displayName: "Alice Renamed"))
    let edited = try await connector.signIn(policy: Policy(id: "B2C_1_EditProfile", kind: .profileEdit))
    #expect(edited.user.name == "Alice Renamed")
    #expect(edited.user.id == signedIn.user.id)
    #expect(try await connector.users().map(\.name) == ["Alice Renamed"])
    #expect(try await scene.cache.keys().count == 1)
    #expect(try await connector.session.user?.policyID == Scene.signIn)
    // The id_token of a refresh is checked against the sign-in, not the edit: its claims are taken over.
    scene.tenant.users[0].displayName = "Alice Later"
    await scene.clock.advance(by: .seconds(4_000))
    _ = try await connector.accessToken()
    let refreshed = try #require(try await connector.session.user)
    #expect(refreshed.name == "Alice Later")
    #expect(refreshed.policyID == Scene.signIn)
    #expect(try await scene.cache.keys().count == 1)
  }

  @Test("A person survives a new launch")
  func relaunch() async throws {
    let scene = Scene()
    let token = try await scene.connector().signIn().accessToken?.token
    let relaunched = try scene.connector(presenter: scene.script(.closeBrowser))
    #expect(try await relaunched.session.user?.username == LocalUser.alice.email)
    #expect(try await relaunched.accessToken().token == token)
  }

  @Test("Clients of other applications and authorities in the same cache are left alone")
  func neighbours() async throws {
    let scene = Scene()
    let foreign = TokenCacheKey(
      authority: "https://other.example/tenant", clientID: scene.tenant.clientID, userID: "x.y")
    let neighbour = TokenCacheKey(
      authority: "https://contoso.b2clogin.com/contoso.onmicrosoft.com", clientID: "other", userID: "x.y"
    )
    for key in [foreign, neighbour] {
      try await scene.cache.store(TokenRecord(signedInAt: .distantFuture), for: key)
    }
    let connector = try scene.connector()
    let alice = try await connector.signIn()
    #expect(try await connector.users().count == 1)
    // A client of another authority with the same client id gets no token of this one, and changes nothing here.
    let authority = try Authority("https://fabrikam.b2clogin.com/fabrikam.onmicrosoft.com")
    let other = try scene.connector(scene.settings { $0.authority = authority })
    await expectError(ConnectorError.self, .interactionRequired) { try await other.accessToken() }
    #expect(try await other.session == .signedOut)
    #expect(try await connector.accessToken().token == alice.accessToken?.token)
    try await connector.signOut()
    #expect(Set(try await scene.cache.keys()) == [foreign, neighbour])
  }

  @Test(
    "Client ids that differ in case share tokens at Microsoft authorities only",
    arguments: [(LocalTenant.Shape.b2c, 1), (.entra, 1), (.openIDConnect, 0)])
  func clientCase(_ shape: LocalTenant.Shape, _ seen: Int) async throws {
    let scene = Scene(shape: shape)
    let upper = try scene.connector(scene.settings { $0.clientID = "TodoApp" })
    let lower = try scene.connector(scene.settings { $0.clientID = "todoapp" })
    let stored = TokenCacheKey(
      authority: try Authority(scene.tenant.authority(), kind: shape == .entra ? .entra : nil).cacheID,
      clientID: shape == .openIDConnect ? "TodoApp" : "todoapp", userID: "person.tenant")
    try await scene.cache.store(TokenRecord(signedInAt: scene.clock.date), for: stored)
    #expect(try await upper.users().count == 1)
    #expect(try await lower.users().count == seen)
  }
}
