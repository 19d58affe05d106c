#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

#if os(Linux)
  /// The user at the other end of a connection of this machine.
  enum PeerUser {
    /// Whether the system lists the client's socket as one of this process's user or of root.
    ///
    /// Root can read this process's memory. `/proc/net` may miss a socket while others come and go, so it is read again.
    ///
    /// - Parameters:
    ///   - port: The client's port.
    ///   - listening: The listener's port.
    /// - Returns: `false` also where the system does not list it.
    static func isTrusted(port: UInt16, listening: UInt16) -> Bool {
      for _ in 1...3 {
        let users = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap { Self.users(in: $0, local: port, remote: listening) }
        if !users.isEmpty { return users.allSatisfy { $0 == getuid() || $0 == 0 } }
      }
      return false
    }

    private static func users(in path: String, local: UInt16, remote: UInt16) -> [uid_t] {
      guard let file = fopen(path, "re") else { return [] }
      defer { fclose(file) }
      var users: [uid_t] = []
      var line = [CChar](repeating: 0, count: 512)
      while fgets(&line, CInt(line.count), file) != nil {
        // Position, local address, remote address, state, queues, timer, retransmissions, user, timeout, inode (proc(5)).
        // A socket that its process has closed is listed as root's, without an inode: whose it was is not known.
        let fields = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
          .split(separator: " ")
        guard fields.count > 9, self.port(fields[1]) == local, self.port(fields[2]) == remote,
          fields[3] == "01", fields[9] != "0", let user = uid_t(fields[7])
        else { continue }
        users.append(user)
      }
      return users
    }

    private static func port(_ address: Substring) -> UInt16? {
      address.split(separator: ":").last.flatMap { UInt16($0, radix: 16) }
    }
  }
#endif
