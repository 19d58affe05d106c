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
  var suberror: String?
}

/// The refusals of a request that is not well-formed (RFC 6749 sections 4.1.2.1 and 5.2); an app never sends one.
extension LocalRefusal {
  static func malformed(_ problem: String, error: String = "invalid_request") -> LocalRefusal {
    LocalRefusal(error: error, b2cCode: "90083", entraCode: 900_144, message: "The request is malformed: \(problem).")
  }
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

/// The app's registration.
extension LocalRefusal {
  static func unknownClient(_ id: String) -> LocalRefusal {
    LocalRefusal(
      error: "unauthorized_client", b2cCode: "90018", entraCode: 700_016,
      message: "The client id '\(id)' specified in the request is not registered in the tenant.")
  }
  static func unknownRedirectURI(_ uri: String) -> LocalRefusal {
    LocalRefusal(
      error: "invalid_request", b2cCode: "90006", entraCode: 50011,
      message: "The redirect URI '\(uri)' provided in the request is not registered for the client id.")
  }
  static func unsupportedScope(_ text: String) -> LocalRefusal {
    LocalRefusal(
      error: "invalid_scope", b2cCode: "90117", entraCode: 70011,
      message: "The scope '\(text)' provided in request is not supported.")
  }
}

/// The grant: a code, a refresh token, a device code.
extension LocalRefusal {
  static let unknownGrant = LocalRefusal(
    error: "invalid_grant", b2cCode: "90085", entraCode: 70000,
    message: "The service has encountered an internal error. Please reauthenticate and try again.")
  static let grantExpired = LocalRefusal(
    error: "invalid_grant", b2cCode: "90080", entraCode: 700_082,
    message: "The provided grant has expired. Please re-authenticate and try again.")
  static let grantRevoked = LocalRefusal(
    error: "invalid_grant", b2cCode: "90129", entraCode: 50173,
    message: "The provided grant has been revoked. Please reauthenticate and try again.", suberror: "bad_token")
  static let verifierMismatch = LocalRefusal(
    error: "invalid_grant", b2cCode: "90182", entraCode: 50148,
    message: "The supplied code_verifier does not match associated code_challenge.")
}

/// The device's part (RFC 8628 section 3.5).
extension LocalRefusal {
  static let authorizationPending = LocalRefusal(
    error: "authorization_pending", b2cCode: "90085", entraCode: 70016, message: "The user has not decided yet.")
  static let deviceCodeExpired = LocalRefusal(
    error: "expired_token", b2cCode: "90080", entraCode: 70020, message: "The device code has expired.")
  static let deviceDenied = LocalRefusal(
    error: "access_denied", b2cCode: "90091", entraCode: 70018, message: "The user has declined.")
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
      return "AADSTS\(refusal.entraCode): \(refusal.message) "
        + "Correlation ID: \(call.correlationID) Timestamp: \(timestamp)"
    case .openIDConnect: return refusal.message
    }
  }

  /// The answer of an endpoint that speaks JSON: what a body returns, or why it refuses.
  func jsonAnswer(_ call: LocalTenantCall, _ body: () throws -> [String: JSONValue]) -> LocalResponse {
    do {
      return json(try body(), call)
    } catch {
      return jsonAnswer(error as? LocalRefusal ?? .malformed("\(error)", error: "server_error"), call)
    }
  }

  /// A refusal as the answer of an endpoint that speaks JSON (RFC 6749 section 5.2).
  private func jsonAnswer(_ refusal: LocalRefusal, _ call: LocalTenantCall) -> LocalResponse {
    // Entra ID has its own code for this one.
    let isDeclinedDevice = shape != .openIDConnect && refusal.entraCode == LocalRefusal.deviceDenied.entraCode
    var fields: [String: JSONValue] = [
      "error": .string(isDeclinedDevice ? "authorization_declined" : refusal.error),
      "error_description": .string(describe(refusal, call)),
    ]
    if shape == .entra || shape == .ciam {
      fields["error_codes"] = .array([.integer(Int64(refusal.entraCode))])
      fields["correlation_id"] = .string(call.correlationID)
      if let suberror = refusal.suberror { fields["suberror"] = .string(suberror) }
    }
    return json(fields, call, status: 400)
  }

  /// A JSON answer that no one may keep.
  func json(_ fields: [String: JSONValue], _ call: LocalTenantCall, status: Int = 200) -> LocalResponse {
    LocalResponse(
      status: status,
      headers: [
        "Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store",
        "client-request-id": call.correlationID,
      ],
      body: LocalJSON.data(fields))
  }
}
