/// A small HTTP/1.1 server that only this machine can reach.
///
/// It serves the redirect of one sign-in and the servers of the test kit: keep-alive and pipelined requests, bodies by
/// `Content-Length` or chunked, everything bounded by ``LoopbackLimits``. Each connection is a task of its own; one thread
/// waits for all sockets. Letting go of the listener closes it.
package final class LoopbackListener: Sendable {
  /// The port that is listened on, the same for all addresses.
  package let port: UInt16
  /// The addresses that are listened on.
  package let addresses: [LoopbackAddress]

  private let core: ListenerCore

  /// Starts to listen.
  ///
  /// - Parameters:
  ///   - port: The port; 0 lets the system choose one.
  ///   - addresses: The addresses; the machine must have the first, another one is left out where it is missing.
  ///   - limits: What is taken from a client.
  ///   - handler: Answers one request, or does not; runs for each connection in turn, in a task that is cancelled by
  ///     ``close()``.
  /// - Throws: ``LoopbackListenerError``.
  package init(
    port: UInt16 = 0, addresses: [LoopbackAddress] = [.ipv4], limits: LoopbackLimits = .server,
    handler: @escaping @Sendable (LoopbackExchange) async -> Void
  ) async throws {
    let bound = try BoundSockets(port: port, addresses: addresses)
    self.port = bound.port
    self.addresses = bound.sockets.map(\.address)
    do throws(SystemError) {
      core = try ListenerCore(port: bound.port, limits: limits, handler: handler)
    } catch {
      throw LoopbackListenerError(error, port: port)
    }
    for socket in bound.sockets {
      core.accept(from: socket.handle)
    }
  }

  /// Starts to listen with a handler that answers every request.
  package convenience init(
    port: UInt16 = 0, addresses: [LoopbackAddress] = [.ipv4], limits: LoopbackLimits = .server,
    answer: @escaping @Sendable (LoopbackRequest) async -> LoopbackResponse
  ) async throws {
    try await self.init(port: port, addresses: addresses, limits: limits) { exchange in
      await exchange.respond(await answer(exchange.request))
    }
  }

  deinit {
    core.stop()
  }

  /// How many connections are open.
  package var connectionCount: Int { core.connectionCount }

  /// Ends every connection at once, cancels every handler, and returns when the port is free again.
  ///
  /// Handlers that do not heed cancellation are not waited for.
  package func close() async {
    core.stop()
    await core.stopped()
  }
}
