#if canImport(Glibc)
  internal import Foundation

  /// The socket constants that differ between systems.
  enum SocketConstants {
    // The flag is set at creation, because a child process that another thread starts must not inherit the socket.
    static let stream = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
    static let sendFlags = CInt(MSG_NOSIGNAL)

    static func prepare(_ descriptor: CInt) {}
  }
#endif
