import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// The changes of one record, by this process and others, and a device that hides all records.
@Suite("The changes of a record", .hangLimit)
struct SessionRecordsTests {
  @Test(
    "Changes of one record run one after another, and the one that waits is not cancelled with its caller",
    arguments: [false, true])
  func inTurn(isCancelled: Bool) async throws {
    let cache = FailingCache()
    let stage = try await SignedInScene(Scene(cache: cache, holdsTime: true))
    cache.storeGate.withLock { $0 = stage.gate }
    let refresh = Task { try await stage.connector.accessToken() }
    await stage.gate.waitForArrivals(1)
    // The refresh is storing its tokens while the edit reads the record in order to change its claims.
    let reads = TestGate()
    reads.open()
    cache.readGate.withLock { $0 = reads }
    stage.presenter.follow(.editProfile(displayName: "Renamed"))
    let edit = Task { try await stage.connector.signIn(policy: Policy(id: "B2C_1_EditProfile", kind: .profileEdit)) }
    await reads.waitForArrivals(1)
    await yieldOften()
    if isCancelled { edit.cancel() }
    stage.gate.open()
    _ = try await refresh.value
    _ = await edit.result
    #expect(try await stage.connector.session.user?.name == "Renamed")
    await stage.scene.expire()
    _ = try await stage.connector.accessToken()
    stage.scene.expectRefreshes(2)
  }

  @Test("If a cache refuses ten changes because of other writers, the tokens stay in memory")
  func alwaysContended() async throws {
    let cache = StubbornCache()
    let stage = try await SignedInScene(Scene(cache: cache))
    cache.refuses.withLock { $0 = true }
    let token = try await stage.connector.accessToken().token
    #expect(cache.replacements.withLock { $0 } == 10)
    #expect(try await stage.connector.accessToken().token == token)
    cache.refuses.withLock { $0 = false }
    await stage.connector.close()
    #expect(try await stage.other().accessToken().token == token)
    stage.scene.expectRefreshes(1)
  }

  @Test(
    "A change that was stored, although the cache reported an error, is not stored again", arguments: [false, true])
  func writtenWithError(isOvertaken: Bool) async throws {
    let cache = StubbornCache()
    let stage = try await SignedInScene(Scene(cache: cache))
    cache.failsAfterwards.withLock { $0 = true }
    var token = try await stage.connector.accessToken().token
    if isOvertaken {
      // Another process goes on from what was stored.
      await stage.scene.expire()
      token = try await stage.other().accessToken().token
    }
    cache.failsAfterwards.withLock { $0 = false }
    #expect(try await stage.connector.accessToken().token == token)
    #expect(isOvertaken || cache.replacements.withLock { $0 } == 1)
    await stage.scene.expire()
    _ = try await stage.connector.accessToken()
    stage.scene.expectRefreshes(isOvertaken ? 3 : 2)
  }

  @Test("A response that a newer one of another process has overtaken brings no token for other scopes")
  func overtakenForOtherScopes() async throws {
    let stage = try await SignedInScene(Scene { $0.refreshTokenReuse = .allowed })
    let call = await stage.heldRefresh()
    let newer = try await stage.other().accessToken(scopes: SignedInScene.otherScopes)
    stage.gate.open()
    let token = try await call.value
    #expect(token.token != newer.token && token.scopes.isSuperset(of: stage.scene.tenant.apiScopes))
    #expect(try await stage.connector.accessToken(scopes: SignedInScene.otherScopes).token == newer.token)
  }

  @Test("A sign-out between two attempts of a change wins")
  func signOutBetweenAttempts() async throws {
    let cache = StubbornCache()
    let stage = try await SignedInScene(Scene(cache: cache))
    cache.isContended.withLock { $0 = true }
    await expectError(ConnectorError.self, .interactionRequired) { try await stage.connector.accessToken() }
    #expect(try await cache.keys().isEmpty)
  }

  @Test("Tokens are not lost if the cache cannot be read when they arrive")
  func unreadable() async throws {
    let cache = FailingCache()
    let stage = try await SignedInScene(Scene(cache: cache))
    let call = await stage.heldRefresh()
    cache.readFailure.withLock { $0 = { _ in ConnectorError(.tokenCache, "Locked.", isRetryable: true) } }
    stage.gate.open()
    let token = try await call.value
    cache.readFailure.withLock { $0 = { _ in nil } }
    #expect(try await stage.connector.accessToken().token == token.token)
    stage.scene.expectRefreshes(1)
  }

  @Test("A session that a locked keychain hides is no sign-out, and is found after the device is unlocked")
  func lockedDevice() async throws {
    let (scene, keychain) = (Scene(), DictionaryKeychain())
    let user = try await scene.connector(cache: StoredTokenCache(KeychainStore(keychain))).signIn().user
    keychain.lock()
    let connector = try scene.connector(cache: StoredTokenCache(KeychainStore(keychain.otherProcess())))
    let calls: [() async throws -> Void] = [
      { _ = try await connector.session }, { _ = try await connector.accessToken() },
      { try await connector.signOut() },
    ]
    for call in calls {
      let error = try await #require(throws: ConnectorError.self) { try await call() }
      #expect(error.code == .tokenCache && error.isRetryable && !error.needsInteraction)
    }
    keychain.lock(false)
    #expect(try await connector.session == .signedIn(user))
  }
}
