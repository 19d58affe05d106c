import B2CConnector
import B2CCore
import B2CTestKit
import B2CTokenCache
import Dispatch
import Foundation
import TestSupport
import Testing

@Suite("An app and its widget share a keychain and a directory for locks", .timeLimit(.minutes(10)))
struct ConnectorWidgetTests {
  /// Two processes over one keychain, after a sign-in in the app.
  private final class Stage: Sendable {
    let world = World()
    let app: Connector
    let widget: Connector
    let user: UserInfo
    private let container = FileManager.default.temporaryDirectory.appendingPathComponent("b2c-\(UUID().uuidString)")

    init(refreshesTokens: Bool, protected items: ProtectedKeychain? = nil) async throws {
      try FileManager.default.createDirectory(at: container, withIntermediateDirectories: true)
      let keychain = DictionaryKeychain(protected: items)
      app = try world.connector(cache: SharedKeychain(keychain, lockedIn: container))
      // The time that the widget waits for a question passes at once.
      let cache =
        items == nil
        ? SharedKeychain(keychain.otherProcess(), lockedIn: container)
        : SharedKeychain(
          keychain.otherProcess(), lockedIn: container, lockTimeout: .seconds(30), clock: LeapingClock())
      widget = try world.connector(cache: cache) { $0.refreshesTokens = refreshesTokens }
      user = try await app.doPolicy(.signIn)
    }

    deinit { try? FileManager.default.removeItem(at: container) }
  }

  @Test("A widget that must not refresh has what the app stores, and sees on reading that the user has signed out")
  func widget() async throws {
    let stage = try await Stage(refreshesTokens: false)
    _ = try await stage.widget.getTaskList()
    await stage.world.clock.advance(by: .seconds(4_000))
    let expired = try await #require(throws: ConnectorError.self) { _ = try await stage.widget.getTaskList() }
    #expect(expired.code == .refreshNotAllowed)
    #expect(try await stage.widget.session == .signedIn(stage.user))
    let token = try await stage.app.accessToken()
    #expect(try await stage.widget.accessToken() == token)
    try await stage.app.signOut()
    let signedOut = try await #require(throws: ConnectorError.self) { _ = try await stage.widget.getTaskList() }
    #expect(signedOut.needsInteraction)
    #expect(try await stage.widget.session == .signedOut)
  }

  @Test("While the app asks its user, another process waits for the lock's time; the answer is good for storing too")
  func question() async throws {
    let items = ProtectedKeychain()
    let stage = try await Stage(refreshesTokens: true, protected: items)
    await stage.world.clock.advance(by: .seconds(7_200))
    let (isOpen, answer) = (Locked(false), DispatchSemaphore(value: 0))
    defer { answer.signal() }
    items.onQuestion {
      isOpen.withLock { $0 = true }
      answer.wait()
    }
    let renewal = Task { try await stage.app.accessToken().token }
    try await yielding { isOpen.withLock { $0 } }
    let error = try await #require(throws: ConnectorError.self) { try await stage.widget.accessToken() }
    #expect(error.code == .tokenCache && error.isRetryable)
    #expect((error.underlying as? TokenCacheError)?.code == .lockTimedOut)
    #expect(try await stage.widget.session == .signedIn(stage.user))
    answer.signal()
    let token = try await renewal.value
    #expect(try await stage.widget.accessToken().token == token)
    #expect(items.questions == 1 && items.added == (2, 1))
  }

  @Test("An extension that may refresh waits for the app's refresh, and has its token")
  func oneRefresh() async throws {
    let stage = try await Stage(refreshesTokens: true)
    _ = try await stage.widget.getTaskList()
    await stage.world.clock.advance(by: .seconds(7_200))
    let gate = TestGate()
    stage.world.tenant.faults = [LocalFault(on: .tokenRefresh, times: 1, .holdAnswer(gate))]
    let first = Task { try await stage.app.accessToken().token }
    await gate.waitForArrivals(1)
    let second = Task { try await stage.widget.accessToken().token }
    for _ in 0..<200 { await Task.yield() }
    gate.open()
    #expect(try await first.value == second.value)
    await stage.world.clock.advance(by: .seconds(7_200))
    _ = try await stage.widget.accessToken()
    #expect(stage.world.tenant.counters.refreshRequests == 2)
    #expect(stage.world.tenant.counters.reusedRefreshTokens == 0)
  }

  @Test("A directory that cannot be used is found when the session is read, before a page opens")
  func missingDirectory() async throws {
    let world = World()
    let presenter = world.script(.signIn(.alice))
    let missing = URL(fileURLWithPath: "/b2c-no-such-directory", isDirectory: true)
    let connector = try world.connector(
      presenter: presenter, cache: SharedKeychain(DictionaryKeychain(), lockedIn: missing))
    let error = try await #require(throws: ConnectorError.self) { _ = try await connector.session }
    #expect(error.code == .tokenCache)
    #expect(error.description.contains("no directory /b2c-no-such-directory"), "\(error)")
  }
}
