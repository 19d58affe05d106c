import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A cancelled call ends in `CancellationError`, whatever an app's presenter, cache or transport throws then.
@Suite("Cancelled calls over an app's own parts", .hangLimit)
struct ConnectorCancellationTests {
  /// Throws what `URLSession` throws when its caller is cancelled.
  private static func waitAsURLSession(_ gate: TestGate) async throws {
    do { try await gate.wait() } catch { throw URLError(.cancelled) }
  }

  private struct Page: SignInPresenter {
    let gate: TestGate

    func present(_ request: PresentationRequest) async throws -> URL {
      try await waitAsURLSession(gate)
      throw URLError(.unknown)
    }
  }

  private actor SlowCache: TokenCache {
    struct Failure: Error {}
    private let base = InMemoryTokenCache()
    let gate: TestGate

    init(_ gate: TestGate) { self.gate = gate }

    func record(for key: TokenCacheKey) async throws -> TokenRecord? { await base.record(for: key) }
    func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
      do { try await gate.wait() } catch { throw Failure() }
      await base.store(record, for: key)
    }
    func removeRecord(for key: TokenCacheKey) async throws { await base.removeRecord(for: key) }
    func keys() async throws -> [TokenCacheKey] {
      do { try await gate.wait() } catch { throw Failure() }
      return await base.keys()
    }
  }

  private func expectCancellation(
    _ gate: TestGate, _ call: @escaping @Sendable () async throws -> Void
  ) async {
    let running = Task { try await call() }
    await gate.waitForArrivals(1)
    running.cancel()
    await #expect(throws: CancellationError.self) { try await running.value }
  }

  @Test("A presenter over URLSession")
  func presenter() async throws {
    let gate = TestGate()
    let connector = try Scene().connector(presenter: Page(gate: gate))
    await expectCancellation(gate) { try await connector.doPolicy(.signIn) }
  }

  @Test("A transport over URLSession, at the task API, at any API and at the token endpoint", arguments: 0..<4)
  func transport(_ call: Int) async throws {
    let scene = Scene()
    let gate = TestGate()
    let connector = call == 3 ? try scene.connector() : try await scene.signedIn()
    scene.transport.intercept { request in
      let isSlow = call == 3 ? request.isTokenRequest : request.url?.host() == scene.tasks.url.host()
      if isSlow { try await Self.waitAsURLSession(gate) }
      return nil
    }
    await expectCancellation(gate) {
      switch call {
      case 0: _ = try await connector.getTaskList()
      case 1: try await connector.addTask(TaskItem(itemName: "x"))
      case 2: _ = try await connector.data(for: URLRequest(url: scene.tasks.url))
      default: try await connector.doPolicy(.signIn)
      }
    }
  }

  @Test("A cache that throws an error of its own")
  func cache() async throws {
    let gate = TestGate()
    let connector = try Scene().connector(cache: SlowCache(gate))
    await expectCancellation(gate) { _ = try await connector.users() }
  }

  static let targets: [LocalFaultTarget] = [.metadata, .keys, .tokenCode, .tokenRefresh, .path("/tasks")]

  @Test("A transport that throws CancellationError by itself has lost the connection", arguments: targets.indices)
  func transportThatCancels(_ index: Int) async throws {
    let scene = Scene()
    _ = try await scene.signedIn()
    let connector = try scene.connector()
    // As a library does that was shut down.
    scene.transport.intercept { request in
      if Self.targets[index].contains(request) { throw CancellationError() }
      return nil
    }
    let call: @Sendable () async throws -> Void =
      switch index {
      case 0..<3: { _ = try await connector.signIn() }
      case 3: { _ = try await connector.accessToken(forceRefresh: true) }
      default: { _ = try await connector.addTask(TaskItem(itemName: "x")) }
      }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<3 {
        group.addTask { await expectError(ConnectorError.self, .network) { try await call() } }
      }
    }
  }

  @Test("A presenter, a cache and closures that throw CancellationError by themselves cancel nobody")
  func otherPartsThatCancel() async throws {
    struct Presenter: SignInPresenter {
      func present(_ request: PresentationRequest) async throws -> URL { throw CancellationError() }
    }
    final class Cache: TokenCache {
      func record(for key: TokenCacheKey) async throws -> TokenRecord? { throw CancellationError() }
      func store(_ record: TokenRecord, for key: TokenCacheKey) async throws { throw CancellationError() }
      func removeRecord(for key: TokenCacheKey) async throws { throw CancellationError() }
      func keys() async throws -> [TokenCacheKey] { throw CancellationError() }
    }
    let scene = Scene()
    await expectError(ConnectorError.self, .other) { try await scene.connector(presenter: Presenter()).signIn() }
    let connector = try scene.connector(cache: Cache())
    await expectError(ConnectorError.self, .tokenCache) { try await connector.signIn() }
    await expectError(ConnectorError.self, .tokenCache) { try await connector.users() }
    await expectError(ConnectorError.self, .tokenCache) { try await connector.signOut() }
    let asking = try scene.connector { $0.beforeRefresh = { _ in throw CancellationError() } }
    try await asking.signIn()
    await expectError(ConnectorError.self, .userCancelled) { try await asking.accessToken(forceRefresh: true) }
    let opening = try scene.connector(presenter: ExternalBrowserPresenter(open: { _ in throw CancellationError() }))
    await expectError(ConnectorError.self, .presentationFailed) { try await opening.signIn() }
    let tenant = LocalTenant(shape: .entra)
    let device = try Connector.local(tenant)
    await expectError(ConnectorError.self, .other) {
      try await device.signInWithDeviceCode { _ in throw CancellationError() }
    }
  }

  /// Waits with a removal until a gate opens, and then refuses it.
  private final class RefusingCache: TokenCache {
    private let base = InMemoryTokenCache.memory()
    let gate: TestGate
    /// The removals that are done all the same.
    let accepted: Int
    private let removals = Locked(0)

    init(_ gate: TestGate, accepted: Int) { (self.gate, self.accepted) = (gate, accepted) }

    func record(for key: TokenCacheKey) async throws -> TokenRecord? { await base.record(for: key) }
    func store(_ record: TokenRecord, for key: TokenCacheKey) async throws { await base.store(record, for: key) }
    func keys() async throws -> [TokenCacheKey] { await base.keys() }
    func removeRecord(for key: TokenCacheKey) async throws {
      try await gate.wait()
      let isAccepted = removals.withLock { count in
        count += 1
        return count <= accepted
      }
      guard isAccepted else { throw URLError(.cannotWriteToFile) }
      await base.removeRecord(for: key)
    }
  }

  @Test("A sign-out that fails in a cancelled task says who is still signed in", arguments: [0, 1], [false, true])
  func signOut(accepted: Int, isOfOne: Bool) async throws {
    let scene = Scene()
    let presenter = scene.script(.signIn(.alice))
    let gate = TestGate()
    let cache = RefusingCache(gate, accepted: isOfOne ? 0 : accepted)
    let connector = try scene.connector(presenter: presenter, cache: cache)
    try await connector.signIn()
    presenter.clearCookies()
    presenter.follow(.signIn(.bob))
    let bob = try await connector.doPolicy(.signIn)
    let call = Task { isOfOne ? try await connector.signOut(bob) : try await connector.signOut() }
    await gate.waitForArrivals(1)
    call.cancel()
    gate.open()
    let error = try await #require(throws: ConnectorError.self) { try await call.value }
    #expect(error.code == .tokenCache && error.message.contains("Still signed in: "))
    #expect(try await connector.users().count == (isOfOne ? 2 : 2 - accepted))
  }

  @Test("An error without a cancellation stays what it is")
  func notCancelled() async throws {
    struct Presenter: SignInPresenter {
      func present(_ request: PresentationRequest) async throws -> URL { throw URLError(.cancelled) }
    }
    let connector = try Scene().connector(presenter: Presenter())
    let error = try await #require(throws: ConnectorError.self) { try await connector.doPolicy(.signIn) }
    #expect(error.code == .other && error.underlying is URLError)
  }
}
