import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// A process that is started before the device was unlocked for the first time.
@Suite("A locked device", .hangLimit)
struct ConnectorLockedDeviceTests {
  private let scene = Scene()
  private let keychain = DictionaryKeychain()
  private let user: UserInfo

  init() async throws {
    user = try await scene.connector(cache: StoredTokenCache(KeychainStore(keychain))).signIn().user
    keychain.lock()
  }

  @Test("A session that a locked keychain hides is no sign-out, and is told after the device is unlocked")
  func unlocking() async throws {
    let next = keychain.otherProcess()
    let connector = try scene.connector(cache: StoredTokenCache(KeychainStore(next)))
    let hasLooked = Locked(false)
    next.afterCalls { if $0 == .add { hasLooked.withLock { $0 = true } } }
    var states = connector.sessionUpdates.makeAsyncIterator()
    // The first read for the observer has been refused.
    try await yielding { hasLooked.withLock { $0 } }
    let calls: [() async throws -> Void] = [
      { _ = try await connector.session }, { _ = try await connector.accessToken() },
      { try await connector.signOut() },
    ]
    for call in calls {
      let error = try await #require(throws: ConnectorError.self) { try await call() }
      #expect(error.code == .tokenCache && error.isRetryable && !error.needsInteraction)
    }
    keychain.lock(false)
    #expect(await states.next() == .signedIn(user))
    #expect(try await connector.session == .signedIn(user))
  }
}
