#if canImport(Darwin)
  internal import Darwin

  /// What Darwin calls the pieces of the socket interface that differ between systems.
  enum SocketConstants {
    static let stream: CInt = SOCK_STREAM
    // Darwin has no such flag for a single call; `prepare(_:)` sets the same for the whole socket.
    static let sendFlags: CInt = 0

    static func prepare(_ descriptor: CInt) {
      SystemSocket.setOption(descriptor, level: SOL_SOCKET, name: SO_NOSIGPIPE, to: 1)
    }
  }
#endif
