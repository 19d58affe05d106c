#if !canImport(Darwin) && canImport(Musl)
  internal import Musl

  /// What musl calls the pieces of the socket interface that differ between systems.
  enum SocketConstants {
    static let stream = CInt(SOCK_STREAM)
    static let sendFlags = CInt(MSG_NOSIGNAL)

    static func prepare(_ descriptor: CInt) {}
  }
#endif
