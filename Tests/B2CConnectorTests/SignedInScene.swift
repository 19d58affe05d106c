import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// Alice, signed in at a connector of a scene, and the page on which she or another user signs in next.
struct SignedInScene: Sendable {
  typealias Change = @Sendable (inout [String: JSONValue]) -> Void

  /// The scopes of another API than the settings', which is the app itself.
  static let otherScopes = [LocalTenant.standardClientID]
  static let claims = #"{"access_token":{"nbf":{"essential":true,"value":"1767225600"}}}"#

  let scene: Scene
  let presenter: ScriptedPresenter
  let connector: Connector
  let alice: SignInResult
  /// Holds the response to the refresh of ``heldRefresh(_:)`` back.
  let gate = TestGate()

  /// Signs Alice in; by default her access token has expired afterwards.
  init(
    _ scene: Scene = Scene(), after seconds: Int = 4_000, waitingOn waits: (any Clock<Duration>)? = nil,
    configure: (inout Connector.Options) -> Void = { _ in }
  ) async throws {
    self.scene = scene
    presenter = scene.script(.signIn(.alice))
    connector = try scene.connector(presenter: presenter, waitingOn: waits, configure: configure)
    alice = try await connector.signIn()
    if seconds > 0 { await scene.clock.advance(by: .seconds(seconds)) }
  }

  /// Makes another connector over the same cache, as another process or in this one.
  func other(isElsewhere: Bool = true, userID: String? = nil) throws -> Connector {
    try scene.connector(
      scene.settings { $0.userID = userID }, presenter: presenter,
      cache: isElsewhere ? ForwardingCache(scene.cache) : scene.cache)
  }

  @discardableResult
  func signIn(_ user: LocalUser = .alice, at other: Connector? = nil) async throws -> SignInResult {
    presenter.clearCookies()
    presenter.follow(.signIn(user))
    return try await (other ?? connector).signIn()
  }

  /// Starts a call whose refresh the tenant has done; its response arrives when the gate opens.
  func heldRefresh(
    _ call: @escaping @Sendable (Connector) async throws -> AccessToken = { try await $0.accessToken() }
  ) async -> Task<AccessToken, any Error> {
    scene.tenant.faults = [LocalFault(on: .tokenRefresh, times: 1, .holdAnswer(gate))]
    let running = Task { [connector] in try await call(connector) }
    await gate.waitForArrivals(1)
    return running
  }
}

extension Scene {
  /// Lets every access token expire.
  func expire() async { await clock.advance(by: .seconds(4_000)) }

  /// How often a step was reported.
  func count(_ step: Connector.Event.Step) -> Int { events.values.count { $0.step == step } }

  /// Expects so many refreshes, of which none has used a refresh token a second time.
  func expectRefreshes(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(tenant.counters.refreshes == count, sourceLocation: sourceLocation)
    #expect(tenant.counters.reusedRefreshTokens == 0, sourceLocation: sourceLocation)
  }
}

extension UserInfo {
  /// The same user after the session has expired.
  var expired: UserInfo { UserInfo(id: id, claims: claims, policyID: policyID) }
}

/// Lets other tasks go on for a while, before a test looks that nothing has happened.
func yieldOften() async { for _ in 0..<200 { await Task.yield() } }

/// A directory that is removed with its owner.
final class TemporaryDirectory: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("b2c-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  deinit { try? FileManager.default.removeItem(at: url) }
}
