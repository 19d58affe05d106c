import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// A cancelled call throws `CancellationError`, whatever an app's parts throw then, and no other call does.
@Suite("Cancelled calls over an app's own parts", .hangLimit)
struct ConnectorCancellationTests {
  private let scene = Scene()
  private let gate = TestGate()

  /// Waits and throws what `URLSession` throws when its caller is cancelled.
  private func waitAsURLSession() async throws {
    do { try await gate.wait() } catch { throw URLError(.cancelled) }
  }

  /// A presenter that does this in place of showing a page.
  private struct Page: SignInPresenter {
    let show: @Sendable () async throws -> Void

    func present(_ request: PresentationRequest) async throws -> URL {
      try await show()
      throw URLError(.unknown)
    }
  }

  enum Call: CaseIterable { case list, add, data, token, page, cache }

  @Test("A call that is cancelled throws CancellationError, whichever part it waits for", arguments: Call.allCases)
  func cancelled(_ call: Call) async throws {
    struct Failure: Error {}
    let signedIn = try await scene.signedIn()
    scene.transport.intercept { request in
      let isSlow = call == .token ? request.isTokenRequest : request.url?.host() == scene.tasks.url.host()
      if isSlow { try await waitAsURLSession() }
      return nil
    }
    let running = Task {
      switch call {
      case .list: _ = try await signedIn.getTaskList()
      case .add: try await signedIn.addTask(TaskItem(itemName: "x"))
      case .data: _ = try await signedIn.data(for: URLRequest(url: scene.tasks.url))
      case .token: try await signedIn.signIn()
      case .page: try await scene.connector(presenter: Page { try await waitAsURLSession() }).signIn()
      case .cache:
        let cache = HookedCache { _ in do { try await gate.wait() } catch { throw Failure() } }
        _ = try await scene.connector(cache: cache).users()
      }
    }
    await gate.waitForArrivals(1)
    running.cancel()
    await #expect(throws: CancellationError.self) { try await running.value }
    if call == .token || call == .page { #expect(scene.events.values.last?.errorCode?.rawValue == "cancelled") }
  }

  static let targets: [LocalFaultTarget] = [.metadata, .keys, .tokenCode, .tokenRefresh, .path("/tasks")]

  @Test("A transport that throws CancellationError by itself has lost the connection", arguments: targets.indices)
  func transportThatCancels(_ index: Int) async throws {
    _ = try await scene.signedIn()
    let connector = try scene.connector()
    // A library that was shut down does this.
    scene.transport.intercept { if Self.targets[index].contains($0) { throw CancellationError() } else { nil } }
    try await simultaneously(3) { _ in
      await expectError(ConnectorError.self, .network) {
        switch index {
        case 0..<3: _ = try await connector.signIn()
        case 3: _ = try await connector.accessToken(forceRefresh: true)
        default: try await connector.addTask(TaskItem(itemName: "x"))
        }
      }
    }
  }

  @Test("A presenter, a cache or a closure that throws a cancellation by itself cancels nobody")
  func otherPartsThatCancel() async throws {
    for error: any Error in [CancellationError(), URLError(.cancelled)] {
      let page = try scene.connector(presenter: Page { throw error })
      await expectError(ConnectorError.self, .other) { try await page.signIn() }
    }
    let cache = try scene.connector(cache: HookedCache { _ in throw CancellationError() })
    await expectError(ConnectorError.self, .tokenCache) { try await cache.signIn() }
    await expectError(ConnectorError.self, .tokenCache) { try await cache.users() }
    await expectError(ConnectorError.self, .tokenCache) { try await cache.signOut() }
    let asking = try scene.connector { $0.beforeRefresh = { _ in throw CancellationError() } }
    try await asking.signIn()
    await expectError(ConnectorError.self, .userCancelled) { try await asking.accessToken(forceRefresh: true) }
    let opening = try scene.connector(presenter: ExternalBrowserPresenter(open: { _ in throw CancellationError() }))
    await expectError(ConnectorError.self, .presentationFailed) { try await opening.signIn() }
    let device = try Scene(shape: .entra).connector()
    await expectError(ConnectorError.self, .other) {
      try await device.signInWithDeviceCode { _ in throw CancellationError() }
    }
  }

  @Test(
    "A sign-out that fails in a cancelled task names who is still signed in",
    arguments: [(removed: 0, isOfOne: false), (1, false), (0, true)])
  func signOut(removed: Int, isOfOne: Bool) async throws {
    let cache = HookedCache { [gate] call in
      guard call == "remove" else { return }
      try await gate.wait()
      if gate.arrivals > removed { throw URLError(.cannotWriteToFile) }
    }
    let stage = try await SignedInScene(Scene(cache: cache), after: 0)
    let (connector, bob) = (stage.connector, try await stage.signIn(.bob).user)
    let call = Task { isOfOne ? try await connector.signOut(bob) : try await connector.signOut() }
    await gate.waitForArrivals(1)
    call.cancel()
    gate.open()
    await expectError(ConnectorError.self, .tokenCache, saying: "Still signed in: ") { try await call.value }
    #expect(try await connector.users().count == 2 - removed)
  }
}
