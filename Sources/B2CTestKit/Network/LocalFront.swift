internal import B2CCore
internal import B2CHTTP
internal import Foundation

/// A local server's front on loopback HTTP.
///
/// It ends with the server: nothing in it holds the server, and letting go of the listener closes it.
struct LocalFront: Sendable {
  /// Where it listens.
  let url: URL
  private let listener: LoopbackListener

  /// Listens for a server; `answer` gives `nil` when the server is gone.
  init(port: UInt16, answer: @escaping @Sendable (TransportRequest) async -> LocalAnswer?) async throws {
    let base = Locked<URL?>(nil)
    // A task server has to take long titles.
    let limits = LoopbackLimits(bodyBytes: 8 << 20)
    do {
      listener = try await LoopbackListener(port: port, limits: limits) { exchange in
        guard let url = base.withLock({ $0 }), let request = LocalWire.request(exchange.request, base: url),
          let answer = await answer(request)
        else { return exchange.close() }
        await LocalWire.play(answer, on: exchange)
      }
    } catch {
      throw TransportError(.cannotConnect, "No port of this machine to listen on: \(error)", underlying: error)
    }
    let url = LocalURL.make("http://127.0.0.1:\(listener.port)")
    base.withLock { $0 = url }
    self.url = url
  }

  func stop() async { await listener.close() }
}

extension LocalTenant {
  /// Answers over HTTP on a loopback port too, from now until ``stop()``; ``origin`` tells where.
  ///
  /// - Parameter port: The port; the system chooses one for 0.
  /// - Throws: `TransportError` with code `cannotConnect` when the port is in use or the system gives none.
  public func start(port: UInt16 = 0) async throws {
    guard state.withLock({ $0.front == nil }) else { return }
    let front = try await LocalFront(port: port) { [weak self] in await self?.answer($0) }
    state.withLock { $0.front = front }
  }

  /// Stops answering over HTTP.
  ///
  /// The port is free when this returns; in memory the tenant answers on.
  public func stop() async {
    let front = state.withLock { state in
      defer { state.front = nil }
      return state.front
    }
    await front?.stop()
  }
}

extension LocalTaskServer {
  /// Answers over HTTP on a loopback port too, from now until ``stop()``; ``url`` tells where.
  ///
  /// - Parameter port: The port; the system chooses one for 0.
  /// - Throws: `TransportError` with code `cannotConnect` when the port is in use or the system gives none.
  public func start(port: UInt16 = 0) async throws {
    guard state.withLock({ $0.front == nil }) else { return }
    let front = try await LocalFront(port: port) { [weak self] in await self?.answer($0) }
    state.withLock { $0.front = front }
  }

  /// Stops answering over HTTP.
  ///
  /// The port is free when this returns; in memory the server answers on.
  public func stop() async {
    let front = state.withLock { state in
      defer { state.front = nil }
      return state.front
    }
    await front?.stop()
  }
}
