#if !os(Linux)
  /// The user at the other end of a connection of this machine.
  enum PeerUser {
    /// Other systems do not tell the user of a TCP connection: every client of this machine is trusted.
    static func isTrusted(port: UInt16, listening: UInt16) -> Bool { true }
  }
#endif
