/// A reason why a tenant refuses a request, with the codes that Azure AD B2C and Entra ID return for it.
struct LocalRefusal: Error, Sendable {
  /// The OAuth `error`.
  let error: String
  /// The number after `AADB2C`.
  let b2c: Int
  /// The number after `AADSTS`.
  let entra: Int
  let message: String

  private init(_ error: String, _ b2c: Int, _ entra: Int, _ message: String) {
    self.error = error
    self.b2c = b2c
    self.entra = entra
    self.message = message
  }

  /// Returns the refusal of a malformed request (RFC 6749 sections 4.1.2.1 and 5.2), which the SDK never sends.
  static func malformed(_ problem: String, error: String = "invalid_request") -> Self {
    Self(error, 90083, 900_144, "The request is malformed: \(problem).")
  }
}

extension LocalRefusal {
  // MARK: The user's part

  static let cancelled = Self(
    "access_denied", 90091, 65004, "The user has cancelled entering self-asserted information.")
  static let forgotPassword = Self("access_denied", 90118, 65004, "The user has forgotten their password.")
  static let identityProviderFailed = Self(
    "access_denied", 90273, 65004, "An invalid response was received from the identity provider.")
  static func noSession(isB2C: Bool) -> Self {
    Self(
      isB2C ? "interaction_required" : "login_required", 90077, 50058,
      "User does not have an existing session and request prompt parameter has a value of 'None'.")
  }

  // MARK: The app's registration

  static func unknownClient(_ id: String) -> Self {
    Self(
      "unauthorized_client", 90018, 700_016,
      "The client id '\(id)' specified in the request is not registered in the tenant.")
  }
  static func unknownRedirectURI(_ uri: String) -> Self {
    Self(
      "invalid_request", 90006, 50011,
      "The redirect URI '\(uri)' provided in the request is not registered for the client id.")
  }
  static let clientSecret = Self("invalid_request", 90084, 700_025, "Public clients should not send a client_secret.")
  static func unsupportedScope(_ text: String) -> Self {
    Self("invalid_scope", 90117, 70011, "The scope '\(text)' provided in request is not supported.")
  }

  // MARK: The grant, which is a code, a refresh token or a device code (RFC 8628 section 3.5)

  static let unknownGrant = Self(
    "invalid_grant", 90085, 70000, "The service has encountered an internal error. Please reauthenticate.")
  static let grantExpired = Self(
    "invalid_grant", 90080, 700_082, "The provided grant has expired. Please re-authenticate and try again.")
  static let grantRevoked = Self(
    "invalid_grant", 90129, 50173, "The provided grant has been revoked. Please reauthenticate and try again.")
  static let verifierMismatch = Self(
    "invalid_grant", 90182, 50148, "The supplied code_verifier does not match associated code_challenge.")
  static let authorizationPending = Self("authorization_pending", 90085, 70016, "The user has not decided yet.")
  static let deviceCodeExpired = Self("expired_token", 90080, 70020, "The device code has expired.")
  static let deviceDenied = Self("access_denied", 90091, 70018, "The user has declined.")
}
