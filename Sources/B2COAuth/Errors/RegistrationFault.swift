/// A mistake of an app's registration that a code of the service names.
package enum RegistrationFault: Sendable, Hashable {
  case unknownClient
  case unknownRedirectURI
  /// The app is registered as a client with a secret.
  case confidentialClient

  /// Returns the first code of the service in a text, such as an error page, with the mistake that it names.
  package static func find(in text: String) -> (code: String, fault: RegistrationFault)? {
    guard let code = text.firstMatch(of: ServiceCode.pattern).map({ String($0.output) }),
      let fault = ServiceCode.named(code)?.registrationFault
    else { return nil }
    return (code, fault)
  }
}
