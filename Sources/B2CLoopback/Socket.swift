#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif
internal import B2CCore
internal import Foundation

/// A TCP socket of this machine.
///
/// It can be closed from anywhere at any time, which ends every wait, and is never used after that. A wait blocks a thread
/// of its own, never one that tasks share; no call made under the lock blocks.
final class Socket: Sendable {
  /// The outcome of reading.
  enum Received {
    case bytes([UInt8])
    case ended
    case timedOut
  }

  /// The outcome of accepting.
  enum Accepted {
    case connection(Socket)
    case wouldBlock
    /// The process or the system has no descriptor left.
    case exhausted
    case ended
  }

  private enum Transfer<Value> {
    case done(Value)
    case wouldBlock
    case ended
  }

  private static let readSize = 16 * 1024

  private enum Wait {
    case ready
    case ended
    case timedOut
  }

  private struct State {
    let descriptor: CInt
    var isClosed = false
    /// The threads that wait for it: the system may give its number to another file only after the last.
    var waits = 0
  }

  private let state: Locked<State>

  private init(_ descriptor: CInt) {
    state = Locked(State(descriptor: descriptor))
  }

  deinit {
    close()
  }

  /// Returns a listening socket with the address and port that the system says it is bound to.
  static func listening(
    at address: LoopbackAddress, port: UInt16
  ) throws(ConnectorError) -> (socket: Socket, bound: (address: LoopbackAddress, port: UInt16)) {
    let descriptor = makeSocket(address.family, SocketConstants.stream, 0)
    guard descriptor >= 0 else { throw ConnectorError(listening: errno, port: port) }
    let socket = Socket(descriptor)
    prepare(descriptor)
    // A port whose last connections are still in TIME_WAIT may be listened on again; a second listener may not.
    setOption(descriptor, level: SOL_SOCKET, name: SO_REUSEADDR, to: 1)
    if address == .ipv6 { setOption(descriptor, level: CInt(IPPROTO_IPV6), name: IPV6_V6ONLY, to: 1) }
    guard address.withSocketAddress(port: port, { bindSocket(descriptor, $0, $1) }) == 0,
      startListening(descriptor, SOMAXCONN) == 0
    else { throw ConnectorError(listening: errno, port: port) }
    // Asked of the system: a listener for redirects that other machines can reach must not start.
    guard let bound = bound(descriptor),
      let address = LoopbackAddress.allCases.first(where: { $0.bytes == bound.address })
    else {
      throw ConnectorError(own: .presentationFailed, "The listener is not bound to the loopback address.")
    }
    return (socket, (address, bound.port))
  }

  func accept() -> Accepted {
    withDescriptor { descriptor in
      let connection = acceptConnection(descriptor, nil, nil)
      guard connection >= 0 else {
        switch errno {
        case EAGAIN, EINTR, ECONNABORTED, EPROTO: return .wouldBlock
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
        default: return .ended
        }
      }
      Self.prepare(connection)
      // An answer is one or two small writes; waiting to join them would only delay it.
      Self.setOption(connection, level: CInt(IPPROTO_TCP), name: TCP_NODELAY, to: 1)
      return .connection(Socket(connection))
    } ?? .ended
  }

  /// The number by which `poll(2)` knows it; -1, which that ignores, once it is closed.
  var descriptor: CInt { withDescriptor { $0 } ?? -1 }

  /// Reads what has arrived, or waits for it until the deadline.
  func receive(until deadline: ContinuousClock.Instant?) async -> Received {
    while true {
      switch receiveNow() {
      case .done(let bytes): return .bytes(bytes)
      case .ended: return .ended
      case .wouldBlock:
        switch await wait(for: POLLIN, until: deadline) {
        case .ready: continue
        case .timedOut: return .timedOut
        case .ended: return .ended
        }
      }
    }
  }

  /// Writes all bytes; `false` when the other side does not take them or the deadline passes.
  func send(_ bytes: some Collection<UInt8>, until deadline: ContinuousClock.Instant?) async -> Bool {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      switch transfer(rest) {
      case .done(let count): rest = rest.dropFirst(count)
      case .ended: return false
      case .wouldBlock:
        guard await wait(for: POLLOUT, until: deadline) == .ready else { return false }
      }
    }
    return true
  }

  /// Ends the connection so that the other side can still read what was written.
  ///
  /// Closing while bytes are unread would send a reset, which discards the answer.
  func finish(within duration: Duration) async {
    _ = withDescriptor { shutdown($0, CInt(SHUT_WR)) }
    let deadline = ContinuousClock.now.advanced(by: duration)
    var discarded = 0
    while discarded < 1 << 20, ContinuousClock.now < deadline, case .bytes(let bytes) = await receive(until: deadline) {
      discarded += bytes.count
    }
    close()
  }

  func close() {
    end { _ = shutdown($0, CInt(SHUT_RDWR)) }
  }

  /// Closes the connection with a reset instead of an end.
  func reset() {
    end { descriptor in
      var option = linger(l_onoff: 1, l_linger: 0)
      _ = setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
      // Wakes the threads that wait for it; nothing is sent.
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

  /// Waits on a thread until the socket is ready, closed, or the deadline passes.
  private func wait(for event: CInt, until deadline: ContinuousClock.Instant?) async -> Wait {
    let descriptor = state.withLock { state -> CInt? in
      guard !state.isClosed else { return nil }
      state.waits += 1
      return state.descriptor
    }
    guard let descriptor else { return .ended }
    return await withCheckedContinuation { continuation in
      Thread.detachNewThread { [self] in
        var entry = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        let count = poll(&entry, 1, Self.milliseconds(until: deadline))
        // Interrupted or early: the caller looks, and waits again.
        let isLate = count == 0 && deadline.map { $0 <= .now } == true
        continuation.resume(returning: leave() ? .ended : isLate ? .timedOut : .ready)
      }
    }
  }

  /// Ends a wait; returns whether the socket was closed meanwhile.
  private func leave() -> Bool {
    state.withLock { state in
      state.waits -= 1
      if state.isClosed, state.waits == 0 { closeDescriptor(state.descriptor) }
      return state.isClosed
    }
  }

  private static func milliseconds(until deadline: ContinuousClock.Instant?) -> CInt {
    guard let deadline else { return -1 }
    // Rounded up, so that the deadline has passed when poll(2) returns.
    return CInt(
      clamping: Int((max(0, min(ContinuousClock.now.duration(to: deadline).inSeconds, 86_400)) * 1000).rounded(.up)))
  }

  private func receiveNow() -> Transfer<[UInt8]> {
    state.withLock { state in
      guard !state.isClosed else { return .ended }
      var count = 0
      let bytes = [UInt8](unsafeUninitializedCapacity: Self.readSize) { buffer, initialized in
        count = recv(state.descriptor, buffer.baseAddress, buffer.count, 0)
        initialized = max(0, count)
      }
      if count > 0 { return .done(bytes) }
      return count < 0 && (errno == EAGAIN || errno == EINTR) ? .wouldBlock : .ended
    }
  }

  private func transfer(_ bytes: ArraySlice<UInt8>) -> Transfer<Int> {
    withDescriptor { descriptor in
      let count = bytes.withUnsafeBytes {
        sendBytes(descriptor, $0.baseAddress, $0.count, SocketConstants.sendFlags)
      }
      if count >= 0 { return .done(count) }
      return errno == EAGAIN || errno == EINTR ? .wouldBlock : .ended
    } ?? .ended
  }

  private func withDescriptor<Result>(_ body: (CInt) -> Result) -> Result? {
    state.withLock { $0.isClosed ? nil : body($0.descriptor) }
  }

  private static func prepare(_ descriptor: CInt) {
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    SocketConstants.prepare(descriptor)
  }

  private static func setOption(_ descriptor: CInt, level: CInt, name: CInt, to value: CInt) {
    var value = value
    _ = setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<CInt>.size))
  }

  /// The address and port that a socket is bound to.
  private static func bound(_ descriptor: CInt) -> (address: [UInt8], port: UInt16)? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    guard result == 0 else { return nil }
    return withUnsafeBytes(of: &storage) { bytes in
      let family = CInt(bytes.load(as: sockaddr.self).sa_family)
      // The addresses begin at byte 4 and 8 (sockaddr_in, sockaddr_in6), the port of both at byte 2.
      guard [AF_INET, AF_INET6].contains(family) else { return nil }
      let address = family == AF_INET ? bytes[4..<8] : bytes[8..<24]
      return (Array(address), UInt16(bigEndian: bytes.load(fromByteOffset: 2, as: UInt16.self)))
    }
  }
}

extension LoopbackAddress {
  fileprivate var family: CInt { self == .ipv4 ? AF_INET : AF_INET6 }

  fileprivate func withSocketAddress(port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
    switch self {
    case .ipv4:
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      return Self.pass(&address, to: body)
    case .ipv6:
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      withUnsafeMutableBytes(of: &address.sin6_addr) { $0[15] = 1 }
      return Self.pass(&address, to: body)
    }
  }

  private static func pass<Address>(
    _ address: inout Address, to body: (UnsafePointer<sockaddr>, socklen_t) -> CInt
  ) -> CInt {
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<Address>.size)) }
    }
  }
}

// Inside the class Swift would find its own fields first.
private let makeSocket = socket
private let bindSocket = bind
private let startListening = listen
private let acceptConnection = accept
private let sendBytes = send
private func closeDescriptor(_ descriptor: CInt) { _ = close(descriptor) }
