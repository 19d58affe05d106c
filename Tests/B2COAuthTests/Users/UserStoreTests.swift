import B2CAuthority
import B2CCore
import B2COAuth
import B2CTestKit
import B2CTokenCache
import Foundation
import TestSupport
import Testing

@Suite("The user store", .timeLimit(.minutes(10)))
struct UserStoreTests {
  /// Alice, then Bob, signed in over a cache that can fail; and a client that has seen neither.
  private func two() async throws -> (Fixture, FailingCache, alice: SignInResult, bob: SignInResult, OAuthClient) {
    let cache = FailingCache()
    let fixture = Fixture(cache: cache)
    let presenter = fixture.script(.signIn(.alice))
    let client = try fixture.client(presenter: presenter)
    let alice = try await client.signIn()
    presenter.follow(.signIn(.bob))
    let bob = try await client.signIn(prompt: .login)
    return (fixture, cache, alice, bob, try fixture.client(cache: ForwardingCache(cache)))
  }

  @Test("Of two sign-ins at the same instant the second is current, also after a new launch")
  func sameInstant() async throws {
    let (_, _, _, bob, relaunched) = try await two()
    #expect(try await relaunched.accessToken().token == bob.accessToken?.token)
    #expect(try await relaunched.users().map(\.username) == [LocalUser.bob.email, LocalUser.alice.email])
  }

  @Test("The user who signs in last is current after a restart, also when the clock was set back")
  func clockSetBack() async throws {
    let fixture = Fixture()
    try await fixture.client(presenter: fixture.script(.signIn(.alice))).signIn()
    fixture.setBack.withLock { $0 = 3_600 }
    try await fixture.client(presenter: fixture.script(.signIn(.bob))).signIn()
    let relaunched = try fixture.client(cache: ForwardingCache(fixture.cache))
    #expect(try await relaunched.currentUser()?.username == LocalUser.bob.email)
  }

  @Test("In a running process a record that cannot be read switches no user, whatever the reason")
  func unreadableCurrent() async throws {
    let cache = FailingCache()
    let fixture = Fixture(cache: cache)
    let presenter = fixture.script(.signIn(.alice))
    let client = try fixture.client(presenter: presenter)
    try await client.signIn()
    presenter.follow(.signIn(.bob))
    let bob = try await client.signIn(prompt: .login)
    for code in [TokenCacheError.Code.decryptionFailed, .newerVersion, .unreadable] {
      cache.readFailure.withLock {
        $0 = { $0.userID == bob.user.id ? TokenCacheError(code, "Not readable.") : nil }
      }
      await expectError(ConnectorError.self, .tokenCache) { try await client.accessToken() }
      await expectError(ConnectorError.self, .tokenCache) { try await client.session() }
    }
    cache.readFailure.withLock { $0 = { _ in nil } }
    #expect(try await client.accessToken().token == bob.accessToken?.token)
  }

  @Test("The record of a named user is read without listing the keys, with or without a policy")
  func namedUserAndPolicy() async throws {
    let (_, cache, alice, _, client) = try await two()
    cache.failsToList.withLock { $0 = true }
    let policy = try Policy(Fixture.signIn)
    let token = try await client.accessToken(user: UserInfo(id: alice.user.id), policy: policy)
    #expect(token.token == alice.accessToken?.token)
    let any = try await client.accessToken(user: UserInfo(id: alice.user.id))
    #expect(any.token == alice.accessToken?.token)
    await expectError(ConnectorError.self, .tokenCache) {
      _ = try await client.accessToken(user: UserInfo(id: "nobody.nowhere"))
    }
  }

  @Test("A user with an empty id is no user, also after the current one was looked up")
  func emptyUserID() async throws {
    let (_, _, _, _, client) = try await two()
    _ = try await client.accessToken()
    await expectError(ConnectorError.self, .interactionRequired) {
      _ = try await client.accessToken(user: UserInfo(id: ""))
    }
  }

  @Test("At a generic issuer a required user is the exact subject or a verified email")
  func requiredSubject() async throws {
    let fixture = Fixture(shape: .openIDConnect) { $0.changeIDTokenClaims = { $0["sub"] = "Victim42" } }
    let exact = try fixture.client { $0.requiredUser = "Victim42" }
    #expect(try await exact.signIn().user.subject == "Victim42")
    let other = try fixture.client { $0.requiredUser = "vICTIM42" }
    await expectError(ConnectorError.self, .wrongUser) { try await other.signIn() }
    let email = try fixture.client { $0.requiredUser = LocalUser.alice.email }
    for unverified in [false, "false", "", nil] as [JSONValue?] {
      fixture.tenant.behavior.changeIDTokenClaims = {
        $0["email"] = .string(LocalUser.alice.email)
        $0["email_verified"] = unverified
      }
      let error = try await #require(throws: ConnectorError.self) { try await email.signIn() }
      #expect(error.code == .wrongUser && error.recoverySuggestion?.contains("email_verified") == true)
    }
    // Apple, and Amazon Cognito, write it as a text.
    for verified in [true, "true"] as [JSONValue] {
      fixture.tenant.behavior.changeIDTokenClaims = {
        $0["email"] = .string(LocalUser.alice.email)
        $0["email_verified"] = verified
      }
      #expect(try await email.signIn().user.emails == [LocalUser.alice.email])
    }
  }

  @Test("A record that cannot be read now is the cache's trouble: no sign-out, and nobody else's token")
  func unreadable() async throws {
    let (_, cache, alice, bob, client) = try await two()
    let id = bob.user.id
    cache.readFailure.withLock { $0 = { $0.userID == id ? TokenCacheError(.unreadable, "Locked.") : nil } }
    let error = try await #require(throws: ConnectorError.self) { try await client.accessToken() }
    #expect(error.code == .tokenCache && !error.needsInteraction)
    await expectError(ConnectorError.self, .tokenCache) { try await client.currentUser() }
    // The other user is still there for a caller who names it.
    #expect(try await client.accessToken(user: alice.user).token == alice.accessToken?.token)
    #expect(try await client.users().map(\.id) == [alice.user.id])
    cache.readFailure.withLock { $0 = { _ in nil } }
    #expect(try await client.accessToken().token == bob.accessToken?.token)
  }

  @Test("A cache in which nothing can be read is no empty cache")
  func nothingReadable() async throws {
    let (_, cache, _, _, client) = try await two()
    cache.readFailure.withLock { $0 = { _ in TokenCacheError(.unreadable, "Locked.") } }
    await expectError(ConnectorError.self, .tokenCache) { try await client.accessToken() }
    await expectError(ConnectorError.self, .tokenCache) { try await client.users() }
  }

  @Test(
    "A record of a newer version, or of a lost key, does not shut the others out",
    arguments: [TokenCacheError.Code.newerVersion, .decryptionFailed])
  func lasting(_ code: TokenCacheError.Code) async throws {
    let (_, cache, alice, bob, client) = try await two()
    let id = bob.user.id
    cache.readFailure.withLock { $0 = { $0.userID == id ? TokenCacheError(code, "Not ours.") : nil } }
    #expect(try await client.accessToken().token == alice.accessToken?.token)
  }

  @Test(
    "A record that was used before and cannot be read now does not shut out its owner's other session",
    arguments: [TokenCacheError.Code.damaged, .decryptionFailed, .newerVersion])
  func otherPolicy(_ code: TokenCacheError.Code) async throws {
    let cache = FailingCache()
    let fixture = Fixture(cache: cache)
    let client = try fixture.client()
    let first = try await client.signIn()
    let second = try await client.signIn(policy: Policy("B2C_1_SignUpOrSignIn"), prompt: .login)
    #expect(try await client.accessToken(user: first.user).token == second.accessToken?.token)
    let policy = try #require(second.policy).key
    cache.readFailure.withLock { $0 = { $0.policy == policy ? TokenCacheError(code, "Not readable.") : nil } }
    #expect(try await client.accessToken(user: first.user).token == first.accessToken?.token)
  }

  @Test("A damaged record does not keep its owner from signing in again")
  func repair() async throws {
    let (_, cache, alice, _, client) = try await two()
    let id = alice.user.id
    let isRepaired = Locked(false)
    cache.readFailure.withLock {
      $0 = { key in
        key.userID == id && !isRepaired.withLock({ $0 }) ? TokenCacheError(.damaged, "Half a record.") : nil
      }
    }
    let again = try await client.signIn()
    isRepaired.withLock { $0 = true }
    #expect(try await client.accessToken().token == again.accessToken?.token)
  }

  @Test("A look-up that is overtaken by a sign-in does not bring the old user back")
  func overtaken() async throws {
    let cache = FailingCache()
    let fixture = Fixture(cache: cache)
    try await fixture.client().signIn()
    let client = try fixture.client(presenter: fixture.script(.signIn(.bob)))
    let gate = TestGate()
    cache.readGate.withLock { $0 = gate }
    let slow = Task { try await client.accessToken() }
    await gate.waitForArrivals(1)
    cache.readGate.withLock { $0 = nil }
    let bob = try await client.signIn(prompt: .login)
    gate.open()
    _ = try await slow.value
    #expect(try await client.accessToken().token == bob.accessToken?.token)
    #expect(try await client.currentUser()?.username == LocalUser.bob.email)
  }

  @Test("Where a user is required, nobody else's token is served silently")
  func requiredUser() async throws {
    let fixture = Fixture()
    let token = try await fixture.client().signIn().accessToken?.token
    let forBob = try fixture.client { $0.requiredUser = LocalUser.bob.email }
    await expectError(ConnectorError.self, .interactionRequired) { try await forBob.accessToken() }
    #expect(try await forBob.currentUser() == nil)
    let forAlice = try fixture.client { $0.requiredUser = LocalUser.alice.email.uppercased() }
    #expect(try await forAlice.accessToken().token == token)
  }
}
