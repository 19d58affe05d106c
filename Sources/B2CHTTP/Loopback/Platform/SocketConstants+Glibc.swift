#if !canImport(Darwin) && canImport(Glibc)
  internal import Glibc

  /// What the GNU C library calls the pieces of the socket interface that differ between systems.
  enum SocketConstants {
    static let stream = CInt(SOCK_STREAM.rawValue)
    static let sendFlags = CInt(MSG_NOSIGNAL)

    static func prepare(_ descriptor: CInt) {}
  }
#endif
