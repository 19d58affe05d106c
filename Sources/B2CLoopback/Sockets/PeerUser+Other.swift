#if !os(Linux)
  /// The user at the other end of a connection: other systems do not tell it for TCP.
  enum PeerUser {
    static func isAnother(port: UInt16, listening: UInt16) -> Bool { false }
  }
#endif
