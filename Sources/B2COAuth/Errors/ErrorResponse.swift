package import B2CAuthority
package import B2CCore
package import Foundation

/// The error that a provider sent instead of a result (RFC 6749 sections 4.1.2.1 and 5.2), and its meaning.
///
/// Every text in it is printable, on one line and cut. Texts that look like tokens, and sent secrets, are replaced.
package struct ErrorResponse: Sendable {
  /// The request that the error answers.
  package enum Place: Sendable, Equatable {
    /// The sign-in page, which returns the error in its redirect.
    case callback
    /// A request with an authorization code, or a request for a device code.
    case code
    /// A request with a device code.
    case device
    /// A request with a refresh token, with or without claims that the caller added.
    case refresh(addsClaims: Bool)

    var isRefresh: Bool { self == .refresh(addsClaims: true) || self == .refresh(addsClaims: false) }
  }

  private let place: Place
  /// The kind of the authority.
  private let service: Authority.Kind
  /// The OAuth `error`, for example `invalid_grant`, or `nil` if the response is not an OAuth error.
  package private(set) var error: String?
  /// The `error_description` without the ids that Microsoft's services append, at most 400 characters.
  package private(set) var description: String?
  /// The provider's own code, for example `AADB2C90118` or `AADSTS50058`.
  private(set) var code: String?
  /// The `suberror`, for example `bad_token`, or in a callback the `error_subcode`.
  package private(set) var suberror: String?
  /// The HTTP status, or `nil` if the error arrived in a redirect.
  private var status: Int?
  /// Whether the response had no body.
  private var isEmpty = false
  /// The number of seconds that the server asks to wait (`Retry-After`).
  private var retryAfter: Double?
  /// The claims that the server demands, as JSON text.
  private var claims: String?
  /// The `correlation_id` in the response.
  private var correlationID: UUID?
}

// MARK: - Reading

extension ErrorResponse {
  /// Reads the error in the decoded parameters of a callback (RFC 6749 section 4.1.2.1).
  package init(callback parameter: (String) -> String?, at service: Authority.Kind, hiding secrets: [Secret]) {
    self.init(place: .callback, service: service)
    let names = ["error": "error", "error_description": "error_description", "suberror": "error_subcode"]
    read(names.compactMapValues { parameter($0).map(JSONValue.string) }, secrets)
  }

  /// Reads a response that contains no tokens (RFC 6749 section 5.2).
  ///
  /// - Parameters:
  ///   - body: The body of the response.
  ///   - response: The status and header fields of the response.
  ///   - place: The request that was sent.
  ///   - service: The kind of the authority.
  ///   - secrets: The secrets in the request, which must not reappear in a description.
  package init(
    _ body: Data, _ response: HTTPURLResponse, to place: Place, at service: Authority.Kind, hiding secrets: [String]
  ) {
    self.init(place: place, service: service)
    status = response.statusCode
    retryAfter = RetryAfter.seconds(in: response)
    isEmpty = body.isEmpty
    guard let fields = try? JSONReader.object(body), fields["error"]?.string != nil else { return }
    read(fields, secrets.map { Secret($0) })
    if code == nil, let number = fields["error_codes"]?.array?.first?.double.flatMap(Int64.init(exactly:)) {
      code = "AADSTS\(number)"
    }
  }

  /// Reads the error of a page that the provider shows in place of its sign-in page, or returns `nil` if the page reports
  /// none.
  ///
  /// A page with an OAuth error or one of Microsoft's codes reports an error, whatever its status is. Any other page
  /// reports one only with a status of 400 to 499 except 429, and the error then shows the words of the page.
  package init?(page: Data, _ response: HTTPURLResponse, at service: Authority.Kind, hiding secrets: [Secret]) {
    self.init(page, response, to: .callback, at: service, hiding: secrets.map(\.value))
    guard error == nil else { return }
    let html = String(decoding: page.prefix(65_536), as: UTF8.self)
    let found = html.range(of: ServiceCode.pattern, options: .regularExpression)
    guard found != nil || (400..<500).contains(response.statusCode) && response.statusCode != 429 else { return nil }
    let words = found.map { Self.sentence(in: html[$0.lowerBound...]) } ?? PageText.words(of: page)
    read(["error_description": .string(words)], secrets)
    code = found.map { String(html[$0]) }
  }

  /// Returns the text from one of Microsoft's codes on, up to the next tag of a page or the quotation mark of a script.
  private static func sentence(in html: Substring) -> String {
    let text = String(
      decoding: html.utf8.prefix(4_096).prefix { $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: "\"") }, as: UTF8.self)
    // A script writes an apostrophe as \u0027, so the text is decoded as a JSON string.
    let json = Data(#"{"text":"\#(text)"}"#.utf8)
    return (try? JSONReader.object(json))?["text"]?.string ?? String(text.prefix { $0 != "\\" })
  }

  /// Returns the text of a page or a description as it may be shown.
  ///
  /// Entities are decoded, and the ids and the time that Microsoft's services append are removed.
  static func shown(_ words: String, _ text: PrintableText) -> String? {
    let decoded = PageText.decoded(words)
    let end = label("(correlation|trace|request) id|timestamp", in: decoded)?.lowerBound ?? decoded.endIndex
    return text.show(String(decoded[..<end]))
  }

  /// Reads the fields of the error, each as one line that is cut and contains no tokens.
  private mutating func read(_ fields: [String: JSONValue], _ secrets: [Secret]) {
    let text = PrintableText(hiding: secrets)
    func shown(_ name: String, limit: Int = 100) -> String? {
      fields[name]?.string.flatMap(text.limited(to: limit).show)
    }
    error = shown("error")
    let words = fields["error_description"]?.string ?? ""
    description = Self.shown(words, text.limited(to: 400))
    suberror = shown("suberror")
    // The app sends the claims back unchanged, so claims that seem to contain a token are dropped.
    claims = shown("claims", limit: 4_096).flatMap {
      $0.contains(PrintableText.replacement) || (try? JSONReader.object(Data($0.utf8))) == nil ? nil : $0
    }
    // Azure AD B2C writes its code and the correlation id into the description, so they are read from there.
    let start = String(decoding: words.utf8.prefix(8_192), as: UTF8.self)
    let id = Self.label("correlation id", in: start).flatMap { text.show(String(start[$0.upperBound...].prefix(36))) }
    // Hide the secrets first, because some providers use UUIDs as refresh tokens and codes.
    correlationID = [shown("correlation_id"), id].lazy.compactMap { $0.flatMap(UUID.init(uuidString:)) }.first
    code = start.range(of: "^\(ServiceCode.pattern)(?=[:\\s]|$)", options: .regularExpression).map { String(start[$0]) }
  }

  /// Returns the range of a label, of the colon after it and of the spaces around the colon.
  private static func label(_ label: String, in text: String) -> Range<String.Index>? {
    text.range(of: "(\(label)) *: *", options: [.regularExpression, .caseInsensitive])
  }
}

// MARK: - The table

extension ErrorResponse {
  /// The meaning of the error, by the first rule that matches.
  private var meaning: ServiceCode {
    func means(
      _ code: ErrorCode, _ suggestion: String? = nil, isRetryable: Bool? = nil, endsSession: Bool = false
    ) -> ServiceCode {
      let refused = error.map { "The provider refused with \($0)." }
      return ServiceCode(
        code: code, meaning: refused ?? "The provider answered \(status ?? 0) without an OAuth error.",
        suggestion: suggestion, isRetryable: isRetryable, endsSession: endsSession)
    }
    let again = "Sign in again."
    let later = "Try again later."
    let known = code.flatMap(ServiceCode.named)
    // Only the status counts here, because a busy or failing server may name any error in its body.
    if let temporary = status.flatMap(ErrorCode.init(temporaryStatus:)) {
      return means(temporary, known?.suggestion ?? later)
    }
    if let known { return known }
    if place.isRefresh, meansRefreshTokenIsRefused {
      // Without added claims, only the token can be the reason. With them, only `invalid_grant` is surely about the
      // token.
      let endsSession = place == .refresh(addsClaims: false) || error == "invalid_grant"
      return means(.interactionRequired, plainSuggestion ?? again, endsSession: endsSession)
    }
    guard let error else {
      // A firewall or proxy may have sent this page, so the session may work again later.
      let isPassing = place.isRefresh && !isEmpty && isRefusal
      let wrong = place == .callback ? "the client ID, the redirect URI and the scopes" : "the authority"
      return means(.invalidResponse, isPassing ? later : "Check \(wrong) in the settings.", isRetryable: isPassing)
    }
    return switch error {
    case "interaction_required", "login_required", "consent_required", "account_selection_required", "invalid_grant":
      means(.interactionRequired, again)
    case "unsupported_response_type", "invalid_request",
      _ where Self.aboutTheRequest.contains(error):
      means(.configuration, plainSuggestion)
    // Azure AD B2C sends `server_error` for nearly every failure. Together with a code, it is a definite refusal.
    case "server_error" where code?.hasPrefix("AADB2C") == true: means(.server)
    case "temporarily_unavailable", "server_error": means(.serviceUnavailable)
    case "slow_down": means(.throttled)
    case "access_denied" where isOfUser, "authorization_declined":
      ServiceCode(code: .userCancelledInPage, meaning: "The user declined.")
    case "access_denied":
      means(.accessDenied, "Show the user the server's words. Another user can sign in with `prompt: .login`.")
    default: means(.server)
    }
  }

  /// Whether the provider says that the user denied access.
  ///
  /// `access_denied` alone does not say so (RFC 6749 section 4.1.2.1: "the resource owner or authorization server"),
  /// and Azure AD B2C sends it for nearly every failure.
  private var isOfUser: Bool {
    guard code == nil, place == .callback else {
      // In the device flow it is the user's decision (RFC 8628 section 3.5). Other requests do not involve the user.
      return code == nil && place == .device
    }
    // Authlib sends this sentence of RFC 6749 with every `access_denied`, so it does not mean that the user denied it.
    let nothing = "the resource owner or authorization server denied the request"
    let user = [
      "user did not authorize the request",
      "the user has denied access to the scope requested by the client application",
    ]
    let words = description?.lowercased().trimmingCharacters(in: ["."]) ?? nothing
    return suberror == "cancel" || user.contains(words) || words == nothing && service != .b2c
  }

  /// Whether a provider that is not Microsoft's refuses the refresh token, and not the app or the scopes.
  ///
  /// Providers use different errors for this (RFC 6749 section 5.2), so every refusal counts that names neither, and
  /// also one without a body. At Microsoft's services `invalid_grant` alone proves nothing.
  private var meansRefreshTokenIsRefused: Bool {
    // Some servers send a temporary error with a status of 400 to 499, which says nothing about the token.
    let temporary = ["temporarily_unavailable", "server_error", "slow_down"]
    guard !service.isMicrosoft, code == nil, let error = error ?? (isEmpty ? "" : nil) else { return false }
    return isRefusal && !(Self.aboutTheRequest + temporary).contains(error)
  }

  private static let aboutScopes = ["invalid_scope", "invalid_resource", "invalid_target"]
  /// The errors about the app or the scopes, which any token or code would get.
  private static let aboutTheRequest =
    ["invalid_client", "unauthorized_client", "unsupported_grant_type"] + aboutScopes

  /// Whether the status is that of a refusal, which for some servers includes 200.
  private var isRefusal: Bool { [200, 400, 401, 403].contains(status) }

  /// The advice for an error of RFC 6749, if the provider sent no code of its own.
  private var plainSuggestion: String? {
    guard code == nil else { return nil }
    return switch error {
    case "invalid_client", "unauthorized_client":
      "Check the client ID, and register the app as a public client, because no client secret is sent."
    case "invalid_scope": "Compare the scopes with those that the provider offers to this client."
    case "invalid_resource", "invalid_target":
      "Compare the API's name in the scopes with the API's registration, which must exist where the user signs in."
    default: nil
    }
  }

  /// Returns the error as a ``ConnectorError``.
  ///
  /// - Parameters:
  ///   - scopes: The scopes that were sent.
  ///   - policy: The policy of the request.
  ///   - sent: The correlation id of the request, or `nil` if the provider has not received it.
  /// - Returns: The error with everything that the provider said.
  package func asError(
    scopes: [String] = [], policy: Policy? = nil, correlationID sent: UUID? = nil
  ) -> ConnectorError {
    let meaning = meaning
    var message = meaning.meaning
    if Self.aboutScopes.contains(error ?? "") || ServiceCode.aboutScopes.contains(code ?? ""), !scopes.isEmpty {
      message += " The scopes were \(scopes.joined(separator: " "))."
    }
    if meaning.code == .configuration || code == "AADB2C90088", let policy {
      message += " The policy was \(policy.id)."
    }
    var typed = ConnectorError(
      own: meaning.code, message, recoverySuggestion: meaning.suggestion, isRetryable: meaning.isRetryable,
      status: status, correlationID: correlationID ?? sent)
    typed.retryAfter = retryAfter
    typed.oauthError = error
    typed.serverCode = code
    typed.serverDescription = description
    typed.claims = claims
    // The provider's own code is definite, whatever `error` accompanies it, and so is Microsoft's `bad_token`.
    let isDefinite = meaning.endsSession || error == "invalid_grant" && suberror == "bad_token"
    typed.endsSession = place.isRefresh && isRefusal && isDefinite
    return typed
  }
}
