#if canImport(Glibc)
  internal import Foundation

  /// Socket constants that differ between systems.
  enum SocketConstants {
    // Close-on-exec from the start: a child that another thread starts must not inherit the socket.
    static let stream = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
    static let sendFlags = CInt(MSG_NOSIGNAL)

    static func prepare(_ descriptor: CInt) {}
  }
#endif
