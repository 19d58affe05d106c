/// What a server asks for in `WWW-Authenticate` (RFC 9110 section 11.6.1, RFC 6750 section 3).
public struct AuthenticationChallenge: Sendable, Hashable {
  /// The scheme as written, such as `Bearer`; empty when the server left it out.
  public var scheme: String
  /// The one bare value that some schemes have in place of parameters, such as `Negotiate`.
  public var token68: String?
  /// The parameters by lower-cased name; of two with one name, the first.
  public var parameters: [String: String]

  /// Makes a challenge.
  ///
  /// - Parameters:
  ///   - scheme: The scheme.
  ///   - token68: The bare value in place of parameters.
  ///   - parameters: The parameters by lower-cased name.
  public init(scheme: String, token68: String? = nil, parameters: [String: String] = [:]) {
    self.scheme = scheme
    self.token68 = token68
    self.parameters = parameters
  }

  /// The part of the server that asks.
  public var realm: String? { parameters["realm"] }
  /// Why a token was refused: `invalid_token`, `insufficient_scope`, `invalid_request`, or a code of the server's own.
  public var error: String? { parameters["error"] }
  /// The server's words on that, for a developer.
  public var errorDescription: String? { parameters["error_description"] }
  /// The scopes that a token needs, separated by spaces.
  public var scope: String? { parameters["scope"] }
  /// Whether this challenge is about bearer tokens; one without a scheme is taken for it.
  public var isBearer: Bool { scheme.isEmpty || scheme.lowercased() == "bearer" }
}
