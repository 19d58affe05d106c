#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif
internal import B2CCore
internal import Foundation

/// The error thrown when a listener cannot start.
package struct LoopbackListenerError: CodedError, Sendable, CustomStringConvertible {
  /// The reason, as an open set of codes.
  package struct Code: RawRepresentable, Sendable, Hashable {
    package var rawValue: String

    package init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// Another program, or another listener of this one, has the port.
    package static let portInUse = Code(rawValue: "portInUse")
    /// The system does not let this user or this app have the port.
    package static let portForbidden = Code(rawValue: "portForbidden")
    /// The machine has none of the addresses.
    package static let noAddress = Code(rawValue: "noAddress")
    /// The system refused for another reason, such as too many open files.
    package static let system = Code(rawValue: "system")
  }

  package var code: Code
  package var message: String
  /// How to fix it, if anything is known to help.
  package var recoverySuggestion: String?

  package init(_ code: Code, _ message: String, recoverySuggestion: String? = nil) {
    self.code = code
    self.message = message
    self.recoverySuggestion = recoverySuggestion
  }

  /// Translates an error number of the system.
  package init(number: CInt, port: UInt16) {
    let reason = String(cString: strerror(number))
    switch number {
    case EADDRINUSE: self.init(.portInUse, "Port \(port) is in use.")
    // The App Sandbox's answer, and that of a security policy elsewhere.
    case EPERM:
      self.init(
        .portForbidden, "Listening on port \(port) is not allowed: \(reason).",
        recoverySuggestion:
          "A Mac app with the App Sandbox needs Incoming Connections (Server), under Signing & Capabilities.")
    case EACCES: self.init(.portForbidden, "Listening on port \(port) is not allowed: \(reason).")
    case EADDRNOTAVAIL, EAFNOSUPPORT, EPROTONOSUPPORT:
      self.init(.noAddress, "The loopback address is not available: \(reason).")
    default: self.init(.system, "Listening on port \(port) failed: \(reason).")
    }
  }

  package var description: String { "\(code.rawValue): \(message)" }
}
