import B2CConnector
import B2CCore
import B2CTestKit
import TestSupport
import Testing

/// How long metadata and keys are used, also when the device's clock is set back.
@Suite("Metadata and keys on a device whose clock is set back", .hangLimit)
struct DocumentAgeTests {
  private static let day = 86_400.0

  @Test("They are fetched anew then, and not used for as long as the clock was wrong", arguments: [60, day, 30 * day])
  func setBack(_ seconds: Double) async throws {
    let scene = Scene()
    let connector = try await scene.signedIn()
    try await connector.signIn(options: SignInOptions(prompt: .login))
    #expect(scene.tenant.counters.metadataRequests == 1 && scene.tenant.counters.keysRequests == 1)
    scene.setBack.withLock { $0 = seconds }
    try await connector.signIn(options: SignInOptions(prompt: .login))
    #expect(scene.tenant.counters.metadataRequests == 2 && scene.tenant.counters.keysRequests == 2)
  }

  @Test("A key that was unknown before is asked for again, and not only when the old time has come again")
  func unknownKey() async throws {
    let scene = Scene(holdsTime: true)
    let connector = try await scene.signedIn()
    scene.tenant.behavior.signIDTokens(.unknownKeyID)
    await #expect(throws: ConnectorError.self) { try await connector.signIn(options: SignInOptions(prompt: .login)) }
    scene.setBack.withLock { $0 = Self.day }
    // Fetches the keys for their age alone, so that what follows is the look for the unknown one.
    let before = scene.tenant.counters.keysRequests
    await #expect(throws: ConnectorError.self) { try await connector.signIn(options: SignInOptions(prompt: .login)) }
    #expect(scene.tenant.counters.keysRequests == before + 2)
  }
}
