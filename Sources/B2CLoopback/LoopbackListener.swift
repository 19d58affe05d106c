#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif
package import B2CCore
internal import Foundation

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
  ///   - addresses: The addresses; the machine must have the first, another one is left out where it is missing.
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
    core = try ListenerCore(sockets.map(\.socket), port: self.port, limits: limits, handler: handler)
  }

  deinit {
    core.stop()
  }

  /// The number of open connections.
  package var connectionCount: Int { core.connectionCount }

  /// Ends every connection at once, cancels every handler, and returns when the port is free again.
  ///
  /// Handlers that ignore cancellation are not waited for.
  package func close() async {
    core.stop()
    await core.stopped()
  }

  private typealias Listening = (socket: Socket, address: LoopbackAddress, port: UInt16)

  private static func bind(
    port: UInt16, addresses: [LoopbackAddress], tries: Int
  ) throws(ConnectorError) -> [Listening] {
    do throws(ConnectorError) {
      return try bindOnce(port: port, addresses: addresses)
    } catch {
      // A port that the system chose at one address may be in use at the other: then another one is tried.
      guard tries > 1, error.code == .portInUse else { throw error }
      return try bind(port: port, addresses: addresses, tries: tries - 1)
    }
  }

  private static func bindOnce(
    port: UInt16, addresses: [LoopbackAddress]
  ) throws(ConnectorError) -> [Listening] {
    var sockets: [Listening] = []
    for address in addresses {
      do throws(ConnectorError) {
        let (socket, bound) = try Socket.listening(at: address, port: sockets.first?.port ?? port)
        sockets.append((socket, address, bound))
      } catch {
        let isMissing = (error.underlying as NSError?).map { Self.missing.contains(CInt($0.code)) } ?? false
        guard isMissing, !sockets.isEmpty else { throw error }
      }
    }
    return sockets
  }

  /// What the system says of an address that the machine does not have.
  fileprivate static let missing: Set<CInt> = [EADDRNOTAVAIL, EAFNOSUPPORT, EPROTONOSUPPORT]
}

extension ConnectorError {
  /// Makes the error of an error number of the system.
  package init(listening number: CInt, port: UInt16) {
    let reason = String(cString: strerror(number))
    let (message, suggestion): (String, String?) =
      switch number {
      case EADDRINUSE:
        (
          "Port \(port) is in use by another program.",
          "End that program or another sign-in that is still open; another port of a redirect URI has to be registered."
        )
      // The App Sandbox's answer, and that of a security policy elsewhere.
      case EPERM:
        (
          "Listening on port \(port) is not allowed: \(reason).",
          "A Mac app with the App Sandbox needs Incoming Connections (Server), under Signing & Capabilities."
        )
      case EACCES: ("Listening on port \(port) is not allowed: \(reason).", nil)
      case _ where LoopbackListener.missing.contains(number): ("The loopback address is not available: \(reason).", nil)
      default: ("Listening on port \(port) failed: \(reason).", nil)
      }
    self.init(
      own: number == EADDRINUSE ? .portInUse : .presentationFailed, message, recoverySuggestion: suggestion,
      underlying: NSError(domain: NSPOSIXErrorDomain, code: Int(number)))
  }
}

/// State shared by the accepting thread and the connections; they retain it instead of the listener, so releasing the
/// listener stops them.
private final class ListenerCore: Sendable {
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

  private let listening: [Socket]
  private let port: UInt16
  private let limits: LoopbackLimits
  private let handler: @Sendable (LoopbackExchange) async -> Void
  /// What is written to the second wakes the thread, which polls the first.
  private let wakeUpEnds: (read: Socket, write: Socket)
  private let state = Monitor(State())

  init(
    _ listening: [Socket], port: UInt16, limits: LoopbackLimits,
    handler: @escaping @Sendable (LoopbackExchange) async -> Void
  ) throws(ConnectorError) {
    self.listening = listening
    self.port = port
    self.limits = limits
    self.handler = handler
    wakeUpEnds = try Socket.pair(port: port)
    let thread = Thread { [self] in acceptAll() }
    thread.name = "B2CConnector.loopback"
    thread.start()
  }

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
  func stopped() async {
    await Task { try? await state.wait { $0.hasEnded } }.value
  }

  private func wakeUp() { _ = wakeUpEnds.write.sendNow([0]) }

  private func acceptAll() {
    while let isFull = state.withLock({ $0.isStopped ? nil : $0.isFull(limits) }) {
      // Beyond the limit connections wait in the system's queue.
      let polled = [wakeUpEnds.read] + (isFull ? [] : listening)
      var entries = polled.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
      _ = poll(&entries, nfds_t(entries.count), -1)
      _ = wakeUpEnds.read.receiveNow()
      // One at a time, so that the limit is looked at for each; a request may have become whole since the last look.
      if let index = entries.indices.dropFirst().first(where: { entries[$0].revents != 0 }),
        !state.withLock({ $0.isFull(limits) })
      {
        acceptOne(from: polled[index])
      }
    }
    listening.forEach { $0.close() }
    wakeUpEnds.read.close()
    wakeUpEnds.write.close()
    state.withLock { $0.hasEnded = true }
  }

  private func acceptOne(from listening: Socket) {
    switch listening.accept() {
    case .connection(let socket): serve(socket)
    case .nothing: break
    // The process is out of descriptors: one is freed in a moment, here or elsewhere.
    case .failed: Thread.sleep(forTimeInterval: 0.02)
    }
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
      let connection = LoopbackConnection(socket: socket, port: port, limits: limits) { [self] exchange in
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
