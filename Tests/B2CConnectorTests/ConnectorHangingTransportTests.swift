import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// An app's transport that ignores its limits.
@Suite("A request for metadata or keys that never returns", .hangLimit)
struct ConnectorHangingTransportTests {
  static let targets: [(LocalTenant.Shape, LocalFaultTarget)] = [
    (.b2c, .metadata), (.b2c, .keys), (.openIDConnect, .metadata), (.openIDConnect, .keys), (.entra, .metadata),
  ]

  @Test("A sign-in ends with timedOut for all who wait, and the next one succeeds", arguments: targets.indices)
  func signIn(_ index: Int) async throws {
    let (shape, target) = Self.targets[index]
    let scene = Scene(shape: shape, limits: .standard)
    scene.transport.hang(at: target)
    let connector = try scene.connector()
    try await simultaneously(3) { _ in
      let error = await #expect(throws: ConnectorError.self) { try await connector.signIn() }
      #expect(error?.code == .timedOut && error?.isRetryable == true && error?.url != nil)
    }
    scene.transport.letEverythingPass()
    _ = try await connector.signIn()
  }

  @Test("Other calls at a generic issuer end with timedOut, a sign-out succeeds, and so does the next refresh")
  func others() async throws {
    let stage = try await SignedInScene(Scene(shape: .openIDConnect, limits: .standard), after: 0)
    stage.scene.transport.hang(at: .metadata)
    for isForced in [true, false] {
      if !isForced { await stage.scene.clock.advance(by: .seconds(7_200)) }
      let connector = try stage.scene.connector()
      let error = try await #require(throws: ConnectorError.self) {
        try await connector.accessToken(forceRefresh: isForced)
      }
      #expect(error.code == .timedOut && error.isRetryable)
    }
    let connector = try stage.scene.connector()
    await expectError(ConnectorError.self, .timedOut) { try await connector.fetchUserInfo() }
    let findings = try await connector.diagnose().findings
    #expect(findings.contains { $0.check == "metadata" && $0.outcome == .failed })
    stage.scene.transport.letEverythingPass()
    _ = try await connector.accessToken(forceRefresh: true)
    stage.scene.transport.hang(at: .metadata)
    try await stage.scene.connector().signOut()
    #expect(try await connector.session == .signedOut)
  }
}
