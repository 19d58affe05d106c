internal import B2CCore
internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// The error that an authorization server sent (RFC 6749 sections 4.1.2.1 and 5.2).
///
/// Every text in it is printable, on one line and cut; what looks like a token, or was sent, is replaced.
struct ServerAnswer: Sendable, Hashable {
  /// The OAuth `error`, such as `invalid_grant`.
  var error: String?
  /// The `error_description`, at most 200 characters.
  var description: String?
  /// The service's own code, such as `AADB2C90118` or `AADSTS50058`.
  var code: String?
  /// The `suberror`, such as `bad_token`.
  var suberror: String?
  /// The HTTP status; `nil` when the answer came by redirect.
  var status: Int?
  /// How many seconds the server asks to wait (`Retry-After`).
  var retryAfter: Double?
  /// The `claims` the server wants satisfied, as JSON text.
  var claims: String?
  /// The `correlation_id` of the answer.
  var correlationID: UUID?
}

extension ServerAnswer {
  /// Reads the error of a callback, decoded from its form (RFC 6749 section 4.1.2.1).
  init(callbackError: String, description: String?, hiding secrets: [Secret]) {
    self.init()
    read(["error": .string(callbackError), "error_description": description.map(JSONValue.string) ?? .null], secrets)
  }

  /// Reads an error answer of the token endpoint (RFC 6749 section 5.2); `nil` for any other body.
  ///
  /// - Parameters:
  ///   - body: The answer's body.
  ///   - response: The answer's head.
  ///   - secrets: What was sent and must not come back in a description.
  init?(_ body: Data, _ response: HTTPURLResponse, hiding secrets: [String]) {
    guard let fields = try? JSONReader.object(body), fields["error"]?.string != nil else { return nil }
    self.init(status: response.statusCode, retryAfter: RetryAfter.seconds(in: response))
    read(fields, secrets.map { Secret($0) })
    if code == nil, let number = fields["error_codes"]?.array?.first?.double.flatMap(Int64.init(exactly:)) {
      code = "AADSTS\(number)"
    }
  }

  /// Takes over what the server said, each field by the same rule: one line, cut, without tokens.
  private mutating func read(_ fields: [String: JSONValue], _ secrets: [Secret]) {
    let text = PrintableText(hiding: secrets)
    func shown(_ name: String, limit: Int = 100) -> String? {
      fields[name]?.string.flatMap(text.limited(to: limit).show)
    }
    error = shown("error")
    description = shown("error_description", limit: 200)
    suberror = shown("suberror")
    // Some providers' refresh tokens and codes are UUIDs too.
    correlationID = shown("correlation_id").flatMap { UUID(uuidString: $0) }
    // The claims are sent back as they are: with a token in them they are not the service's.
    claims = shown("claims", limit: 4_096).flatMap {
      $0.contains(PrintableText.replacement) || (try? JSONReader.object(Data($0.utf8))) == nil ? nil : $0
    }
    if let description = fields["error_description"]?.string { readDescription(description, text.limited(to: 100)) }
  }

  /// Takes code and correlation id out of a description as Azure AD B2C writes it: one on each line.
  private mutating func readDescription(_ description: String, _ text: PrintableText) {
    for line in description.split(whereSeparator: \.isNewline) {
      let parts = line.split(separator: ":", maxSplits: 1)
      let value = parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
      guard parts.first?.trimmingCharacters(in: .whitespaces).lowercased() == "correlation id" else { continue }
      correlationID = correlationID ?? text.show(value).flatMap { UUID(uuidString: $0) }
    }
    let start = description.prefix { $0 != ":" && !$0.isWhitespace }
    if start.wholeMatch(of: ServiceCode.pattern) != nil { code = String(start) }
  }

  /// Returns the error of this answer.
  ///
  /// - Parameters:
  ///   - scopes: The scopes that were sent.
  ///   - policy: The policy of the request.
  ///   - sent: The id of the request as far as the server knows it.
  ///   - isCallback: Whether the answer came by a redirect from the user's page.
  ///   - isGenericRefresh: Whether a refresh token of a provider other than Microsoft was refused.
  /// - Returns: The error, with everything the server said.
  func asError(
    scopes: [String] = [], policy: Policy? = nil, correlationID sent: UUID? = nil, isCallback: Bool = false,
    isGenericRefresh: Bool = false
  ) -> ConnectorError {
    let known = code.flatMap(ServiceCode.named)
    var kind = temporaryCode ?? known?.code ?? plainCode(isCallback: isCallback)
    var suggestion = known?.suggestion ?? plainSuggestion
    if isGenericRefresh, meansRefreshTokenIsRefused {
      kind = .interactionRequired
      suggestion = suggestion ?? "Sign in again."
    }
    var meaning = known?.meaning ?? "The server refused\(error.map { " with \($0)" } ?? "")."
    if error == "invalid_scope" || code.map(ServiceCode.aboutScopes.contains) == true, !scopes.isEmpty {
      meaning += " The scopes were \(scopes.joined(separator: " "))."
    }
    if kind == .configuration || code == "AADB2C90088", let policy {
      meaning += " The policy was \(policy.id)."
    }
    var typed = ConnectorError(
      own: kind, meaning, recoverySuggestion: suggestion, status: status, correlationID: correlationID ?? sent)
    typed.retryAfter = retryAfter
    typed.oauthError = error
    typed.serverCode = code
    typed.serverDescription = description
    typed.claims = claims
    return typed
  }

  /// Whether the answer says for certain that the refresh token will never work again.
  ///
  /// `invalid_grant` alone is no proof with Microsoft's services; elsewhere a refusal that names neither the app nor the
  /// scopes is one, since providers differ in the error they give (RFC 6749 section 5.2).
  func endsSession(isMicrosoft: Bool) -> Bool {
    guard temporaryCode == nil, (400..<500).contains(status ?? 0) else { return false }
    if isMicrosoft || code != nil {
      // The service's own code is definite, whatever `error` it comes with.
      return code.flatMap(ServiceCode.named)?.endsSession == true
        || (error == "invalid_grant" && suberror == "bad_token")
    }
    return meansRefreshTokenIsRefused
  }

  /// Whether a provider that is not Microsoft's refuses a refresh for the token and not for the app or the scopes.
  private var meansRefreshTokenIsRefused: Bool {
    let aboutTheRequest = [
      "invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_scope", "invalid_target",
    ]
    // A server that says "later" in a status of the 400s says nothing about the token either.
    let temporary = ["temporarily_unavailable", "server_error", "slow_down"]
    return [400, 401, 403].contains(status) && code == nil && !(aboutTheRequest + temporary).contains(error ?? "")
  }

  /// The code by the status alone: a busy or failing server may name any error in its body.
  private var temporaryCode: ErrorCode? { status.flatMap(ErrorCode.init(temporaryStatus:)) }

  /// The advice on an error of RFC 6749 from a server that says no more by a dedicated code.
  private var plainSuggestion: String? {
    guard code == nil else { return nil }
    return switch error {
    case "invalid_client", "unauthorized_client":
      "Check the client ID, and register the app as a public client: no client secret is sent."
    case "invalid_scope": "Compare the scopes with those that the server offers to this client."
    default: nil
    }
  }

  private func plainCode(isCallback: Bool) -> ErrorCode {
    switch error {
    case "interaction_required", "login_required", "consent_required", "account_selection_required", "invalid_grant":
      .interactionRequired
    case "invalid_client", "unauthorized_client", "invalid_scope", "unsupported_response_type",
      "unsupported_grant_type", "invalid_request":
      .configuration
    case "temporarily_unavailable", "server_error": .serviceUnavailable
    case "slow_down": .throttled
    // Azure AD B2C says access_denied of nearly everything: where it has a dedicated code, or where no user was asked,
    // it need not have been the user.
    case "access_denied" where isCallback && code == nil: .userCancelledInPage
    default: .server
    }
  }
}
