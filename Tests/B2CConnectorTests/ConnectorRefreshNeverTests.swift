import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// An app and its widget over one token cache, of which only the app may refresh.
@Suite("A process that must not refresh", .hangLimit)
struct ConnectorRefreshNeverTests {
  private let stage: SignedInScene
  private var scene: Scene { stage.scene }
  private var app: Connector { stage.connector }

  init() async throws { stage = try await SignedInScene(after: 0) }

  /// The widget is forbidden to refresh by its options, or because it is an app extension.
  private func widget(isAppExtension: Bool = false) throws -> Connector {
    var environment = scene.environment()
    environment.isAppExtension = isAppExtension
    return try Connector(settings: try scene.settings(), environment: environment) {
      $0.refreshesTokens = isAppExtension
    }
  }

  @Test("A stored token is used until it expires, and the error then asks to open the app", arguments: [false, true])
  func stored(isAppExtension: Bool) async throws {
    let widget = try widget(isAppExtension: isAppExtension)
    let token = try await app.accessToken()
    _ = try await widget.getTaskList()
    await scene.clock.advance(by: .seconds(3_500))
    let count = scene.network.requestCount
    #expect(try await widget.accessToken() == token)
    await scene.clock.advance(by: .seconds(500))
    let calls: [() async throws -> Void] = [
      { _ = try await widget.accessToken() }, { _ = try await widget.getTaskList() },
      { _ = try await widget.accessToken(claims: #"{"access_token":{"acrs":{"essential":true}}}"#) },
    ]
    for call in calls {
      let error = try await #require(throws: ConnectorError.self) { try await call() }
      #expect(error.code == .refreshNotAllowed && !error.needsInteraction && !error.isRetryable)
      #expect(error.recoverySuggestion?.hasPrefix("Open the app") == true)
    }
    #expect(scene.network.requestCount == count)
    #expect(try await widget.session == .signedIn(stage.alice.user))
    let new = try await app.accessToken()
    #expect(try await widget.accessToken() == new)
  }

  @Test("A token that is forced or that the API refuses is not replaced, although it has not expired")
  func valid() async throws {
    let widget = try widget()
    await expectError(ConnectorError.self, .refreshNotAllowed) { try await widget.accessToken(forceRefresh: true) }
    scene.tasks.faults = [LocalFault(on: .any, times: 1, .respond(LocalResponse(status: 401)))]
    await expectError(ConnectorError.self, .refreshNotAllowed) { try await widget.getTaskList() }
    #expect(scene.tenant.counters.refreshRequests == 0)
    #expect(try await widget.session == .signedIn(stage.alice.user))
  }

  @Test("If nobody is signed in or the session has ended, the error asks for a sign-in", arguments: [true, false])
  func signedOut(hasEnded: Bool) async throws {
    if hasEnded {
      scene.tenant.revokeGrants()
      await scene.expire()
      await expectError(ConnectorError.self, .interactionRequired) { try await app.accessToken() }
    } else {
      try await app.signOut()
    }
    let widget = try widget()
    await expectError(ConnectorError.self, .interactionRequired) { try await widget.accessToken() }
    #expect(try await (widget.session == .signedOut) == !hasEnded)
  }
}
