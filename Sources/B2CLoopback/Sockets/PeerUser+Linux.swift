#if os(Linux)
  #if canImport(Glibc)
    internal import Glibc
  #elseif canImport(Musl)
    internal import Musl
  #endif

  /// The user at the other end of a connection of this machine, as `/proc/net` lists it.
  enum PeerUser {
    /// Whether the client's socket belongs to another user, root excepted.
    ///
    /// - Parameters:
    ///   - port: The client's port.
    ///   - listening: The listener's port.
    /// - Returns: `false` where the system does not say.
    static func isAnother(port: UInt16, listening: UInt16) -> Bool {
      let own = getuid()
      return ["/proc/net/tcp", "/proc/net/tcp6"].flatMap { users(in: $0, local: port, remote: listening) }
        .contains { $0 != own && $0 != 0 }
    }

    private static func users(in path: String, local: UInt16, remote: UInt16) -> [uid_t] {
      guard let file = fopen(path, "re") else { return [] }
      defer { fclose(file) }
      var users: [uid_t] = []
      var line = [CChar](repeating: 0, count: 512)
      while fgets(&line, CInt(line.count), file) != nil {
        // Position, local address, remote address, state, queues, timer, retransmissions, user (proc(5)).
        let fields = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
          .split(separator: " ")
        guard fields.count > 7, self.port(fields[1]) == local, self.port(fields[2]) == remote,
          let user = uid_t(fields[7])
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
