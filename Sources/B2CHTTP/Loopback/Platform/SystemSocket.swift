#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// The socket calls of the system, with Swift's types around them; every descriptor made here never blocks.
enum SystemSocket {
  /// What came of reading.
  enum Received {
    case bytes([UInt8])
    case wouldBlock
    case ended
  }

  /// What came of writing.
  enum Sent {
    case bytes(Int)
    case wouldBlock
    case ended
  }

  /// What came of accepting.
  enum Accepted {
    case connection(CInt)
    case wouldBlock
    /// The process or the system has no descriptor left.
    case exhausted
    case ended
  }

  /// Makes a socket, or gives the system's error number.
  static func make(_ address: LoopbackAddress) throws(SystemError) -> CInt {
    let descriptor = socket(address.family, SocketConstants.stream, 0)
    guard descriptor >= 0 else { throw SystemError(errno) }
    makeNonBlocking(descriptor)
    return descriptor
  }

  /// Binds and listens; gives the port that was bound.
  static func listen(_ descriptor: CInt, at address: LoopbackAddress, port: UInt16) throws(SystemError) -> UInt16 {
    // A port whose last connections are still in TIME_WAIT may be listened on again; a second listener may not.
    setOption(descriptor, level: SOL_SOCKET, name: SO_REUSEADDR, to: 1)
    if address == .ipv6 {
      setOption(descriptor, level: CInt(IPPROTO_IPV6), name: IPV6_V6ONLY, to: 1)
    }
    let bound = address.withSocketAddress(port: port) { bind(descriptor, $0, $1) }
    guard bound == 0, backlog(descriptor) == 0 else { throw SystemError(errno) }
    return try localPort(of: descriptor)
  }

  /// Starts a connection; it is there when the socket becomes writable.
  static func connect(_ descriptor: CInt, to address: LoopbackAddress, port: UInt16) throws(SystemError) {
    let result = address.withSocketAddress(port: port) { start(descriptor, $0, $1) }
    guard result == 0 || errno == EINPROGRESS || errno == EINTR else { throw SystemError(errno) }
  }

  /// Gives the error that a socket has met, or 0.
  static func pendingError(of descriptor: CInt) -> CInt {
    var value: CInt = 0
    var length = socklen_t(MemoryLayout<CInt>.size)
    return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &value, &length) == 0 ? value : errno
  }

  static func accept(from descriptor: CInt) -> Accepted {
    let connection = take(descriptor)
    if connection >= 0 {
      makeNonBlocking(connection)
      // An answer goes out in one or two small writes; waiting to join them would only delay it.
      setOption(connection, level: CInt(IPPROTO_TCP), name: TCP_NODELAY, to: 1)
      return .connection(connection)
    }
    switch errno {
    case EAGAIN, EINTR, ECONNABORTED, EPROTO: return .wouldBlock
    case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
    default: return .ended
    }
  }

  static func receive(from descriptor: CInt, atMost limit: Int) -> Received {
    var count = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, initialized in
      count = recv(descriptor, buffer.baseAddress, limit, 0)
      initialized = max(0, count)
    }
    if count > 0 { return .bytes(bytes) }
    return count < 0 && (errno == EAGAIN || errno == EINTR) ? .wouldBlock : .ended
  }

  static func send(_ bytes: ArraySlice<UInt8>, to descriptor: CInt) -> Sent {
    let count = bytes.withUnsafeBytes { put(descriptor, $0.baseAddress, $0.count, SocketConstants.sendFlags) }
    if count >= 0 { return .bytes(count) }
    return errno == EAGAIN || errno == EINTR ? .wouldBlock : .ended
  }

  /// Says that nothing more will be written.
  static func finishWriting(_ descriptor: CInt) {
    _ = shutdown(descriptor, CInt(SHUT_WR))
  }

  /// Lets go of a listening or connected socket, also for a thread that is just polling it.
  static func shutDownAndClose(_ descriptor: CInt) {
    _ = shutdown(descriptor, CInt(SHUT_RDWR))
    _ = close(descriptor)
  }

  /// Closes a connection with a reset instead of an end.
  static func reset(_ descriptor: CInt) {
    var option = linger(l_onoff: 1, l_linger: 0)
    _ = setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    _ = close(descriptor)
  }

  static func setOption(_ descriptor: CInt, level: CInt, name: CInt, to value: CInt) {
    var value = value
    _ = setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<CInt>.size))
  }

  private static func localPort(of descriptor: CInt) throws(SystemError) -> UInt16 {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    guard result == 0 else { throw SystemError(errno) }
    // The port stands at the same place in both families' addresses.
    return withUnsafeBytes(of: &storage) { UInt16(bigEndian: $0.load(fromByteOffset: 2, as: UInt16.self)) }
  }

  private static func makeNonBlocking(_ descriptor: CInt) {
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    SocketConstants.prepare(descriptor)
  }
}

extension LoopbackAddress {
  var family: CInt { self == .ipv4 ? AF_INET : AF_INET6 }

  func withSocketAddress(port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
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

// Swift would look for these names among the members above first.
private func backlog(_ descriptor: CInt) -> CInt { listen(descriptor, SOMAXCONN) }
private func take(_ descriptor: CInt) -> CInt { accept(descriptor, nil, nil) }
private func start(_ descriptor: CInt, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> CInt {
  connect(descriptor, address, length)
}
private func put(_ descriptor: CInt, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: CInt) -> Int {
  send(descriptor, bytes, count, flags)
}
