import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// An app's transport that never returns from a request for metadata or keys, whatever its limits say.
@Suite("A request for metadata or keys that never returns", .hangLimit)
struct ConnectorHangingTransportTests {
  /// A connector as after a launch, at which Alice signed in before.
  private func relaunched() async throws -> (Scene, Connector) {
    let scene = Scene(shape: .openIDConnect, limits: .standard)
    _ = try await scene.signedIn()
    scene.transport.hang(at: .metadata)
    return (scene, try scene.connector())
  }

  static let targets: [(LocalTenant.Shape, LocalFaultTarget)] = [
    (.b2c, .metadata), (.b2c, .keys), (.openIDConnect, .metadata), (.openIDConnect, .keys), (.entra, .metadata),
  ]

  @Test("A sign-in ends with timedOut, for all who wait, and the next one succeeds", arguments: targets.indices)
  func signIn(_ index: Int) async throws {
    let (shape, target) = Self.targets[index]
    let scene = Scene(shape: shape, limits: .standard)
    scene.transport.hang(at: target)
    let connector = try scene.connector()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<3 {
        group.addTask {
          let error = await #expect(throws: ConnectorError.self) { try await connector.signIn() }
          #expect(error?.code == .timedOut && error?.isRetryable == true && error?.url != nil)
        }
      }
    }
    scene.transport.letEverythingPass()
    _ = try await connector.signIn()
  }

  @Test("A refresh at a generic issuer ends with timedOut, and the next one succeeds", arguments: [false, true])
  func refresh(isForced: Bool) async throws {
    let (scene, connector) = try await relaunched()
    if !isForced { await scene.clock.advance(by: .seconds(7_200)) }
    let error = try await #require(throws: ConnectorError.self) {
      try await connector.accessToken(forceRefresh: isForced)
    }
    #expect(error.code == .timedOut && error.isRetryable)
    scene.transport.letEverythingPass()
    _ = try await connector.accessToken(forceRefresh: true)
  }

  @Test("The provider's answer about a user ends with timedOut, and so does a diagnosis; a sign-out succeeds")
  func others() async throws {
    let (_, connector) = try await relaunched()
    await expectError(ConnectorError.self, .timedOut) { try await connector.fetchUserInfo() }
    let findings = try await connector.diagnose().findings
    #expect(findings.contains { $0.check == "metadata" && $0.outcome == .failed })
    try await connector.signOut()
    #expect(try await connector.session == .signedOut)
  }
}
