internal import B2CCore
internal import B2CHTTP

/// The responses of a tenant: JSON, and refusals with the codes and texts of the provider that it imitates.
extension LocalTenant {
  /// Returns the `error_description` of a refusal, in the form of the provider that the tenant imitates.
  func describe(_ refusal: LocalRefusal, _ call: LocalTenantCall) -> String {
    // The providers write times like this one: 2026-01-01 00:00:00Z
    let time = Dates.internet(call.now).prefix(19).replacing("T", with: " ") + "Z"
    let ids = ["Correlation ID: \(call.correlationID)", "Timestamp: \(time)"]
    switch shape {
    case .b2c: return (["AADB2C\(refusal.b2c): \(refusal.message)"] + ids + [""]).joined(separator: "\r\n")
    case .entra, .ciam: return (["AADSTS\(refusal.entra): \(refusal.message)"] + ids).joined(separator: " ")
    case .openIDConnect: return refusal.message
    }
  }

  /// Returns the JSON response of an endpoint: the fields that a body returns, or the refusal that it throws (RFC 6749
  /// section 5.2).
  func jsonAnswer(_ call: LocalTenantCall, _ body: () throws -> [String: JSONValue]) -> LocalResponse {
    do {
      return json(try body(), call)
    } catch {
      let refusal = error as? LocalRefusal ?? .malformed("\(error)", error: "server_error")
      // RFC 8628 section 3.5 calls a declined device code `access_denied`, but Entra ID calls it
      // `authorization_declined`.
      let isDeclined = isEntra && refusal.entra == LocalRefusal.deviceDenied.entra
      let fields: [String: JSONValue?] = [
        "error": .string(isDeclined ? "authorization_declined" : refusal.error),
        "error_description": .string(describe(refusal, call)),
        "error_codes": isEntra ? .array([.integer(Int64(refusal.entra))]) : nil,
        "correlation_id": isEntra ? .string(call.correlationID) : nil,
        "suberror": isEntra && refusal.entra == LocalRefusal.grantRevoked.entra ? "bad_token" : nil,
      ]
      return json(fields.compactMapValues(\.self), call, status: 400)
    }
  }

  /// Returns a JSON response that must not be cached.
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
