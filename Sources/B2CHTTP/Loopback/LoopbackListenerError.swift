/// Why a listener could not start.
///
/// Two errors are equal when their codes are.
package struct LoopbackListenerError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What went wrong, as an open set of codes.
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

  package var description: String { "\(code.rawValue): \(message)" }

  package static func == (left: LoopbackListenerError, right: LoopbackListenerError) -> Bool {
    left.code == right.code
  }
}

extension LoopbackListenerError {
  init(_ error: SystemError, port: UInt16) {
    if error.isPortInUse {
      self.init(.portInUse, "Port \(port) of this machine is in use.")
    } else if error.isPortForbidden {
      self.init(.portForbidden, "Port \(port) of this machine may not be listened on: \(error.text).")
    } else if error.isAddressMissing {
      self.init(.noAddress, "This machine does not have the loopback address: \(error.text).")
    } else {
      self.init(.system, "Port \(port) of this machine cannot be listened on: \(error.text).")
    }
  }
}
