internal import B2CCore
internal import B2CHTTP
internal import Foundation

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
    case .openIDConnect: return refusal.message
    }
  }

  /// A refusal as the answer of an endpoint that speaks JSON (RFC 6749 section 5.2).
  func jsonAnswer(_ refusal: LocalRefusal, _ call: LocalTenantCall) -> TransportResponse {
    // Entra ID has a word of its own for this one.
    let isDeclinedDevice = shape != .openIDConnect && refusal.entraCode == LocalRefusal.deviceDenied.entraCode
    var members: [String: JSONValue] = [
      "error": .string(isDeclinedDevice ? "authorization_declined" : refusal.error),
      "error_description": .string(describe(refusal, call)),
    ]
    if shape == .entra || shape == .ciam {
      members["error_codes"] = .array([.integer(Int64(refusal.entraCode))])
      members["timestamp"] = .string(LocalDates.timestamp(call.now))
      members["trace_id"] = .string(traceID(call))
      members["correlation_id"] = .string(call.correlationID)
      members["error_uri"] = .string("\(call.origin)/error?code=\(refusal.entraCode)")
      if let suberror = refusal.suberror { members["suberror"] = .string(suberror) }
    }
    return json(members, call, status: refusal.status)
  }

  /// A JSON answer that nobody may keep.
  func json(_ members: [String: JSONValue], _ call: LocalTenantCall, status: Int = 200) -> TransportResponse {
    TransportResponse(
      status: status,
      headers: [
        "Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store",
        "client-request-id": call.correlationID, "x-ms-request-id": traceID(call),
      ],
      body: LocalJSON.data(members))
  }

  private func traceID(_ call: LocalTenantCall) -> String {
    // Made from the correlation id, so that the texts and headers of one answer agree.
    let parts = call.correlationID.split(separator: "-").map { String($0.reversed()) }
    return parts.joined(separator: "-")
  }
}
