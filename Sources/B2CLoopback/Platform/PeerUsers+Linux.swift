#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

#if os(Linux)
  extension PeerUsers {
    /// Asks the kernel, and reads its tables where it does not answer.
    package static let system = PeerUsers(sources: [SocketDiagnostics.entries, SocketTables.entries])
    /// Asks the kernel about the one connection.
    package static let kernel = PeerUsers(sources: [SocketDiagnostics.entries])
    /// Reads the kernel's tables of all connections.
    package static let tables = PeerUsers(sources: [SocketTables.entries])

    static var ownUser: UInt32 { getuid() }
  }

  /// The tables of TCP sockets in `/proc/net` (proc(5)).
  enum SocketTables {
    /// Returns the entries with exactly these ends.
    ///
    /// A table may miss a socket while others come and go, so it is read again.
    static func entries(local: SocketEnd, remote: SocketEnd) -> [PeerUsers.Entry] {
      for _ in 1...3 {
        var found: [PeerUsers.Entry] = []
        if local.address.count == 4 {
          found += entries(in: "/proc/net/tcp", line(local.address, local.port) + line(remote.address, remote.port))
        }
        // Here an IPv4 connection is listed when one of its sockets is of IPv6.
        let ends = line(local.mappedAddress, local.port) + line(remote.mappedAddress, remote.port)
        found += entries(in: "/proc/net/tcp6", ends)
        if !found.isEmpty { return found }
      }
      return []
    }

    private static func entries(in path: String, _ ends: String) -> [PeerUsers.Entry] {
      guard let file = fopen(path, "re") else { return [] }
      defer { fclose(file) }
      var entries: [PeerUsers.Entry] = []
      var line = [CChar](repeating: 0, count: 512)
      while fgets(&line, CInt(line.count), file) != nil {
        let rest = line.withUnsafeBufferPointer { buffer in
          buffer.baseAddress.flatMap { strstr($0, ends) }.map { String(cString: $0) }
        }
        // After the ends: state, queues, timer, retransmissions, user, time-out, inode.
        let fields = (rest ?? "").dropFirst(ends.utf8.count).split(whereSeparator: \.isWhitespace)
        guard fields.count > 6, let state = UInt8(fields[0], radix: 16), let user = UInt32(fields[4]),
          let inode = UInt64(fields[6])
        else { continue }
        entries.append(PeerUsers.Entry(state: state, user: user, inode: inode))
      }
      return entries
    }

    /// An end as a line has it: each four bytes of the address as a number of this machine, the port, a space.
    private static func line(_ address: [UInt8], _ port: UInt16) -> String {
      let words = address.withUnsafeBytes { bytes in
        stride(from: 0, to: bytes.count, by: 4).map { bytes.loadUnaligned(fromByteOffset: $0, as: UInt32.self) }
      }
      return words.map { hexadecimal($0, digits: 8) }.joined() + ":" + hexadecimal(port, digits: 4) + " "
    }

    private static func hexadecimal(_ number: some BinaryInteger, digits: Int) -> String {
      let text = String(number, radix: 16, uppercase: true)
      return String(repeating: "0", count: digits - text.count) + text
    }
  }
#endif
