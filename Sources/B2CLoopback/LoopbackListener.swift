#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif
internal import B2CCore

/// The addresses by which this machine reaches itself.
package enum LoopbackAddress: String, Sendable, Hashable, CaseIterable {
  case ipv4 = "127.0.0.1"
  case ipv6 = "::1"

  /// The address in network order.
  var bytes: [UInt8] { self == .ipv4 ? [127, 0, 0, 1] : [UInt8](repeating: 0, count: 15) + [1] }

  /// The address as a URL's host.
  package var urlHost: String { self == .ipv6 ? "[\(rawValue)]" : rawValue }
}

/// A small HTTP/1.1 server that only this machine can reach.
///
/// It serves the redirect of one sign-in and the servers of the test kit: one request per connection, bodies by
/// `Content-Length`, everything bounded by ``LoopbackLimits``. Each connection is a task; one thread polls all sockets.
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
  ///   - addresses: The addresses; the machine must have the first, another one is left out where it is missing.
  ///   - limits: The limits of requests and connections.
  ///   - users: Tells whose a connection is; one of another user is closed when it is accepted. `nil` lets all in.
  ///   - handler: Answers one request; runs in a task that ``close()`` cancels.
  /// - Throws: ``LoopbackListenerError``.
  package init(
    port: UInt16 = 0, addresses: [LoopbackAddress] = [.ipv4], limits: LoopbackLimits = .server,
    users: PeerUsers? = nil, handler: @escaping @Sendable (LoopbackExchange) async -> Void
  ) async throws {
    let poller = try SocketPoller()
    do throws(LoopbackListenerError) {
      let sockets = try Self.bind(port: port, addresses: addresses, poller: poller)
      let bound = sockets.map(\.bound)
      self.port = bound.first?.port ?? port
      self.addresses = bound.map(\.address)
      core = ListenerCore(port: self.port, limits: limits, users: users, poller: poller, handler: handler)
      sockets.forEach { core.accept(from: $0.socket) }
    } catch {
      poller.stop()
      throw error
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

  /// The number of open connections.
  package var connectionCount: Int { core.connectionCount }

  /// Returns whether the system tells whose the connections to this listener are.
  package func canTellClients(by users: PeerUsers) async -> Bool {
    guard let address = addresses.first else { return false }
    return await users.knowSockets(listeningAt: SocketEnd(address: address.bytes, port: port))
  }

  /// Ends every connection at once, cancels every handler, and returns when the port is free again.
  ///
  /// Handlers that ignore cancellation are not waited for.
  package func close() async {
    core.stop()
    await core.stopped()
  }

  private typealias Listening = (socket: Socket, bound: (address: LoopbackAddress, port: UInt16))

  private static func bind(
    port: UInt16, addresses: [LoopbackAddress], poller: SocketPoller
  ) throws(LoopbackListenerError) -> [Listening] {
    // A port that the system chose at one address may be in use at the other: then another one is tried.
    var triesLeft = port == 0 ? 20 : 1
    while true {
      triesLeft -= 1
      do throws(LoopbackListenerError) {
        return try bindOnce(port: port, addresses: addresses, poller: poller)
      } catch {
        guard triesLeft > 0, error.code == .portInUse else { throw error }
      }
    }
  }

  private static func bindOnce(
    port: UInt16, addresses: [LoopbackAddress], poller: SocketPoller
  ) throws(LoopbackListenerError) -> [Listening] {
    var sockets: [Listening] = []
    for address in addresses {
      do throws(LoopbackListenerError) {
        sockets.append(try Socket.listening(at: address, port: sockets.first?.bound.port ?? port, poller: poller))
      } catch {
        guard error.code == .noAddress, !sockets.isEmpty else { throw error }
      }
    }
    return sockets
  }
}

/// State shared by the listener's tasks; they retain it instead of the listener, so releasing the listener stops them.
private final class ListenerCore: Sendable {
  private struct State {
    var nextID = 0
    var connections: [Int: (socket: Socket, task: Task<Void, Never>)] = [:]
    /// Accepted, while the system is asked whose they are.
    var admitting: [Int: Socket] = [:]
    var listening: [Socket] = []
    var acceptTasks: [Task<Void, Never>] = []
    /// The connections, and those about to be accepted.
    var takenPlaces = 0
    var waitingForPlace: [CheckedContinuation<Bool, Never>] = []
    var isStopped = false
  }

  private let port: UInt16
  private let limits: LoopbackLimits
  private let users: PeerUsers?
  private let poller: SocketPoller
  private let handler: @Sendable (LoopbackExchange) async -> Void
  private let state = Locked(State())

  init(
    port: UInt16, limits: LoopbackLimits, users: PeerUsers?, poller: SocketPoller,
    handler: @escaping @Sendable (LoopbackExchange) async -> Void
  ) {
    self.port = port
    self.limits = limits
    self.users = users
    self.poller = poller
    self.handler = handler
  }

  var connectionCount: Int { state.withLock { $0.connections.count } }

  func accept(from listening: Socket) {
    state.withLock { state in
      state.listening.append(listening)
      state.acceptTasks.append(Task { await self.acceptAll(from: listening) })
    }
  }

  func stop() {
    let (sockets, tasks, waiting) = state.withLock { state in
      state.isStopped = true
      let sockets = state.listening + state.connections.values.map(\.socket) + state.admitting.values
      let tasks = state.acceptTasks + state.connections.values.map(\.task)
      defer {
        state.listening = []
        state.acceptTasks = []
        state.connections = [:]
        state.admitting = [:]
        state.waitingForPlace = []
      }
      return (sockets, tasks, state.waitingForPlace)
    }
    // The sockets first: a handler that is cancelled can no longer send anything.
    sockets.forEach { $0.close() }
    tasks.forEach { $0.cancel() }
    waiting.forEach { $0.resume(returning: false) }
    poller.stop()
  }

  func stopped() async {
    await poller.ended()
  }

  private func acceptAll(from listening: Socket) async {
    while await takePlace() {
      switch listening.accept() {
      case .connection(let socket):
        await admit(socket)
      case .wouldBlock:
        leavePlace()
        guard await listening.waitForReading() else { return }
      case .exhausted:
        // The process is out of descriptors: one is freed in a moment, here or elsewhere.
        leavePlace()
        await poller.pause(.milliseconds(20))
      case .ended:
        return leavePlace()
      }
    }
  }

  /// Serves a connection at the place that was taken for it.
  private func admit(_ socket: Socket) async {
    let id = state.withLock { state in
      state.nextID += 1
      if !state.isStopped { state.admitting[state.nextID] = socket }
      return state.nextID
    }
    let client = await client(of: socket)
    let isServed = state.withLock { state in
      state.admitting[id] = nil
      guard !state.isStopped, client != .untrusted else { return false }
      let connection = LoopbackConnection(
        socket: socket, port: port, client: client, limits: limits, handler: handler)
      let task = Task {
        await connection.serve()
        self.state.withLock { _ = $0.connections.removeValue(forKey: id) }
        self.leavePlace()
      }
      state.connections[id] = (socket, task)
      return true
    }
    guard !isServed else { return }
    socket.close()
    leavePlace()
  }

  /// Returns whose a connection is; other users must not take the places that this user's browser needs.
  private func client(of socket: Socket) async -> PeerUsers.Answer {
    guard let users else { return .trusted }
    guard let ends = socket.ends else { return .untrusted }
    return await users.client(at: ends.remote, ofListenerAt: ends.local)
  }

  /// Takes a place, or waits for one; `false` when the listener has stopped.
  private func takePlace() async -> Bool {
    await withCheckedContinuation { continuation in
      let answer = state.withLock { state -> Bool? in
        guard !state.isStopped else { return false }
        guard state.takenPlaces < limits.connections else {
          state.waitingForPlace.append(continuation)
          return nil
        }
        state.takenPlaces += 1
        return true
      }
      if let answer { continuation.resume(returning: answer) }
    }
  }

  /// Gives a place back, to the one that has waited longest.
  private func leavePlace() {
    let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      guard state.waitingForPlace.isEmpty else { return state.waitingForPlace.removeFirst() }
      state.takenPlaces -= 1
      return nil
    }
    next?.resume(returning: true)
  }
}
