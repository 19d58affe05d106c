import B2CCore
import B2CHTTP
import B2COAuth
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Keys of an issuer that are renewed while its published set lags behind.
@Suite("Key roll-over", .hangLimit)
struct ProviderDirectoryKeyRolloverTests {
  /// Signs in with a token whose key is not published; returns how many requests for keys that took.
  private func failedSignIn(_ fixture: Fixture, _ client: OAuthClient) async throws -> Int {
    let before = fixture.tenant.counters.keysRequests
    let error = try await #require(throws: ConnectorError.self) { try await client.signIn(prompt: .login) }
    #expect(error.code == .invalidResponse && error.message.contains("id_token is refused") && error.isRetryable)
    #expect(error.recoverySuggestion?.contains("again in a few seconds") == true)
    return fixture.tenant.counters.keysRequests - before
  }

  @Test("A published set that lags behind ends the sign-in, and the next one works as soon as the key is there")
  func lagging() async throws {
    let (fixture, client) = try await Fixture(holdsTime: true).signedIn()
    try fixture.tenant.rotateKeys()
    fixture.tenant.behavior.changeKeys = { $0.removeFirst() }
    #expect(try await failedSignIn(fixture, client) == 1)
    fixture.tenant.behavior.changeKeys = nil
    let result = try await client.signIn(prompt: .login)
    #expect(result.user.name == LocalUser.alice.displayName)
  }

  @Test("A key that stays unknown is asked for once at each sign-in")
  func stillUnknown() async throws {
    let fixture = Fixture(holdsTime: true) { $0.signIDTokens(.unknownKeyID) }
    let client = try fixture.client()
    // The first set, and one look for the key.
    #expect(try await failedSignIn(fixture, client) == 2)
    for _ in 0..<3 { #expect(try await failedSignIn(fixture, client) == 1) }
  }

  @Test("A key that is found does not keep the next new one from being asked for")
  func rolledTwice() async throws {
    let (fixture, client) = try await Fixture(holdsTime: true).signedIn()
    for _ in 0..<2 {
      try fixture.tenant.rotateKeys(keepingOld: false)
      let before = fixture.tenant.counters.keysRequests
      try await client.signIn(prompt: .login)
      #expect(fixture.tenant.counters.keysRequests == before + 1)
    }
  }

  @Test("A request for keys that failed does not count")
  func failedRequest() async throws {
    let fixture = Fixture()
    let client = try fixture.client { $0.retry = .none }
    try await client.signIn()
    try fixture.tenant.rotateKeys(keepingOld: false)
    fixture.tenant.faults = [LocalFault(on: .keys, .respond(LocalResponse(status: 503)))]
    await expectError(ConnectorError.self, .serviceUnavailable) { try await client.signIn(prompt: .login) }
    fixture.tenant.faults = []
    try await client.signIn(prompt: .login)
  }
}
