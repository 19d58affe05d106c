#if canImport(Darwin)
  internal import Darwin

  /// The socket constants that differ between systems.
  enum SocketConstants {
    // Darwin has no flag for a close-on-exec socket, so the option is set right after creation.
    static let stream: CInt = SOCK_STREAM
    // Darwin cannot suppress SIGPIPE for a single call, so `prepare(_:)` sets the option for the whole socket.
    static let sendFlags: CInt = 0

    static func prepare(_ descriptor: CInt) {
      var value: CInt = 1
      _ = setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &value, socklen_t(MemoryLayout<CInt>.size))
    }
  }
#endif
