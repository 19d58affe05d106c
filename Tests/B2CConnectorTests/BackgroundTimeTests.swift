import B2CConnector
import B2CTestKit
import TestSupport
import Testing

@Suite(.hangLimit)
struct BackgroundTimeTests {
  @Test("While a transport hangs, background time is given back at the limit of a request")
  func hangingTransport() async throws {
    let (scene, system) = (Scene(holdsTime: true), SuspendingSystem())
    _ = try await scene.signedIn(after: 4_000)
    var environment = scene.environment()
    environment.backgroundTime = BackgroundTime(system)
    let connector = try Connector(settings: scene.settings(), environment: environment) {
      $0.limits.deadline = .milliseconds(20)
    }
    let gate = scene.transport.hang(at: .tokenRefresh)
    let caller = Task { try await connector.accessToken() }
    await gate.waitForArrivals(1)
    // The clock stands still, so the request goes on. Only the system's thread waits in real time.
    try await yielding { system.running == 0 }
    gate.open()
    _ = try await caller.value
  }
}
