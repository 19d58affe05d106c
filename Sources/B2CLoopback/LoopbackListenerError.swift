#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// The error thrown when a listener cannot start.
///
/// Two errors are equal when their codes are.
package struct LoopbackListenerError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The reason, as an open set of codes.
  package struct Code: RawRepresentable, Sendable, Hashable {
    package var rawValue: String

    package init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// Another program, or another listener of this one, has the port.
    package static let portInUse = Code(rawValue: "portInUse")
    /// The system does not let this user have the port.
    package static let portForbidden = Code(rawValue: "portForbidden")
    /// The machine has none of the addresses.
    package static let noAddress = Code(rawValue: "noAddress")
    /// The system refused for another reason, such as too many open files.
    package static let system = Code(rawValue: "system")
  }

  package var code: Code
  package var message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// Translates an error number of the system.
  init(number: CInt, port: UInt16) {
    let reason = String(cString: strerror(number))
    switch number {
    case EADDRINUSE: self.init(.portInUse, "Port \(port) is in use.")
    case EACCES: self.init(.portForbidden, "Listening on port \(port) is not allowed: \(reason).")
    case EADDRNOTAVAIL, EAFNOSUPPORT, EPROTONOSUPPORT:
      self.init(.noAddress, "The loopback address is not available: \(reason).")
    default: self.init(.system, "Listening on port \(port) failed: \(reason).")
    }
  }

  package var description: String { "\(code.rawValue): \(message)" }

  package static func == (left: LoopbackListenerError, right: LoopbackListenerError) -> Bool {
    left.code == right.code
  }
}
