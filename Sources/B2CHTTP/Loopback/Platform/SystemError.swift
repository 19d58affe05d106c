#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// An error number of the system.
struct SystemError: Error {
  let number: CInt

  init(_ number: CInt) {
    self.number = number
  }

  var isPortInUse: Bool { number == EADDRINUSE }
  var isPortForbidden: Bool { number == EACCES }
  /// Whether the machine does not have the address or its family.
  var isAddressMissing: Bool { [EADDRNOTAVAIL, EAFNOSUPPORT, EPROTONOSUPPORT].contains(number) }

  var text: String { String(cString: strerror(number)) }
}
