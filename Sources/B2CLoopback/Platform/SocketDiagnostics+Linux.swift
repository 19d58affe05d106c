#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

#if os(Linux)
  /// Asks the kernel for one TCP socket (sock_diag(7)); it answers every user.
  ///
  /// The C library's module lacks the structures of netlink, so messages are laid out here, in this machine's byte order.
  enum SocketDiagnostics {
    // linux/netlink.h, linux/sock_diag.h
    private static let netlinkFamily: UInt16 = 16
    private static let diagnosticsProtocol: CInt = 4
    private static let byFamily: UInt16 = 20
    private static let isRequest: UInt16 = 1
    private static let sequence: UInt32 = 1
    private static let requestSize = 72
    private static let answerSize = 88
    private static let longestWait: CInt = 100  // milliseconds

    /// Returns the entry of the socket with exactly these ends; none when there is no such socket, or no answer.
    static func entries(local: SocketEnd, remote: SocketEnd) -> [PeerUsers.Entry] {
      let descriptor = socket(CInt(netlinkFamily), SocketConstants.raw, diagnosticsProtocol)
      guard descriptor >= 0 else { return [] }
      defer { close(descriptor) }
      // struct sockaddr_nl with port 0, the kernel: no other process can answer then.
      let kernel = bytes(netlinkFamily) + [UInt8](repeating: 0, count: 10)
      let isConnected = kernel.withUnsafeBytes {
        connect(descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count)) == 0
      }
      let request = request(local, remote)
      let flags = SocketConstants.sendFlags | CInt(MSG_DONTWAIT)
      guard isConnected, send(descriptor, request, request.count, flags) == request.count,
        let answer = receive(descriptor), let entry = entry(in: answer, local, remote)
      else { return [] }
      return [entry]
    }

    private static func receive(_ descriptor: CInt) -> [UInt8]? {
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      var result = poll(&entry, 1, longestWait)
      while result < 0, errno == EINTR { result = poll(&entry, 1, longestWait) }
      guard result > 0 else { return nil }
      var buffer = [UInt8](repeating: 0, count: 1024)
      let count = recv(descriptor, &buffer, buffer.count, CInt(MSG_DONTWAIT))
      return count > 0 ? Array(buffer[..<count]) : nil
    }

    /// A `nlmsghdr` and an `inet_diag_req_v2`.
    private static func request(_ local: SocketEnd, _ remote: SocketEnd) -> [UInt8] {
      var message = bytes(UInt32(requestSize)) + bytes(byFamily) + bytes(isRequest) + bytes(sequence) + bytes(UInt32(0))
      message += [UInt8(family(of: local)), UInt8(IPPROTO_TCP), 0, 0] + bytes(UInt32.max)
      message += bytes(local.port.bigEndian) + bytes(remote.port.bigEndian)
      for end in [local, remote] { message += end.address + [UInt8](repeating: 0, count: 16 - end.address.count) }
      // Any interface, and no cookie.
      return message + bytes(UInt32(0)) + bytes(UInt32.max) + bytes(UInt32.max)
    }

    /// Reads a `nlmsghdr` and an `inet_diag_msg`; `nil` for an error message, and for a socket with other ends.
    private static func entry(in answer: [UInt8], _ local: SocketEnd, _ remote: SocketEnd) -> PeerUsers.Entry? {
      guard answer.count >= answerSize, number(answer, 0, UInt32.self) >= UInt32(answerSize),
        number(answer, 4, UInt16.self) == byFamily, number(answer, 8, UInt32.self) == sequence
      else { return nil }
      // A client of IPv6 that is connected to an IPv4 address is found by that address.
      let length = CInt(answer[16]) == AF_INET ? 4 : 16
      let source = SocketEnd(address: answer[24..<(24 + length)], port: number(answer, 20, UInt16.self).bigEndian)
      let target = SocketEnd(address: answer[40..<(40 + length)], port: number(answer, 22, UInt16.self).bigEndian)
      guard source == local, target == remote else { return nil }
      return PeerUsers.Entry(
        state: answer[17], user: number(answer, 80, UInt32.self), inode: UInt64(number(answer, 84, UInt32.self)))
    }

    private static func family(of end: SocketEnd) -> CInt { end.address.count == 4 ? AF_INET : AF_INET6 }

    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
      withUnsafeBytes(of: number) { Array($0) }
    }

    private static func number<Number: FixedWidthInteger & BitwiseCopyable>(
      _ bytes: [UInt8], _ offset: Int, _: Number.Type
    ) -> Number {
      bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Number.self) }
    }
  }
#endif
