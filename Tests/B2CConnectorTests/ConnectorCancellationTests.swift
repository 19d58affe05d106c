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

  private struct SlowTransport: HTTPTransport {
    let base: any HTTPTransport
    let gate: TestGate
    let isSlow: @Sendable (URLRequest) -> Bool

    func send(_ request: URLRequest, limits: TransportLimits) async throws -> (Data, HTTPURLResponse) {
      if isSlow(request) { try await waitAsURLSession(gate) }
      return try await base.send(request, limits: limits)
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
    let connector = try World().connector(presenter: Page(gate: gate))
    await expectCancellation(gate) { try await connector.doPolicy(.signIn) }
  }

  @Test("A transport over URLSession, at the task API, at any API and at the token endpoint", arguments: 0..<4)
  func transport(_ call: Int) async throws {
    let world = World()
    let gate = TestGate()
    let slow = SlowTransport(base: world.network, gate: gate) {
      $0.url?.host() == world.tasks.url.host() || $0.path.hasSuffix("/token") && call == 3
    }
    if call == 3 {
      let connector = try world.connector(transport: slow)
      return await expectCancellation(gate) { try await connector.doPolicy(.signIn) }
    }
    let cache = InMemoryTokenCache()
    let connector = try world.connector(cache: cache, transport: slow)
    try await connector.doPolicy(.signIn)
    await expectCancellation(gate) {
      switch call {
      case 0: _ = try await connector.getTaskList()
      case 1: try await connector.addTask(TaskItem(itemName: "x"))
      default: _ = try await connector.data(for: URLRequest(url: world.tasks.url))
      }
    }
  }

  @Test("A cache that throws an error of its own")
  func cache() async throws {
    let gate = TestGate()
    let connector = try World().connector(cache: SlowCache(gate))
    await expectCancellation(gate) { _ = try await connector.users() }
  }

  @Test("An error without a cancellation stays what it is")
  func notCancelled() async throws {
    struct Presenter: SignInPresenter {
      func present(_ request: PresentationRequest) async throws -> URL { throw URLError(.cancelled) }
    }
    let connector = try World().connector(presenter: Presenter())
    let error = try await #require(throws: ConnectorError.self) { try await connector.doPolicy(.signIn) }
    #expect(error.code == .other && error.underlying is URLError)
  }
}
