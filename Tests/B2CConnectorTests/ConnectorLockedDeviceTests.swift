import B2CConnector
import B2CCore
import B2CTestKit
import TestSupport
import Testing

/// A process that is started before the device was unlocked for the first time.
@Suite("A locked device", .hangLimit)
struct ConnectorLockedDeviceTests {
  @Test("A session that a locked keychain hides is no sign-out, and is told once the device is unlocked")
  func unlocking() async throws {
    let scene = Scene()
    let keychain = DictionaryKeychain()
    let user = try await scene.connector(cache: StoredTokenCache(KeychainStore(keychain))).doPolicy(.signIn)

    keychain.lock()
    let next = keychain.otherProcess()
    let connector = try scene.connector(cache: StoredTokenCache(KeychainStore(next)))
    _ = keychain.takeCalls()
    let hasLooked = Locked(false)
    next.afterCalls { if $0 == .add { hasLooked.withLock { $0 = true } } }
    var states = connector.sessionUpdates.makeAsyncIterator()
    // The stream's first look has been refused.
    try await yielding { hasLooked.withLock { $0 } }
    let session = try await #require(throws: ConnectorError.self) { try await connector.session }
    #expect(session.code == .tokenCache && session.isRetryable && !session.needsInteraction)
    let token = try await #require(throws: ConnectorError.self) { try await connector.accessToken() }
    #expect(token.code == .tokenCache && token.isRetryable && !token.needsInteraction)

    keychain.lock(false)
    #expect(await states.next() == .signedIn(user))
    #expect(try await connector.session == .signedIn(user))
  }

  @Test("A sign-out on a locked device throws, and is done once the device is unlocked")
  func lockedSignOut() async throws {
    let scene = Scene()
    let keychain = DictionaryKeychain()
    try await scene.connector(cache: StoredTokenCache(KeychainStore(keychain))).doPolicy(.signIn)
    keychain.lock()
    let cache = StoredTokenCache(KeychainStore(keychain.otherProcess()))
    let connector = try scene.connector(cache: cache)
    let error = try await #require(throws: ConnectorError.self) { try await connector.signOut() }
    #expect(error.code == .tokenCache)
    keychain.lock(false)
    try await connector.signOut()
    #expect(try await connector.session == .signedOut)
    #expect(keychain.contents.isEmpty)
  }
}
