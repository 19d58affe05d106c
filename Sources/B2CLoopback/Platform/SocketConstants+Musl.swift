#if canImport(Musl)
  internal import Foundation

  /// The socket constants that differ between systems.
  enum SocketConstants {
    // The flag is set at creation, because a child process that another thread starts must not inherit the socket.
    static let stream = CInt(SOCK_STREAM) | CInt(SOCK_CLOEXEC)
    static let sendFlags = CInt(MSG_NOSIGNAL)

    static func prepare(_ descriptor: CInt) {}
  }
#endif
