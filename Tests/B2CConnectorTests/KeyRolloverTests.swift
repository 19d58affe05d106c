import B2CConnector
import B2CCore
import B2CHTTP
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Keys of an issuer that are renewed while its published set lags behind.
@Suite("Key roll-over", .hangLimit)
struct KeyRolloverTests {
  /// Signs in with a token whose key is not published; returns how many requests for keys that took.
  private func failedSignIn(_ scene: Scene, _ connector: Connector) async throws -> Int {
    let before = scene.tenant.counters.keysRequests
    let error = try await #require(throws: ConnectorError.self) {
      try await connector.signIn(options: SignInOptions(prompt: .login))
    }
    #expect(error.code == .invalidResponse && error.message.contains("id_token is refused") && error.isRetryable)
    #expect(error.recoverySuggestion?.contains("again in a few seconds") == true)
    return scene.tenant.counters.keysRequests - before
  }

  @Test("A published set that lags behind ends the sign-in, and the next one works as soon as the key is there")
  func lagging() async throws {
    let scene = Scene(holdsTime: true)
    let connector = try await scene.signedIn()
    try scene.tenant.rotateKeys()
    scene.tenant.behavior.changeKeys = { $0.removeFirst() }
    #expect(try await failedSignIn(scene, connector) == 1)
    scene.tenant.behavior.changeKeys = nil
    let result = try await connector.signIn(options: SignInOptions(prompt: .login))
    #expect(result.user.name == LocalUser.alice.displayName)
  }

  @Test("A key that stays unknown is asked for once at each sign-in")
  func stillUnknown() async throws {
    let scene = Scene(holdsTime: true) { $0.signIDTokens(.unknownKeyID) }
    let connector = try scene.connector()
    // The first set, and one look for the key.
    #expect(try await failedSignIn(scene, connector) == 2)
    for _ in 0..<3 { #expect(try await failedSignIn(scene, connector) == 1) }
  }

  @Test("A key that is found does not keep the next new one from being asked for")
  func rolledTwice() async throws {
    let scene = Scene(holdsTime: true)
    let connector = try await scene.signedIn()
    for _ in 0..<2 {
      try scene.tenant.rotateKeys(keepingOld: false)
      let before = scene.tenant.counters.keysRequests
      try await connector.signIn(options: SignInOptions(prompt: .login))
      #expect(scene.tenant.counters.keysRequests == before + 1)
    }
  }

  @Test("A request for keys that failed does not count")
  func failedRequest() async throws {
    let scene = Scene()
    let connector = try scene.connector { $0.retry = .none }
    try await connector.signIn()
    try scene.tenant.rotateKeys(keepingOld: false)
    scene.tenant.faults = [LocalFault(on: .keys, .respond(LocalResponse(status: 503)))]
    await expectError(ConnectorError.self, .serviceUnavailable) {
      try await connector.signIn(options: SignInOptions(prompt: .login))
    }
    scene.tenant.faults = []
    try await connector.signIn(options: SignInOptions(prompt: .login))
  }
}
