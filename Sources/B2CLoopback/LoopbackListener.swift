internal import B2CCore
internal import Foundation

/// A small HTTP/1.1 server that only this machine can reach.
///
/// It receives the redirect of a sign-in and serves the test kit. It reads one request per connection, whose body needs
/// a `Content-Length`, and ``LoopbackLimits`` limits everything. A single thread accepts connections, and each
/// connection is a task. Releasing the listener closes it.
package final class LoopbackListener: Sendable {
  /// The port, which is the same for all addresses.
  package let port: UInt16
  /// The addresses that the sockets are bound to, according to the system.
  package let addresses: [LoopbackAddress]

  private let core: ListenerCore

  /// Starts to listen.
  ///
  /// - Parameters:
  ///   - port: The port, or 0 to let the system choose one.
  ///   - addresses: The addresses, of which all but the first are left out if this machine does not have them.
  ///   - limits: The limits for requests and connections.
  ///   - handler: Answers one request, in a task that ``close()`` cancels.
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

  /// Closes every connection immediately, cancels every handler, and returns when the port is free again.
  ///
  /// It does not wait for handlers that ignore cancellation.
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
        // The system may choose a port at one address that is in use at the other one, so another port is tried.
        if isInUse, tries > 1 { return try bind(port: port, addresses: addresses, tries: tries - 1) }
        if isInUse || sockets.isEmpty { throw error }
      }
    }
    return sockets
  }
}

/// The state that the accepting thread and the connections share.
///
/// They retain this state and not the listener, so that releasing the listener stops them.
private struct ListenerCore: Sendable {
  private struct State {
    var nextID = 0
    var connections: [Int: (socket: Socket, task: Task<Void, Never>, hasRequest: Bool)] = [:]
    var isStopped = false
    var hasEnded = false

    /// The id of the oldest connection that has not sent a complete request.
    var oldestWaiting: Int? { connections.filter { !$0.value.hasRequest }.keys.min() }

    func isFull(_ limits: LoopbackLimits) -> Bool {
      connections.count >= limits.connections && !(limits.closesWaiting && oldestWaiting != nil)
    }
  }

  let listening: [Socket]
  /// A connected pair that wakes the thread, which polls `read`, when a byte is written to `write`.
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
    // Close the sockets first, so that no client can connect and a cancelled handler cannot send anything.
    listening.forEach { $0.close() }
    connections.forEach { $0.socket.close() }
    connections.forEach { $0.task.cancel() }
    wakeUp()
  }

  /// Waits until the thread has ended and nothing listens any longer, even if the calling task is cancelled.
  func stopped() async { await Task { try? await state.wait { $0.hasEnded } }.value }

  private func wakeUp() { _ = wakeUpEnds.write.sendNow([0]) }

  func acceptAll() {
    while let isFull = state.withLock({ $0.isStopped ? nil : $0.isFull(limits) }) {
      // Beyond the limit, new connections are not accepted and wait in the system's queue.
      let readable = Socket.waitForReadable([wakeUpEnds.read] + (isFull ? [] : listening))
      _ = wakeUpEnds.read.receiveNow()
      // Accept one connection at a time, because each one may reach the limit. Meanwhile a connection may have sent a
      // complete request, so the limit is checked again.
      guard let socket = readable.first(where: { $0 !== wakeUpEnds.read }), !state.withLock({ $0.isFull(limits) })
      else { continue }
      if let connection = socket.accept() {
        serve(connection)
      } else {
        // The client is gone, or the process has no descriptor left and gets one back soon, so wait a moment.
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
        // Close the oldest connection without a request. Otherwise another program on this machine could lock the
        // browser out with connections that send nothing.
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
