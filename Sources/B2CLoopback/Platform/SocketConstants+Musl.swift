#if canImport(Musl)
  internal import Foundation

  /// Socket constants that differ between systems.
  enum SocketConstants {
    // Close-on-exec from the start: a child that another thread starts must not inherit the socket.
    static let stream = CInt(SOCK_STREAM) | CInt(SOCK_CLOEXEC)
    static let sendFlags = CInt(MSG_NOSIGNAL)

    static func prepare(_ descriptor: CInt) {}
  }
#endif
