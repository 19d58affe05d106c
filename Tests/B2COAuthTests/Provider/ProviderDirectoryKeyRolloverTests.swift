import B2CCore
import B2CHTTP
import B2COAuth
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// Keys of an issuer that are renewed while its published set lags behind.
@Suite("Key roll-over", .timeLimit(.minutes(10)))
struct ProviderDirectoryKeyRolloverTests {
  /// Publishes the newest key only from the given answer on.
  private func lag(_ fixture: Fixture, for answers: Int) throws {
    try fixture.tenant.rotateKeys()
    let left = Locked(answers)
    fixture.tenant.behavior.changeKeys = { keys in
      let isBehind = left.withLock { left in
        left -= 1
        return left >= 0
      }
      if isBehind { keys.removeFirst() }
    }
  }

  private func run(_ signIn: Task<SignInResult, any Error>, _ fixture: Fixture) async throws -> SignInResult {
    for pause in [1, 2] {
      await fixture.clock.waitForSleepers()
      await fixture.clock.advance(by: .seconds(pause))
    }
    return try await signIn.value
  }

  @Test("A published set that lags for three seconds does not end the sign-in")
  func lagging() async throws {
    let fixture = Fixture(holdsTime: true)
    let client = try fixture.client()
    try await client.signIn()
    try lag(fixture, for: 2)
    let signIn = Task { try await client.signIn(prompt: .login) }
    let result = try await run(signIn, fixture)
    #expect(result.user.name == LocalUser.alice.displayName)
  }

  @Test("A key that stays unknown may be asked for later: after 5 seconds, then ever more rarely, up to 5 minutes")
  func stillUnknown() async throws {
    let fixture = Fixture(holdsTime: true) { $0.idTokenSigning = .unknownKeyID }
    let client = try fixture.client()
    func failedSignIn(waits: Bool) async throws -> Int {
      let before = fixture.tenant.counters.keysRequests
      let signIn = Task { try await client.signIn(prompt: .login) }
      let error = try await #require(throws: OAuthError.self) {
        waits ? try await run(signIn, fixture) : try await signIn.value
      }
      #expect(error.code == .invalidIDToken && error.isRetryable)
      #expect(error.recoverySuggestion?.contains("again") == true)
      return fixture.tenant.counters.keysRequests - before
    }
    // The first set, one look at once, and two more after 1 and 2 seconds.
    #expect(try await failedSignIn(waits: true) == 4)
    for pause in [5, 10, 20, 40, 80, 160, 300, 300] {
      await fixture.clock.advance(by: .seconds(pause - 1))
      #expect(try await failedSignIn(waits: false) == 0)
      await fixture.clock.advance(by: .seconds(1))
      #expect(try await failedSignIn(waits: true) == 3)
    }
  }

  @Test("Refreshes whose key stays unknown ask for the keys once until the pause is over, and a sign-in asks again")
  func refreshes() async throws {
    let fixture = Fixture(holdsTime: true)
    let client = try fixture.client()
    try await client.signIn()
    fixture.tenant.behavior.idTokenSigning = .unknownKeyID
    let before = fixture.tenant.counters.keysRequests
    for _ in 0..<3 {
      _ = try await client.accessToken(options: TokenOptions(forceRefresh: true))
      // Waits until the id_token of the refresh was looked at.
      _ = try await client.currentAccount()
    }
    #expect(fixture.tenant.counters.keysRequests == before + 1)
    #expect(fixture.tenant.counters.refreshes == 3)
    let signIn = Task { try await client.signIn(prompt: .login) }
    await #expect(throws: OAuthError.self) { try await run(signIn, fixture) }
    #expect(fixture.tenant.counters.keysRequests > before + 1)
  }

  @Test("One unknown key does not keep another from being asked for")
  func perKey() async throws {
    let fixture = Fixture(holdsTime: true)
    let client = try fixture.client()
    try await client.signIn()
    fixture.tenant.behavior.idTokenSigning = .unknownKeyID
    let failing = Task { try await client.signIn(prompt: .login) }
    await expectError(OAuthError.self, .invalidIDToken) { try await run(failing, fixture) }
    fixture.tenant.behavior.idTokenSigning = .published
    try fixture.tenant.rotateKeys(keepingOld: false)
    try await client.signIn(prompt: .login)
  }

  @Test("A request for keys that failed does not count")
  func failedRequest() async throws {
    let fixture = Fixture()
    let client = try fixture.client { $0.retry = .none }
    try await client.signIn()
    try fixture.tenant.rotateKeys(keepingOld: false)
    fixture.tenant.faults = [LocalFault(on: .keys, .respond(TransportResponse(status: 503)))]
    await expectError(OAuthError.self, .serviceUnavailable) { try await client.signIn(prompt: .login) }
    fixture.tenant.faults = []
    try await client.signIn(prompt: .login)
  }

  @Test("Keys are fetched while the user is at the page")
  func duringThePage() async throws {
    let fixture = Fixture()
    let keys = TestGate()
    fixture.tenant.faults = [LocalFault(on: .keys, times: 1, .wait(keys))]
    let presenter = WaitingPresenter(inner: fixture.script(.signIn(.alice))) {
      await keys.waitForArrivals(1)
      keys.open()
    }
    try await fixture.client(presenter: presenter).signIn()
    #expect(fixture.tenant.counters.keysRequests == 1)
  }
}
