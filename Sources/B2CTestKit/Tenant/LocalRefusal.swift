internal import B2CCore
internal import B2CHTTP
internal import Foundation

/// Why a tenant refuses, with the codes that Azure AD B2C and Entra ID give for it.
struct LocalRefusal: Error, Sendable {
  /// The OAuth `error`.
  let error: String
  /// The number behind `AADB2C`.
  let b2cCode: String
  /// The number behind `AADSTS`.
  let entraCode: Int
  let message: String
  /// The message of a provider that is not Microsoft's, where it is another one.
  var plainMessage: String?
  var suberror: String?
  var status = 400
}

/// The user's part.
extension LocalRefusal {
  static let cancelled = LocalRefusal(
    error: "access_denied", b2cCode: "90091", entraCode: 65004,
    message: "The user has cancelled entering self-asserted information.")
  static let forgotPassword = LocalRefusal(
    error: "access_denied", b2cCode: "90118", entraCode: 65004, message: "The user has forgotten their password.")
  static let identityProviderFailed = LocalRefusal(
    error: "access_denied", b2cCode: "90273", entraCode: 65004,
    message: "An invalid response was received from the identity provider.")
  static let noSession = LocalRefusal(
    error: "interaction_required", b2cCode: "90077", entraCode: 50058,
    message: "User does not have an existing session and request prompt parameter has a value of 'None'.")
}

/// The authorize request's part.
extension LocalRefusal {
  static let missingClient = LocalRefusal(
    error: "invalid_request", b2cCode: "90008", entraCode: 900_144,
    message: "The request does not contain a client id parameter.")
  static func unknownClient(_ id: String) -> LocalRefusal {
    LocalRefusal(
      error: "unauthorized_client", b2cCode: "90018", entraCode: 700_016,
      message: "The client id '\(id)' specified in the request is not registered in the tenant.")
  }
  static let noRedirectURIs = LocalRefusal(
    error: "invalid_request", b2cCode: "90007", entraCode: 500_113,
    message: "The application associated with the client id has no registered redirect URIs.")
  static func unknownRedirectURI(_ uri: String) -> LocalRefusal {
    LocalRefusal(
      error: "invalid_request", b2cCode: "90006", entraCode: 50011,
      message: "The redirect URI '\(uri)' provided in the request is not registered for the client id.",
      plainMessage: "The redirect_uri of the request is not registered.")
  }
  static func responseType(_ text: String) -> LocalRefusal {
    LocalRefusal(
      error: "unsupported_response_type", b2cCode: "90013", entraCode: 700_054,
      message: "The requested response type '\(text)' provided in the request is not supported.")
  }
  static func responseMode(_ text: String) -> LocalRefusal {
    LocalRefusal(
      error: "invalid_request", b2cCode: "90014", entraCode: 901_011,
      message: "The requested response mode '\(text)' provided in the request is not supported.")
  }
  static let missingScope = LocalRefusal(
    error: "invalid_request", b2cCode: "90010", entraCode: 900_144,
    message: "The request does not contain a scope parameter.")
  static func unsupportedScope(_ text: String) -> LocalRefusal {
    LocalRefusal(
      error: "invalid_scope", b2cCode: "90117", entraCode: 70011,
      message: "The scope '\(text)' provided in request is not supported.")
  }
  static func severalResources(_ text: String) -> LocalRefusal {
    LocalRefusal(
      error: "invalid_scope", b2cCode: "90146", entraCode: 28000,
      message: "The scope '\(text)' provided in request specifies more than one resource for an access token, "
        + "which is not supported.")
  }
  static func prompt(_ text: String) -> LocalRefusal {
    LocalRefusal(
      error: "invalid_request", b2cCode: "90043", entraCode: 90023,
      message: "The prompt included in the request contains invalid values. Expected 'none', 'login', 'consent' or "
        + "'select_account' and got '\(text)'.")
  }
  static let missingChallenge = LocalRefusal(
    error: "invalid_request", b2cCode: "99059", entraCode: 9_002_325,
    message: "The supplied request must present a code_challenge. Required for public clients.")
  static let challengeMethod = LocalRefusal(
    error: "invalid_request", b2cCode: "90184", entraCode: 501_481,
    message: "The supplied code_challenge_method is not supported. Supported is S256.")
  static let malformedChallenge = LocalRefusal(
    error: "invalid_request", b2cCode: "90183", entraCode: 501_491,
    message: "The supplied code_challenge is invalid.")
}

/// The token request's part.
extension LocalRefusal {
  static func grantType(_ text: String) -> LocalRefusal {
    LocalRefusal(
      error: "unsupported_grant_type", b2cCode: "90086", entraCode: 70003,
      message: "The supplied grant_type '\(text)' is not supported.")
  }
  static func missingParameter(_ name: String) -> LocalRefusal {
    LocalRefusal(
      error: "invalid_request", b2cCode: "90083", entraCode: 900_144,
      message: "The request is missing required parameter '\(name)'.")
  }
  static let secretSent = LocalRefusal(
    error: "invalid_request", b2cCode: "90084", entraCode: 700_025,
    message: "Public clients should not send a client_secret when redeeming a publicly acquired grant.")
  static let unknownGrant = LocalRefusal(
    error: "invalid_grant", b2cCode: "90085", entraCode: 70000,
    message: "The service has encountered an internal error. Please reauthenticate and try again.")
  static let grantExpired = LocalRefusal(
    error: "invalid_grant", b2cCode: "90080", entraCode: 700_082,
    message: "The provided grant has expired. Please re-authenticate and try again.")
  static let codeExpired = LocalRefusal(
    error: "invalid_grant", b2cCode: "90080", entraCode: 70008,
    message: "The provided grant has expired. Please re-authenticate and try again.")
  static let grantRevoked = LocalRefusal(
    error: "invalid_grant", b2cCode: "90129", entraCode: 50173,
    message: "The provided grant has been revoked. Please reauthenticate and try again.", suberror: "bad_token")
  static let codeUsed = LocalRefusal(
    error: "invalid_grant", b2cCode: "90129", entraCode: 54005,
    message: "The provided grant has been redeemed already. Please reauthenticate and try again.")
  static let accountDeleted = LocalRefusal(
    error: "invalid_grant", b2cCode: "90128", entraCode: 50034,
    message: "The account associated with this grant no longer exists. Please reauthenticate and try again.",
    suberror: "bad_token")
  static func otherPolicy(actual: String, expected: String) -> LocalRefusal {
    LocalRefusal(
      error: "invalid_grant", b2cCode: "90088", entraCode: 70000,
      message: "The provided grant has not been issued for this endpoint. Actual Value : \(actual) and "
        + "Expected Value : \(expected)")
  }
  static let otherClient = LocalRefusal(
    error: "invalid_grant", b2cCode: "90279", entraCode: 700_005,
    message: "The provided client id does not match the client id that issued the grant.",
    suberror: "client_mismatch")
  static let otherRedirectURI = LocalRefusal(
    error: "invalid_grant", b2cCode: "90006", entraCode: 500_112,
    message: "The redirect URI provided in the request does not match the one of the authorization request.")
  static let verifierMismatch = LocalRefusal(
    error: "invalid_grant", b2cCode: "90182", entraCode: 50148,
    message: "The supplied code_verifier does not match associated code_challenge.")
  static let malformedVerifier = LocalRefusal(
    error: "invalid_grant", b2cCode: "90183", entraCode: 501_481,
    message: "The supplied code_verifier is invalid.")
  static let noSigningKey = LocalRefusal(
    error: "server_error", b2cCode: "90037", entraCode: 90033,
    message: "An error occurred while processing the request: the tenant has no signing key.", status: 500)
}

/// The device's part (RFC 8628 section 3.5).
extension LocalRefusal {
  static let authorizationPending = LocalRefusal(
    error: "authorization_pending", b2cCode: "90085", entraCode: 70016, message: "The user has not decided yet.")
  static let slowDown = LocalRefusal(
    error: "slow_down", b2cCode: "90085", entraCode: 70016, message: "The device asks too often.")
  static let deviceCodeExpired = LocalRefusal(
    error: "expired_token", b2cCode: "90080", entraCode: 70020, message: "The device code has expired.")
  static let deviceDenied = LocalRefusal(
    error: "access_denied", b2cCode: "90091", entraCode: 70018, message: "The user has declined.")
  static let unknownDeviceCode = LocalRefusal(
    error: "invalid_grant", b2cCode: "90085", entraCode: 70019, message: "The device code is not known.")
}

extension LocalTenant {
  /// The `error_description` of a refusal, in the form of the tenant's shape.
  func describe(_ refusal: LocalRefusal, _ call: LocalTenantCall) -> String {
    let timestamp = LocalDates.timestamp(call.now)
    switch shape {
    case .b2c:
      return "AADB2C\(refusal.b2cCode): \(refusal.message)\r\nCorrelation ID: \(call.correlationID)\r\n"
        + "Timestamp: \(timestamp)\r\n"
    case .entra, .ciam:
      return "AADSTS\(refusal.entraCode): \(refusal.message) Trace ID: \(traceID(call)) "
        + "Correlation ID: \(call.correlationID) Timestamp: \(timestamp)"
    case .openIDConnect: return refusal.plainMessage ?? refusal.message
    }
  }

  /// A refusal as the answer of an endpoint that speaks JSON (RFC 6749 section 5.2).
  func jsonAnswer(_ refusal: LocalRefusal, _ call: LocalTenantCall) -> TransportResponse {
    // Entra ID has its own code for this one.
    let isDeclinedDevice = shape != .openIDConnect && refusal.entraCode == LocalRefusal.deviceDenied.entraCode
    var fields: [String: JSONValue] = [
      "error": .string(isDeclinedDevice ? "authorization_declined" : refusal.error),
      "error_description": .string(describe(refusal, call)),
    ]
    if shape == .entra || shape == .ciam {
      fields["error_codes"] = .array([.integer(Int64(refusal.entraCode))])
      fields["timestamp"] = .string(LocalDates.timestamp(call.now))
      fields["trace_id"] = .string(traceID(call))
      fields["correlation_id"] = .string(call.correlationID)
      fields["error_uri"] = .string("\(call.origin)/error?code=\(refusal.entraCode)")
      if let suberror = refusal.suberror { fields["suberror"] = .string(suberror) }
    }
    return json(fields, call, status: refusal.status)
  }

  /// A JSON answer that no one may keep.
  func json(_ fields: [String: JSONValue], _ call: LocalTenantCall, status: Int = 200) -> TransportResponse {
    TransportResponse(
      status: status,
      headers: [
        "Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store",
        "client-request-id": call.correlationID, "x-ms-request-id": traceID(call),
      ],
      body: LocalJSON.data(fields))
  }

  private func traceID(_ call: LocalTenantCall) -> String {
    // Made from the correlation id, so that the texts and headers of one answer agree.
    let parts = call.correlationID.split(separator: "-").map { String($0.reversed()) }
    return parts.joined(separator: "-")
  }
}
