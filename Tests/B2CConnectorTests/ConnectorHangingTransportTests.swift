import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An app's transport that never returns from a request for metadata or keys, whatever its limits say.
@Suite("A request for metadata or keys that never returns", .hangLimit)
struct ConnectorHangingTransportTests {
  /// A transport that does not return from some requests, also when it is cancelled.
  private final class HangingTransport: HTTPTransport {
    let base: any HTTPTransport
    private let hanging: Locked<(@Sendable (URLRequest) -> Bool)?>
    private let never = TestGate()

    init(_ base: any HTTPTransport, _ target: LocalFaultTarget) {
      self.base = base
      hanging = Locked(target.contains)
    }

    /// Hangs at other requests from now on; at none for `nil`.
    func hang(at target: LocalFaultTarget?) { hanging.withLock { $0 = target?.contains } }

    func send(_ request: URLRequest, limits: TransportLimits) async throws -> (Data, HTTPURLResponse) {
      if hanging.withLock({ $0?(request) == true }) { await Task { [never] in try? await never.wait() }.value }
      return try await base.send(request, limits: limits)
    }
  }

  private struct Stage {
    let clock = TestClock()
    let tenant: LocalTenant
    let transport: HangingTransport
    let cache = InMemoryTokenCache.memory()
    let network: LocalNetwork

    init(_ shape: LocalTenant.Shape, _ target: LocalFaultTarget) {
      let clock = clock
      tenant = LocalTenant(shape: shape, now: { clock.date })
      network = LocalNetwork(tenant, clock: clock)
      transport = HangingTransport(network, target)
    }

    func connector() throws -> Connector {
      let clock = clock
      return try Connector(
        settings: tenant.settings(),
        environment: Connector.Environment(
          presenter: ScriptedPresenter(transport: network, .signIn(.alice)), cache: cache, transport: transport,
          clock: clock, now: { clock.date }))
    }

    /// A connector as after a launch, at which Alice signed in before.
    func signedIn() async throws -> Connector {
      transport.hang(at: nil)
      try await connector().signIn()
      transport.hang(at: .metadata)
      return try connector()
    }
  }

  static let targets: [(LocalTenant.Shape, LocalFaultTarget)] = [
    (.b2c, .metadata), (.b2c, .keys), (.openIDConnect, .metadata), (.openIDConnect, .keys), (.entra, .metadata),
  ]

  @Test("A sign-in ends with timedOut, for all who wait, and the next one succeeds", arguments: targets.indices)
  func signIn(_ index: Int) async throws {
    let stage = Stage(Self.targets[index].0, Self.targets[index].1)
    let connector = try stage.connector()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<3 {
        group.addTask {
          let error = await #expect(throws: ConnectorError.self) { try await connector.signIn() }
          #expect(error?.code == .timedOut && error?.isRetryable == true && error?.url != nil)
        }
      }
    }
    stage.transport.hang(at: nil)
    _ = try await connector.signIn()
  }

  @Test("A refresh at a generic issuer ends with timedOut, and the next one succeeds", arguments: [false, true])
  func refresh(isForced: Bool) async throws {
    let stage = Stage(.openIDConnect, .metadata)
    let connector = try await stage.signedIn()
    if !isForced { await stage.clock.advance(by: .seconds(7_200)) }
    let error = try await #require(throws: ConnectorError.self) {
      try await connector.accessToken(forceRefresh: isForced)
    }
    #expect(error.code == .timedOut && error.isRetryable)
    stage.transport.hang(at: nil)
    _ = try await connector.accessToken(forceRefresh: true)
  }

  @Test("The provider's answer about a user ends with timedOut, and so does a diagnosis; a sign-out succeeds")
  func others() async throws {
    let stage = Stage(.openIDConnect, .metadata)
    let connector = try await stage.signedIn()
    await expectError(ConnectorError.self, .timedOut) { try await connector.fetchUserInfo() }
    let findings = try await connector.diagnose().findings
    #expect(findings.contains { $0.check == "metadata" && $0.outcome == .failed })
    try await connector.signOut()
    #expect(try await connector.session == .signedOut)
  }
}
