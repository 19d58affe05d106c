import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("A process that must not refresh", .hangLimit)
struct ConnectorRefreshNeverTests {
  /// Why a process must not refresh: the app says so, or it is an app extension.
  enum Reason: CaseIterable { case option, appExtension }

  /// An app and its widget over one token cache, after a sign-in in the app.
  private struct Stage {
    let scene = Scene()
    let app: Connector
    let widget: Connector
    let user: UserInfo

    init(_ reason: Reason = .option) async throws {
      let cache = InMemoryTokenCache()
      app = try scene.connector(cache: cache)
      var environment = scene.environment(cache: cache)
      environment.isAppExtension = reason == .appExtension
      widget = try Connector(settings: try scene.settings(), environment: environment) {
        $0.refreshesTokens = reason == .appExtension
      }
      user = try await app.doPolicy(.signIn)
    }

    /// What a call of the widget throws; nothing may be sent meanwhile.
    func refusal(_ call: () async throws -> Void) async throws -> ConnectorError {
      let count = scene.network.requestCount
      let error = try await #require(throws: ConnectorError.self) { try await call() }
      #expect(scene.network.requestCount == count)
      #expect(try await widget.session == .signedIn(user))
      return error
    }
  }

  @Test(
    "A stored token is used until it expires, also in the time in which others renew it", arguments: Reason.allCases)
  func stored(_ reason: Reason) async throws {
    let stage = try await Stage(reason)
    let token = try await stage.app.accessToken()
    _ = try await stage.widget.getTaskList()
    await stage.scene.clock.advance(by: .seconds(3_500))
    let count = stage.scene.network.requestCount
    #expect(try await stage.widget.accessToken() == token)
    #expect(stage.scene.network.requestCount == count)
  }

  @Test(
    "An expired token is `refreshNotAllowed` in every call: nothing is sent, and the session goes on",
    arguments: Reason.allCases)
  func expired(_ reason: Reason) async throws {
    let stage = try await Stage(reason)
    await stage.scene.clock.advance(by: .seconds(4_000))
    let calls: [() async throws -> Void] = [
      { _ = try await stage.widget.accessToken() }, { _ = try await stage.widget.getTaskList() },
      { _ = try await stage.widget.accessToken(claims: #"{"access_token":{"acrs":{"essential":true}}}"#) },
    ]
    for call in calls {
      let error = try await stage.refusal(call)
      #expect(error.code == .refreshNotAllowed)
      #expect(!error.needsInteraction && !error.isRetryable)
      #expect(error.recoverySuggestion?.hasPrefix("Open the app") == true)
    }
    // What the app refreshes, the widget has.
    let token = try await stage.app.accessToken()
    #expect(try await stage.widget.accessToken() == token)
  }

  @Test("A new token that is asked for is `refreshNotAllowed` too, whatever is stored")
  func forced() async throws {
    let stage = try await Stage()
    let error = try await stage.refusal { _ = try await stage.widget.accessToken(forceRefresh: true) }
    #expect(error.code == .refreshNotAllowed)
    #expect(stage.scene.tenant.counters.refreshRequests == 0)
  }

  @Test("A token that the API refuses is not replaced: the app has to")
  func refused() async throws {
    let stage = try await Stage()
    stage.scene.tasks.faults = [LocalFault(on: .any, times: 1, .respond(LocalResponse(status: 401)))]
    await expectError(ConnectorError.self, .refreshNotAllowed) { try await stage.widget.getTaskList() }
    #expect(stage.scene.tenant.counters.refreshRequests == 0)
    #expect(try await stage.widget.session == .signedIn(stage.user))
  }

  @Test("Where no user is signed in, or the session has ended, that is the error", arguments: [true, false])
  func signedOut(hasEnded: Bool) async throws {
    let stage = try await Stage()
    if hasEnded {
      stage.scene.tenant.revokeGrants()
      await stage.scene.clock.advance(by: .seconds(4_000))
      await expectError(ConnectorError.self, .interactionRequired) { try await stage.app.accessToken() }
    } else {
      try await stage.app.signOut()
    }
    await expectError(ConnectorError.self, .interactionRequired) { try await stage.widget.accessToken() }
    #expect(try await (stage.widget.session == .signedOut) == !hasEnded)
  }
}
