internal import B2CCore
internal import Foundation

extension AuthenticationChallenge {
  /// The same challenge, without the tokens that the server was sent and gives back in it.
  func hiding(_ secrets: [Secret]) -> AuthenticationChallenge {
    func hide(_ text: String) -> String {
      secrets.filter { $0.value.utf8.count >= 4 }.reduce(text) { text, secret in
        text.replacingOccurrences(of: secret.value, with: "[redacted]", options: [.literal, .caseInsensitive])
      }
    }
    return AuthenticationChallenge(
      scheme: hide(scheme), token68: token68.map(hide),
      parameters: Dictionary(
        parameters.map { (hide($0.key), hide($0.value)) }, uniquingKeysWith: { first, _ in first }))
  }
}

extension AuthenticationChallenge: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  private static let knownNames: Set<String> = [
    "realm", "error", "error_description", "error_uri", "scope", "claims", "authorization_uri", "client_id",
  ]
  private static let knownSchemes: Set<String> = ["", "bearer", "basic", "digest", "negotiate"]
  private static let knownErrors: Set<String> = [
    "invalid_request", "invalid_token", "insufficient_scope", "insufficient_claims",
  ]

  /// The scheme, if it is one of the usual ones, the names of the parameters, and a known error; no other values.
  ///
  /// A server may write anything into the others, also the token that it was sent.
  public var description: String {
    let names = parameters.keys.filter(Self.knownNames.contains).sorted()
    let others = parameters.count - names.count
    let shown = names.map { name in
      guard name == "error", let error, Self.knownErrors.contains(error) else { return name }
      return "error=\(error)"
    }
    let scheme = Self.knownSchemes.contains(scheme.lowercased()) ? scheme : "another scheme"
    return "challenge \(scheme) (" + (shown + (others > 0 ? ["\(others) more"] : [])).joined(separator: ", ") + ")"
  }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror that shows the description and no values.
  public var customMirror: Mirror { Mirror(self, children: ["challenge": description]) }
}
