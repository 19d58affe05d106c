internal import B2CCore
internal import Foundation

/// A small HTTP/1.1 server that only this machine can reach.
///
/// It serves the redirect of one sign-in and the servers of the test kit: one request per connection, bodies by
/// `Content-Length`, everything bounded by ``LoopbackLimits``. One thread accepts; each connection is a task.
/// Releasing the listener closes it.
package final class LoopbackListener: Sendable {
  /// The port, the same for all addresses.
  package let port: UInt16
  /// The addresses that the system says the sockets are bound to.
  package let addresses: [LoopbackAddress]

  private let core: ListenerCore

  /// Starts to listen.
  ///
  /// - Parameters:
  ///   - port: The port; 0 lets the system choose one.
  ///   - addresses: The addresses. The first is needed; another one is left out if the machine does not have it.
  ///   - limits: The limits of requests and connections.
  ///   - handler: Answers one request; runs in a task that ``close()`` cancels.
  /// - Throws: ``ConnectorError`` with code `portInUse` or `presentationFailed`.
  package init(
    port: UInt16 = 0, addresses: [LoopbackAddress] = [.ipv4], limits: LoopbackLimits = .server,
    handler: @escaping @Sendable (LoopbackExchange) async -> Void
  ) async throws {
    let sockets = try Self.bind(port: port, addresses: addresses, tries: port == 0 ? 20 : 1)
    self.port = sockets.first?.port ?? port
    self.addresses = sockets.map(\.address)
    core = ListenerCore(
      listening: sockets.map(\.socket), wakeUpEnds: try Socket.pair(port: self.port), port: self.port, limits: limits,
      handler: handler)
    let thread = Thread { [core] in core.acceptAll() }
    thread.name = "B2CConnector.loopback"
    thread.start()
  }

  deinit { core.stop() }

  /// The number of open connections.
  package var connectionCount: Int { core.connectionCount }

  /// Ends every connection at once, cancels every handler, and returns when the port is free again.
  ///
  /// Handlers that ignore cancellation are not waited for.
  package func close() async {
    core.stop()
    await core.stopped()
  }

  private static func bind(
    port: UInt16, addresses: [LoopbackAddress], tries: Int
  ) throws(ConnectorError) -> [(socket: Socket, address: LoopbackAddress, port: UInt16)] {
    var sockets: [(socket: Socket, address: LoopbackAddress, port: UInt16)] = []
    for address in addresses {
      do throws(ConnectorError) {
        let (socket, bound) = try Socket.listening(at: address, port: sockets.first?.port ?? port)
        sockets.append((socket, address, bound))
      } catch {
        let isInUse = error.code == .portInUse
        // A port that the system chose at one address may be in use at the other, so another port is tried.
        if isInUse, tries > 1 { return try bind(port: port, addresses: addresses, tries: tries - 1) }
        if isInUse || sockets.isEmpty { throw error }
      }
    }
    return sockets
  }
}

/// State shared by the accepting thread and the connections; they retain it instead of the listener, so releasing the
/// listener stops them.
private struct ListenerCore: Sendable {
  private struct State {
    var nextID = 0
    var connections: [Int: (socket: Socket, task: Task<Void, Never>, hasRequest: Bool)] = [:]
    var isStopped = false
    var hasEnded = false

    /// The oldest connection that has not sent a whole request.
    var oldestWaiting: Int? { connections.filter { !$0.value.hasRequest }.keys.min() }

    func isFull(_ limits: LoopbackLimits) -> Bool {
      connections.count >= limits.connections && !(limits.closesWaiting && oldestWaiting != nil)
    }
  }

  let listening: [Socket]
  /// What is written to the second wakes the thread, which polls the first.
  let wakeUpEnds: (read: Socket, write: Socket)
  let port: UInt16
  let limits: LoopbackLimits
  let handler: @Sendable (LoopbackExchange) async -> Void
  private let state = Monitor(State())

  var connectionCount: Int { state.withLock { $0.connections.count } }

  func stop() {
    let connections = state.withLock { state in
      state.isStopped = true
      defer { state.connections = [:] }
      return Array(state.connections.values)
    }
    // The sockets first: nothing connects any longer, and a handler that is cancelled can no longer send anything.
    listening.forEach { $0.close() }
    connections.forEach { $0.socket.close() }
    connections.forEach { $0.task.cancel() }
    wakeUp()
  }

  /// Waits until the thread has ended and nothing listens any longer, in a task that is cancelled too.
  func stopped() async { await Task { try? await state.wait { $0.hasEnded } }.value }

  private func wakeUp() { _ = wakeUpEnds.write.sendNow([0]) }

  func acceptAll() {
    while let isFull = state.withLock({ $0.isStopped ? nil : $0.isFull(limits) }) {
      // Beyond the limit connections wait in the system's queue.
      let readable = Socket.waitForReadable([wakeUpEnds.read] + (isFull ? [] : listening))
      _ = wakeUpEnds.read.receiveNow()
      // One at a time, so that the limit is looked at for each; a request may have become whole since the last look.
      guard let socket = readable.first(where: { $0 !== wakeUpEnds.read }), !state.withLock({ $0.isFull(limits) })
      else { continue }
      if let connection = socket.accept() {
        serve(connection)
      } else {
        // The client is gone, or the process is out of descriptors and gets one back in a moment.
        Thread.sleep(forTimeInterval: 0.005)
      }
    }
    (listening + [wakeUpEnds.read, wakeUpEnds.write]).forEach { $0.close() }
    state.withLock { $0.hasEnded = true }
  }

  private func serve(_ socket: Socket) {
    state.withLock { state in
      guard !state.isStopped else { return socket.close() }
      if state.connections.count >= limits.connections, let oldest = state.oldestWaiting {
        // Another program of this machine could otherwise keep the browser out by connections that send nothing.
        state.connections.removeValue(forKey: oldest)?.socket.close()
      }
      state.nextID += 1
      let id = state.nextID
      let connection = LoopbackConnection(socket: socket, port: port, limits: limits) { exchange in
        self.state.withLock { $0.connections[id]?.hasRequest = true }
        await handler(exchange)
      }
      let task = Task {
        await connection.serve()
        self.state.withLock { $0.connections[id] = nil }
        wakeUp()
      }
      state.connections[id] = (socket, task, false)
    }
  }
}
