internal import B2CCore
internal import B2CHTTP
internal import Foundation

/// Why a tenant refuses, with the codes that Azure AD B2C and Entra ID give for it.
struct LocalRefusal: Error, Sendable {
  /// The OAuth `error`.
  let error: String
  /// The number behind `AADB2C`.
  let b2c: Int
  /// The number behind `AADSTS`.
  let entra: Int
  let message: String

  private init(_ error: String, _ b2c: Int, _ entra: Int, _ message: String) {
    self.error = error
    self.b2c = b2c
    self.entra = entra
    self.message = message
  }

  /// A request that is not well-formed (RFC 6749 sections 4.1.2.1 and 5.2); an app never sends one.
  static func malformed(_ problem: String, error: String = "invalid_request") -> LocalRefusal {
    LocalRefusal(error, 90083, 900_144, "The request is malformed: \(problem).")
  }
}

/// The user's part.
extension LocalRefusal {
  static let cancelled = LocalRefusal(
    "access_denied", 90091, 65004, "The user has cancelled entering self-asserted information.")
  static let forgotPassword = LocalRefusal("access_denied", 90118, 65004, "The user has forgotten their password.")
  static let identityProviderFailed = LocalRefusal(
    "access_denied", 90273, 65004, "An invalid response was received from the identity provider.")
  static func noSession(_ shape: LocalTenant.Shape) -> LocalRefusal {
    LocalRefusal(
      shape == .b2c ? "interaction_required" : "login_required", 90077, 50058,
      "User does not have an existing session and request prompt parameter has a value of 'None'.")
  }
}

/// The app's registration.
extension LocalRefusal {
  static func unknownClient(_ id: String) -> LocalRefusal {
    LocalRefusal(
      "unauthorized_client", 90018, 700_016,
      "The client id '\(id)' specified in the request is not registered in the tenant.")
  }
  static func unknownRedirectURI(_ uri: String) -> LocalRefusal {
    LocalRefusal(
      "invalid_request", 90006, 50011,
      "The redirect URI '\(uri)' provided in the request is not registered for the client id.")
  }
  static let clientSecret = LocalRefusal(
    "invalid_request", 90084, 700_025, "Public clients should not send a client_secret.")
  static func unsupportedScope(_ text: String) -> LocalRefusal {
    LocalRefusal("invalid_scope", 90117, 70011, "The scope '\(text)' provided in request is not supported.")
  }
}

/// The grant: a code, a refresh token, a device code (RFC 8628 section 3.5).
extension LocalRefusal {
  static let unknownGrant = LocalRefusal(
    "invalid_grant", 90085, 70000, "The service has encountered an internal error. Please reauthenticate.")
  static let grantExpired = LocalRefusal(
    "invalid_grant", 90080, 700_082, "The provided grant has expired. Please re-authenticate and try again.")
  static let grantRevoked = LocalRefusal(
    "invalid_grant", 90129, 50173, "The provided grant has been revoked. Please reauthenticate and try again.")
  static let verifierMismatch = LocalRefusal(
    "invalid_grant", 90182, 50148, "The supplied code_verifier does not match associated code_challenge.")
  static let authorizationPending = LocalRefusal("authorization_pending", 90085, 70016, "The user has not decided yet.")
  static let deviceCodeExpired = LocalRefusal("expired_token", 90080, 70020, "The device code has expired.")
  static let deviceDenied = LocalRefusal("access_denied", 90091, 70018, "The user has declined.")
}

extension LocalTenant {
  /// The `error_description` of a refusal, in the form of the tenant's shape.
  func describe(_ refusal: LocalRefusal, _ call: LocalTenantCall) -> String {
    // 2026-01-01 00:00:00Z
    let time = Dates.internet(call.now).prefix(19).replacing("T", with: " ") + "Z"
    let ids = ["Correlation ID: \(call.correlationID)", "Timestamp: \(time)"]
    switch shape {
    case .b2c: return (["AADB2C\(refusal.b2c): \(refusal.message)"] + ids + [""]).joined(separator: "\r\n")
    case .entra, .ciam: return (["AADSTS\(refusal.entra): \(refusal.message)"] + ids).joined(separator: " ")
    case .openIDConnect: return refusal.message
    }
  }

  /// The answer of an endpoint that speaks JSON: what a body returns, or why it refuses (RFC 6749 section 5.2).
  func jsonAnswer(_ call: LocalTenantCall, _ body: () throws -> [String: JSONValue]) -> LocalResponse {
    do {
      return json(try body(), call)
    } catch {
      let refusal = error as? LocalRefusal ?? .malformed("\(error)", error: "server_error")
      var fields: [String: JSONValue] = [
        "error": .string(refusal.error), "error_description": .string(describe(refusal, call)),
      ]
      if isEntra {
        // Entra ID has its own word for this one.
        if refusal.entra == LocalRefusal.deviceDenied.entra { fields["error"] = "authorization_declined" }
        fields["error_codes"] = .array([.integer(Int64(refusal.entra))])
        fields["correlation_id"] = .string(call.correlationID)
        if refusal.entra == LocalRefusal.grantRevoked.entra { fields["suberror"] = "bad_token" }
      }
      return json(fields, call, status: 400)
    }
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
