import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite("The session store", .hangLimit)
struct SessionRecordsTests {
  /// Alice, then Bob, signed in over a cache that can fail; and a client that has seen neither.
  private func two() async throws -> (Scene, FailingCache, alice: SignInResult, bob: SignInResult, Connector) {
    let cache = FailingCache()
    let scene = Scene(cache: cache)
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(presenter: presenter)
    let alice = try await connector.signIn()
    await scene.clock.advance(by: .seconds(1))
    presenter.follow(.signIn(.bob))
    let bob = try await connector.signIn(options: SignInOptions(prompt: .login))
    return (scene, cache, alice, bob, try scene.connector(cache: ForwardingCache(cache)))
  }

  @Test("The record of a named user is read without listing the keys, also when there is none")
  func namedUser() async throws {
    let (_, cache, alice, _, connector) = try await two()
    cache.failsToList.withLock { $0 = true }
    let token = try await connector.accessToken(user: UserInfo(id: alice.user.id))
    #expect(token.token == alice.accessToken?.token)
    await expectError(ConnectorError.self, .interactionRequired) {
      _ = try await connector.accessToken(user: UserInfo(id: "nobody.nowhere"))
    }
  }

  @Test("A user with an empty id is no user, also after the current one was looked up")
  func emptyUserID() async throws {
    let (_, _, _, _, connector) = try await two()
    _ = try await connector.accessToken()
    await expectError(ConnectorError.self, .interactionRequired) {
      _ = try await connector.accessToken(user: UserInfo(id: ""))
    }
  }

  @Test("At a generic issuer a required user is the exact subject or a verified email")
  func requiredSubject() async throws {
    let scene = Scene(shape: .openIDConnect) { $0.changeIDTokenClaims = { $0["sub"] = "Victim42" } }
    let exact = try scene.connector(scene.settings { $0.userID = "Victim42" })
    #expect(try await exact.signIn().user.subject == "Victim42")
    let other = try scene.connector(scene.settings { $0.userID = "vICTIM42" })
    await expectError(ConnectorError.self, .wrongUser) { try await other.signIn() }
    let email = try scene.connector(scene.settings { $0.userID = LocalUser.alice.email })
    for unverified in [false, "false", "", nil] as [JSONValue?] {
      scene.tenant.behavior.changeIDTokenClaims = {
        $0["email"] = .string(LocalUser.alice.email)
        $0["email_verified"] = unverified
      }
      let error = try await #require(throws: ConnectorError.self) { try await email.signIn() }
      #expect(error.code == .wrongUser && error.recoverySuggestion?.contains("email_verified") == true)
    }
    // Apple, and Amazon Cognito, write it as a text.
    for verified in [true, "true"] as [JSONValue] {
      scene.tenant.behavior.changeIDTokenClaims = {
        $0["email"] = .string(LocalUser.alice.email)
        $0["email_verified"] = verified
      }
      #expect(try await email.signIn().user.emails == [LocalUser.alice.email])
    }
  }

  @Test("A cache in which nothing can be read is no empty cache", arguments: [true, false])
  func nothingReadable(isRetryable: Bool) async throws {
    let (_, cache, _, _, connector) = try await two()
    cache.readFailure.withLock { $0 = { _ in ConnectorError(.tokenCache, "Locked.", isRetryable: isRetryable) } }
    await expectError(ConnectorError.self, .tokenCache) { try await connector.accessToken() }
    await expectError(ConnectorError.self, .tokenCache) { try await connector.users() }
  }

  @Test("A damaged record does not keep its owner from signing in again")
  func repair() async throws {
    let (_, cache, alice, _, connector) = try await two()
    let id = alice.user.id
    let isRepaired = Locked(false)
    cache.readFailure.withLock {
      $0 = { key in
        key.userID == id && !isRepaired.withLock({ $0 }) ? ConnectorError(.tokenCache, "Half a record.") : nil
      }
    }
    let again = try await connector.signIn()
    isRepaired.withLock { $0 = true }
    #expect(try await connector.accessToken().token == again.accessToken?.token)
  }

  @Test("A look-up that is overtaken by a sign-in does not bring the old user back")
  func overtaken() async throws {
    let cache = FailingCache()
    let scene = Scene(cache: cache)
    try await scene.connector().signIn()
    let connector = try scene.connector(presenter: scene.script(.signIn(.bob)))
    let gate = TestGate()
    cache.readGate.withLock { $0 = gate }
    let slow = Task { try await connector.accessToken() }
    await gate.waitForArrivals(1)
    cache.readGate.withLock { $0 = nil }
    let bob = try await connector.signIn(options: SignInOptions(prompt: .login))
    gate.open()
    _ = try await slow.value
    #expect(try await connector.accessToken().token == bob.accessToken?.token)
    #expect(try await connector.session.user?.username == LocalUser.bob.email)
  }

  @Test("Where a user is required, nobody else's token is served silently")
  func requiredUser() async throws {
    let scene = Scene()
    let token = try await scene.connector().signIn().accessToken?.token
    let forBob = try scene.connector(scene.settings { $0.userID = LocalUser.bob.email })
    await expectError(ConnectorError.self, .interactionRequired) { try await forBob.accessToken() }
    #expect(try await forBob.session.user == nil)
    let forAlice = try scene.connector(scene.settings { $0.userID = LocalUser.alice.email.uppercased() })
    #expect(try await forAlice.accessToken().token == token)
  }

  @Test("A record is changed by its own sign-in only: another one that another process has stored stays as it is")
  func changeOfAnotherSignIn() async throws {
    let cache = InMemoryTokenCache.memory()
    let scene = Scene(cache: cache)
    let connector = try await scene.signedIn(after: 4_000)
    let gate = TestGate()
    scene.tenant.faults = [LocalFault(on: .tokenRefresh, times: 1, .holdAnswer(gate))]
    let call = Task { try await connector.accessToken() }
    await gate.waitForArrivals(1)
    let again = try await scene.connector(cache: ForwardingCache(cache)).signIn(options: SignInOptions(prompt: .login))
    let key = try #require(await cache.keys().first)
    let stored = await cache.record(for: key)
    gate.open()
    #expect(try await call.value.token == again.accessToken?.token)
    #expect(await cache.record(for: key) == stored)
  }

  @Test("A cache that says false ten times is the cache's trouble; what the answer brought is not lost")
  func alwaysContended() async throws {
    let cache = StubbornCache()
    let scene = Scene(cache: cache)
    let connector = try await scene.signedIn(after: 4_000)
    cache.refuses.withLock { $0 = true }
    let token = try await connector.accessToken().token
    #expect(cache.replacements.withLock { $0 } == 10)
    #expect(try await connector.accessToken().token == token)
    cache.refuses.withLock { $0 = false }
    await connector.close()
    #expect(try await scene.connector(cache: ForwardingCache(cache)).accessToken().token == token)
    #expect(scene.tenant.counters.refreshes == 1)
  }

  @Test("A write that was done, though the cache reported an error, is not done again")
  func writtenWithError() async throws {
    let cache = StubbornCache()
    let connector = try await Scene(cache: cache).signedIn(after: 4_000)
    cache.failsAfterwards.withLock { $0 = true }
    let token = try await connector.accessToken().token
    cache.failsAfterwards.withLock { $0 = false }
    #expect(try await connector.accessToken().token == token)
    #expect(cache.replacements.withLock { $0 } == 1)
  }

  @Test("A write that was done, though the cache reported an error, is not done over a newer one")
  func writtenAndOvertaken() async throws {
    let cache = StubbornCache()
    let scene = Scene(cache: cache)
    let connector = try await scene.signedIn(after: 4_000)
    cache.failsAfterwards.withLock { $0 = true }
    _ = try await connector.accessToken()
    // Another process goes on from what was written.
    await scene.clock.advance(by: .seconds(4_000))
    let newer = try await scene.connector(cache: ForwardingCache(cache)).accessToken().token
    cache.failsAfterwards.withLock { $0 = false }
    #expect(try await connector.accessToken().token == newer)
    await scene.clock.advance(by: .seconds(4_000))
    _ = try await connector.accessToken()
    #expect(scene.tenant.counters.refreshes == 3 && scene.tenant.counters.reusedRefreshTokens == 0)
  }

  @Test("An answer that a newer one of another process has overtaken brings no token for other scopes")
  func overtakenForOtherScopes() async throws {
    let scene = Scene { $0.refreshTokenReuse = .allowed }
    let connector = try scene.connector()
    try await connector.signIn()
    await scene.clock.advance(by: .seconds(4_000))
    let gate = TestGate()
    scene.tenant.faults = [LocalFault(on: .tokenRefresh, times: 1, .holdAnswer(gate))]
    let call = Task { try await connector.accessToken() }
    await gate.waitForArrivals(1)
    let other = [LocalTenant.standardClientID]
    let newer = try await scene.connector(cache: ForwardingCache(scene.cache)).accessToken(scopes: other)
    gate.open()
    let token = try await call.value
    #expect(token.token != newer.token && token.scopes.isSuperset(of: scene.tenant.apiScopes))
    #expect(try await connector.accessToken(scopes: other).token == newer.token)
  }

  @Test("Two clients of one cache with other client ids have each their own current user")
  func twoApplications() async throws {
    let scene = Scene(shape: .openIDConnect)
    let one = try scene.connector()
    let alice = try await one.signIn()
    let key = try #require(try await scene.cache.keys().first)
    let other = TokenCacheKey(authority: key.authority, clientID: "other", userID: key.userID)
    try await scene.cache.store(TokenRecord(signedInAt: scene.clock.date), for: other)
    let two = try scene.connector(scene.settings { $0.clientID = "other" })
    #expect(try await two.session.user?.hasSession == false)
    #expect(try await one.accessToken().token == alice.accessToken?.token)
    await expectError(ConnectorError.self, .interactionRequired) { try await two.accessToken() }
    try await two.signOut()
    #expect(try await scene.cache.keys() == [key])
  }
}
