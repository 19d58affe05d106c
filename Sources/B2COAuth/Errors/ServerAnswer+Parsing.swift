internal import B2CCore
internal import Foundation

extension ServerAnswer {
  private static let longestDescription = 1_000

  /// Reads the error of a callback, decoded from its form (RFC 6749 section 4.1.2.1).
  init(callbackError: String, description: String?) {
    self.init(error: callbackError, description: description.map { String($0.prefix(Self.longestDescription)) })
    readDescription()
  }

  /// Reads an error answer of the token endpoint (RFC 6749 section 5.2); `nil` for a body that is none.
  ///
  /// - Parameters:
  ///   - response: The answer.
  ///   - now: The wall time, for a `Retry-After` that is a date.
  ///   - secrets: What was sent and must not come back in a description.
  init?(_ response: TransportResponse, now: Date, hiding secrets: [String]) {
    guard let members = try? JSONDecoder().decode(JSONValue.self, from: response.body).object,
      let error = members["error"]?.string
    else { return nil }
    self.init(
      error: Self.hide(secrets, in: error),
      description: members["error_description"]?.string.map {
        String(Self.hide(secrets, in: $0).prefix(Self.longestDescription))
      },
      suberror: members["suberror"]?.string, traceID: members["trace_id"]?.string,
      timestamp: members["timestamp"]?.string, status: response.status,
      retryAfter: RetryAfter.seconds(in: response.headers, now: now), claims: members["claims"]?.string)
    correlationID = members["correlation_id"]?.string.flatMap { UUID(uuidString: $0) }
    readDescription()
    if code == nil, let number = members["error_codes"]?.array?.first?.double {
      code = "AADSTS\(Int(exactly: number.rounded()) ?? 0)"
    }
  }

  private static func hide(_ secrets: [String], in text: String) -> String {
    secrets.reduce(text) { $1.isEmpty ? $0 : $0.replacingOccurrences(of: $1, with: "<hidden>") }
  }

  /// Takes code, correlation id and time out of a description as Azure AD B2C writes it: one on each line.
  private mutating func readDescription() {
    guard let description else { return }
    for line in description.split(whereSeparator: \.isNewline) {
      let parts = line.split(separator: ":", maxSplits: 1)
      let value = parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
      switch parts.first?.trimmingCharacters(in: .whitespaces).lowercased() {
      case "correlation id": correlationID = correlationID ?? UUID(uuidString: value)
      case "timestamp": timestamp = timestamp ?? value
      case "trace id": traceID = traceID ?? value
      default: break
      }
    }
    let start = description.prefix { $0 != ":" && !$0.isWhitespace }
    for family in ["AADB2C", "AADSTS"] where start.hasPrefix(family) {
      let digits = start.dropFirst(family.count)
      if !digits.isEmpty, digits.count <= 9, digits.allSatisfy(\.isASCIIDigit) { code = String(start) }
    }
  }

  /// The typed error of this answer.
  func asError(fallbackCorrelationID: UUID?) -> OAuthError {
    let known = code.flatMap(ServiceCode.named)
    // Azure AD B2C says access_denied of nearly everything. Where it has a code of its own, the user need not have been it.
    let hasOwnCode = code != nil && error == "access_denied"
    let kind =
      known?.code ?? (hasOwnCode ? .server : Self.code(forOAuthError: error, suberror: suberror, status: status))
    return OAuthError(
      kind, known?.meaning ?? plainMeaning, recoverySuggestion: known?.suggestion ?? plainSuggestion, server: self,
      correlationID: correlationID ?? fallbackCorrelationID)
  }

  /// Whether the answer says for certain that the refresh token will never work again.
  ///
  /// `invalid_grant` alone is no proof with Microsoft's services; elsewhere RFC 6749 section 5.2 makes it one.
  func endsSession(isMicrosoft: Bool) -> Bool {
    guard error == "invalid_grant" else { return false }
    if suberror == "bad_token" { return true }
    if let known = code.flatMap(ServiceCode.named) { return known.endsSession }
    return !isMicrosoft && code == nil
  }

  private var plainMeaning: String {
    "The server refused" + (error.map { " with \($0.prefix(100))" } ?? "") + "."
  }

  /// What helps against an error of RFC 6749 from a server that says no more by a code of its own.
  private var plainSuggestion: String? {
    guard code == nil else { return nil }
    return switch error {
    case "invalid_client", "unauthorized_client":
      "Check the client id, and register the app as a public client: no client secret is sent."
    case "invalid_scope": "Compare the scopes with those that the server offers to this client."
    default: nil
    }
  }

  private static func code(forOAuthError error: String?, suberror: String?, status: Int?) -> OAuthError.Code {
    switch error {
    case "interaction_required", "login_required", "consent_required", "account_selection_required", "invalid_grant":
      .interactionRequired
    case "invalid_client", "unauthorized_client", "invalid_scope", "unsupported_response_type",
      "unsupported_grant_type", "invalid_request":
      .configuration
    case "temporarily_unavailable", "server_error": .serviceUnavailable
    case "access_denied": .userCancelledInPage
    default:
      switch status ?? 0 {
      case 408: .timedOut
      case 429: .throttled
      case 500...: .serviceUnavailable
      default: .server
      }
    }
  }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}
