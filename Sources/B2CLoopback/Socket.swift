package import B2CCore
internal import Foundation

/// A TCP socket of this machine.
///
/// Any thread can close it at any time, which ends all waits. After that its descriptor is never used again. A wait
/// blocks a thread of its own and never one that Swift tasks share. No system call under the lock blocks.
final class Socket: Sendable {
  private static let readSize = 16 * 1024

  private struct State {
    let descriptor: CInt
    var isClosed = false
    /// The number of threads that wait for the descriptor.
    ///
    /// The descriptor is closed after the last one, because the system may then give its number to another file.
    var waits = 0
  }

  private let state: Locked<State>

  private init(_ descriptor: CInt) { state = Locked(State(descriptor: descriptor)) }

  deinit { close() }

  /// Returns a listening socket, and the port that it is bound to according to the system.
  static func listening(
    at address: LoopbackAddress, port: UInt16
  ) throws(ConnectorError) -> (socket: Socket, port: UInt16) {
    let descriptor = socket(address.family, SocketConstants.stream, 0)
    guard descriptor >= 0 else { throw ConnectorError(listening: errno, port: port) }
    let listener = Socket(descriptor)
    prepare(descriptor)
    // Without this option, a port could not be used for a minute after its last connections. A second listener is
    // refused.
    setOption(descriptor, level: SOL_SOCKET, name: SO_REUSEADDR, to: CInt(1))
    if address == .ipv6 { setOption(descriptor, level: CInt(IPPROTO_IPV6), name: IPV6_V6ONLY, to: CInt(1)) }
    guard address.withSocketAddress(port: port, { bind(descriptor, $0, $1) }) == 0, listen(descriptor, SOMAXCONN) == 0
    else { throw ConnectorError(listening: errno, port: port) }
    // Ask the system, because a listener for redirects must not start if other machines can reach it.
    guard let bound = address.port(of: descriptor) else {
      throw ConnectorError(own: .presentationFailed, "The listener is not bound to the loopback address.")
    }
    return (listener, bound)
  }

  /// Returns two connected sockets, which child processes do not inherit.
  static func pair(port: UInt16) throws(ConnectorError) -> (Socket, Socket) {
    var ends: [CInt] = [-1, -1]
    guard socketpair(AF_UNIX, SocketConstants.stream, 0, &ends) == 0 else {
      throw ConnectorError(listening: errno, port: port)
    }
    ends.forEach(prepare)
    return (Socket(ends[0]), Socket(ends[1]))
  }

  /// Returns the next connection, or `nil` if there is none or the process has no descriptor left.
  func accept() -> Socket? {
    withDescriptor { descriptor -> Socket? in
      let connection = acceptConnection(descriptor, nil, nil)
      guard connection >= 0 else { return nil }
      Self.prepare(connection)
      // A response is one or two small writes, which the system must not delay to join them.
      Self.setOption(connection, level: CInt(IPPROTO_TCP), name: TCP_NODELAY, to: CInt(1))
      return Socket(connection)
    } ?? nil
  }

  /// Blocks the thread until one of the sockets can be read, and returns all that can.
  static func waitForReadable(_ sockets: [Socket]) -> [Socket] {
    // `poll(2)` ignores the descriptor -1, which a closed socket gets here.
    var entries = sockets.map { pollfd(fd: $0.withDescriptor { $0 } ?? -1, events: Int16(POLLIN), revents: 0) }
    _ = poll(&entries, nfds_t(entries.count), -1)
    return zip(sockets, entries).filter { $1.revents != 0 }.map(\.0)
  }

  /// Reads what has arrived or waits for it.
  ///
  /// An empty result means the connection has ended, and `nil` a missed deadline.
  func receive(until deadline: ContinuousClock.Instant?) async -> [UInt8]? {
    while true {
      if let bytes = receiveNow() { return bytes }
      guard await wait(for: POLLIN, until: deadline) else { return nil }
    }
  }

  /// Writes all bytes, and returns `false` if the other side does not receive them before the deadline.
  func send(_ bytes: some Collection<UInt8>, until deadline: ContinuousClock.Instant?) async -> Bool {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      if let count = sendNow(rest) {
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
      } else {
        guard await wait(for: POLLOUT, until: deadline) else { return false }
      }
    }
    return true
  }

  /// Ends the connection so that the other side can still read the response.
  ///
  /// Closing a socket with unread bytes sends a reset, and the other side then discards the response.
  func finish(within duration: Duration) async {
    _ = withDescriptor { shutdown($0, CInt(SHUT_WR)) }
    let deadline = ContinuousClock.now.advanced(by: duration)
    var discarded = 0
    while discarded < 1 << 20, ContinuousClock.now < deadline, let bytes = await receive(until: deadline),
      !bytes.isEmpty
    {
      discarded += bytes.count
    }
    close()
  }

  func close() { end { _ = shutdown($0, CInt(SHUT_RDWR)) } }

  /// Closes the connection with a reset instead of a normal end.
  func reset() {
    end { descriptor in
      Self.setOption(descriptor, level: SOL_SOCKET, name: SO_LINGER, to: linger(l_onoff: 1, l_linger: 0))
      // This wakes the threads that wait for the socket, and sends nothing.
      _ = shutdown(descriptor, CInt(SHUT_RD))
    }
  }

  private func end(_ body: (CInt) -> Void) {
    state.withLock { state in
      guard !state.isClosed else { return }
      state.isClosed = true
      body(state.descriptor)
      if state.waits == 0 { closeDescriptor(state.descriptor) }
    }
  }

  /// Waits on a thread until the socket may be ready, and returns `false` if the deadline passes first.
  private func wait(for event: CInt, until deadline: ContinuousClock.Instant?) async -> Bool {
    let descriptor = state.withLock { state -> CInt? in
      guard !state.isClosed else { return nil }
      state.waits += 1
      return state.descriptor
    }
    guard let descriptor else { return true }
    return await withCheckedContinuation { continuation in
      Thread.detachNewThread { [self] in
        var entry = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        let count = poll(&entry, 1, Self.milliseconds(until: deadline))
        // If `poll` was interrupted or returned early, the caller tries again.
        let isLate = count == 0 && deadline.map { $0 <= .now } == true
        continuation.resume(returning: leave() || !isLate)
      }
    }
  }

  /// Ends a wait, and returns whether the socket was closed meanwhile.
  private func leave() -> Bool {
    state.withLock { state in
      state.waits -= 1
      if state.isClosed, state.waits == 0 { closeDescriptor(state.descriptor) }
      return state.isClosed
    }
  }

  private static func milliseconds(until deadline: ContinuousClock.Instant?) -> CInt {
    guard let deadline else { return -1 }
    // Round up, so that the deadline has passed when poll(2) returns.
    return CInt(
      clamping: Int((max(0, min(ContinuousClock.now.duration(to: deadline).inSeconds, 86_400)) * 1000).rounded(.up)))
  }

  /// Reads what has arrived, without waiting.
  ///
  /// The result is empty if the connection has ended, and `nil` if nothing has arrived.
  func receiveNow() -> [UInt8]? {
    withDescriptor { descriptor in
      var count = 0
      let bytes = [UInt8](unsafeUninitializedCapacity: Self.readSize) { buffer, initialized in
        count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
        initialized = max(0, count)
      }
      return Self.wouldBlock(count) ? nil : bytes
    } ?? []
  }

  /// Writes as many bytes as fit and returns their number, 0 if the connection has ended, or `nil` if none fit.
  func sendNow(_ bytes: ArraySlice<UInt8>) -> Int? {
    withDescriptor { descriptor in
      let count = bytes.withUnsafeBytes { sendBytes(descriptor, $0.baseAddress, $0.count, SocketConstants.sendFlags) }
      return Self.wouldBlock(count) ? nil : max(0, count)
    } ?? 0
  }

  private static func wouldBlock(_ result: Int) -> Bool { result < 0 && (errno == EAGAIN || errno == EINTR) }

  private func withDescriptor<Result>(_ body: (CInt) -> Result) -> Result? {
    state.withLock { $0.isClosed ? nil : body($0.descriptor) }
  }

  private static func prepare(_ descriptor: CInt) {
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    SocketConstants.prepare(descriptor)
  }

  private static func setOption(_ descriptor: CInt, level: CInt, name: CInt, to value: some BitwiseCopyable) {
    _ = withUnsafeBytes(of: value) { setsockopt(descriptor, level, name, $0.baseAddress, socklen_t($0.count)) }
  }
}

extension ConnectorError {
  /// Creates the error for an error number of the system.
  package init(listening number: CInt, port: UInt16) {
    let isInUse = number == EADDRINUSE
    let system = String(cString: strerror(number))
    let reason = isInUse ? "is in use by another program" : "cannot be listened on: \(system)"
    let suggestions = [
      EADDRINUSE:
        "End that program or another sign-in that is still open; another port of a redirect URI has to be registered.",
      // The App Sandbox returns this error, and on other systems a security policy does.
      EPERM: "A Mac app with the App Sandbox needs Incoming Connections (Server), under Signing & Capabilities.",
    ]
    self.init(
      own: isInUse ? .portInUse : .presentationFailed, "Port \(port) \(reason).",
      recoverySuggestion: suggestions[number], underlying: NSError(domain: NSPOSIXErrorDomain, code: Int(number)))
  }
}

/// The addresses with which this machine reaches itself.
package enum LoopbackAddress: String, Sendable, Hashable, CaseIterable {
  case ipv4 = "127.0.0.1"
  case ipv6 = "::1"

  /// The bytes of the address in network order.
  var bytes: [UInt8] { self == .ipv4 ? [127, 0, 0, 1] : [UInt8](repeating: 0, count: 15) + [1] }

  /// The address as the host of a URL.
  package var urlHost: String { self == .ipv6 ? "[\(rawValue)]" : rawValue }
}

/// The address as the system stores it, in which the port of both families is at byte 2.
extension LoopbackAddress {
  fileprivate var family: CInt { self == .ipv4 ? AF_INET : AF_INET6 }
  /// The position of the address in `sockaddr_in` and `sockaddr_in6`.
  private var offset: Int { self == .ipv4 ? 4 : 8 }

  fileprivate func withSocketAddress(port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
    var storage = sockaddr_storage()
    storage.ss_family = sa_family_t(family)
    withUnsafeMutableBytes(of: &storage) { buffer in
      buffer.storeBytes(of: port.bigEndian, toByteOffset: 2, as: UInt16.self)
      UnsafeMutableRawBufferPointer(rebasing: buffer[offset...]).copyBytes(from: bytes)
    }
    let length = self == .ipv4 ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
    return withUnsafePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(length)) }
    }
  }

  /// Returns the port that a socket is bound to, if it is bound to this address.
  fileprivate func port(of descriptor: CInt) -> UInt16? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    guard result == 0, CInt(storage.ss_family) == family else { return nil }
    return withUnsafeBytes(of: &storage) { buffer in
      buffer[offset...].starts(with: bytes) ? UInt16(bigEndian: buffer.load(fromByteOffset: 2, as: UInt16.self)) : nil
    }
  }
}

// Inside the class, Swift would find the class's own methods of these names first.
private let acceptConnection = accept
private let sendBytes = send
private func closeDescriptor(_ descriptor: CInt) { _ = close(descriptor) }
