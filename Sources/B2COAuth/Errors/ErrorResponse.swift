internal import B2CAuthority
internal import B2CCore
internal import Foundation

/// What the sign-in service answered instead of what was asked for (RFC 6749 sections 4.1.2.1 and 5.2), and what it means.
///
/// Every text in it is printable, on one line and cut; what looks like a token, or was sent, is replaced.
struct ErrorResponse: Sendable {
  /// Where an answer came.
  enum Place: Sendable, Equatable {
    /// By a redirect from the user's page.
    case callback
    /// To a code, or to the request for a device code.
    case code
    /// To a device code.
    case device
    /// To a refresh token, with claims that the caller has added or without.
    case refresh(addsClaims: Bool)

    var isRefresh: Bool { self == .refresh(addsClaims: true) || self == .refresh(addsClaims: false) }
  }

  private let place: Place
  /// The kind of the authority that was asked.
  private let service: Authority.Kind
  /// The OAuth `error`, such as `invalid_grant`; `nil` for an answer that is not one of the protocol.
  private(set) var error: String?
  /// The `error_description` without the ids that Microsoft's services append, at most 400 characters.
  private(set) var description: String?
  /// The service's own code, such as `AADB2C90118` or `AADSTS50058`.
  private(set) var code: String?
  /// The `suberror`, such as `bad_token`; in a callback the `error_subcode`.
  private(set) var suberror: String?
  /// The HTTP status; `nil` when the answer came by redirect.
  private var status: Int?
  /// Whether there was no body at all.
  private var isEmpty = false
  /// How many seconds the server asks to wait (`Retry-After`).
  private var retryAfter: Double?
  /// The `claims` the server wants satisfied, as JSON text.
  private var claims: String?
  /// The `correlation_id` of the answer.
  private var correlationID: UUID?
}

// MARK: - Reading

extension ErrorResponse {
  /// Reads the error of a callback, decoded from its form (RFC 6749 section 4.1.2.1).
  init(callback parameter: (String) -> String?, at service: Authority.Kind, hiding secrets: [Secret]) {
    self.init(place: .callback, service: service)
    let names = ["error": "error", "error_description": "error_description", "suberror": "error_subcode"]
    read(names.compactMapValues { parameter($0).map(JSONValue.string) }, secrets)
  }

  /// Reads an answer without tokens to a request (RFC 6749 section 5.2).
  ///
  /// - Parameters:
  ///   - body: The answer's body.
  ///   - response: The answer's head.
  ///   - place: What was sent.
  ///   - service: The kind of the authority.
  ///   - secrets: What was sent and must not come back in a description.
  init(
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

  /// Reads a page that came in place of an answer; `nil` for a page that refuses nothing.
  ///
  /// An OAuth error refuses, and one of Microsoft's codes, whatever the status is. Without them a status of the 400s refuses,
  /// except 429, in the words of the page.
  init?(page: Data, _ response: HTTPURLResponse, at service: Authority.Kind, hiding secrets: [Secret]) {
    self.init(page, response, to: .callback, at: service, hiding: secrets.map(\.value))
    guard error == nil else { return }
    let html = String(decoding: page.prefix(65_536), as: UTF8.self)
    let found = html.range(of: ServiceCode.pattern, options: .regularExpression)
    guard found != nil || (400..<500).contains(response.statusCode) && response.statusCode != 429 else { return nil }
    let words = found.map { Self.sentence(in: html[$0.lowerBound...]) } ?? PageText.words(of: page)
    read(["error_description": .string(words)], secrets)
    code = found.map { String(html[$0]) }
  }

  /// The text that begins with one of Microsoft's codes: in a page up to the next tag, in a script up to the quotation mark.
  private static func sentence(in html: Substring) -> String {
    let text = String(
      decoding: html.utf8.prefix(4_096).prefix { $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: "\"") }, as: UTF8.self)
    // A script writes an apostrophe as \u0027.
    let json = Data(#"{"text":"\#(text)"}"#.utf8)
    return (try? JSONReader.object(json))?["text"]?.string ?? String(text.prefix { $0 != "\\" })
  }

  /// Returns the words of a page or a description as they may be shown: entities decoded, without the ids and the time that
  /// Microsoft's services append.
  static func shown(_ words: String, _ text: PrintableText) -> String? {
    let decoded = PageText.decoded(words)
    let end = label("(correlation|trace|request) id|timestamp", in: decoded)?.lowerBound ?? decoded.endIndex
    return text.show(String(decoded[..<end]))
  }

  /// Takes over what the server said, each field by the same rule: one line, cut, without tokens.
  private mutating func read(_ fields: [String: JSONValue], _ secrets: [Secret]) {
    let text = PrintableText(hiding: secrets)
    func shown(_ name: String, limit: Int = 100) -> String? {
      fields[name]?.string.flatMap(text.limited(to: limit).show)
    }
    error = shown("error")
    let words = fields["error_description"]?.string ?? ""
    description = Self.shown(words, text.limited(to: 400))
    suberror = shown("suberror")
    // The claims are sent back as they are: with a token in them they are not the service's.
    claims = shown("claims", limit: 4_096).flatMap {
      $0.contains(PrintableText.replacement) || (try? JSONReader.object(Data($0.utf8))) == nil ? nil : $0
    }
    // Azure AD B2C writes its code and the correlation id into the description.
    let start = String(decoding: words.utf8.prefix(8_192), as: UTF8.self)
    let id = Self.label("correlation id", in: start).flatMap { text.show(String(start[$0.upperBound...].prefix(36))) }
    // What was sent is hidden first, because some providers' refresh tokens and codes are UUIDs too.
    correlationID = [shown("correlation_id"), id].lazy.compactMap { $0.flatMap(UUID.init(uuidString:)) }.first
    code = start.range(of: "^\(ServiceCode.pattern)(?=[:\\s]|$)", options: .regularExpression).map { String(start[$0]) }
  }

  /// The place of a label, of the colon behind it, and of the spaces around that.
  private static func label(_ label: String, in text: String) -> Range<String.Index>? {
    text.range(of: "(\(label)) *: *", options: [.regularExpression, .caseInsensitive])
  }
}

// MARK: - The table

extension ErrorResponse {
  /// What the answer means: the first rule that fits.
  private var meaning: ServiceCode {
    func means(
      _ code: ErrorCode, _ suggestion: String? = nil, isRetryable: Bool? = nil, endsSession: Bool = false
    ) -> ServiceCode {
      let refused = error.map { "The server refused with \($0)." }
      return ServiceCode(
        code: code, meaning: refused ?? "The service answered \(status ?? 0) without an OAuth error.",
        suggestion: suggestion, isRetryable: isRetryable, endsSession: endsSession)
    }
    let again = "Sign in again."
    let later = "Try again later."
    let known = code.flatMap(ServiceCode.named)
    // By the status alone: a busy or failing server may name any error in its body.
    if let temporary = status.flatMap(ErrorCode.init(temporaryStatus:)) {
      return means(temporary, known?.suggestion ?? later)
    }
    if let known { return known }
    if place.isRefresh, meansRefreshTokenIsRefused {
      // It can be of nothing but the token, unless the caller added claims, which may be what is refused.
      let endsSession = place == .refresh(addsClaims: false) || error == "invalid_grant"
      return means(.interactionRequired, plainSuggestion ?? again, endsSession: endsSession)
    }
    guard let error else {
      // A page of something between, such as a firewall: a session is worth another try.
      let isPassing = place.isRefresh && !isEmpty && isRefusal
      let wrong = place == .callback ? "client ID, redirect URI and scopes" : "the authority"
      return means(.invalidResponse, isPassing ? later : "Check \(wrong) in the settings.", isRetryable: isPassing)
    }
    return switch error {
    case "interaction_required", "login_required", "consent_required", "account_selection_required", "invalid_grant":
      means(.interactionRequired, again)
    case "unsupported_response_type", "invalid_request",
      _ where Self.aboutTheRequest.contains(error):
      means(.configuration, plainSuggestion)
    // Azure AD B2C says server_error of nearly everything; with a code it is a definite no.
    case "server_error" where code?.hasPrefix("AADB2C") == true: means(.server)
    case "temporarily_unavailable", "server_error": means(.serviceUnavailable)
    case "slow_down": means(.throttled)
    case "access_denied" where isOfUser, "authorization_declined":
      ServiceCode(code: .userCancelledInPage, meaning: "The user declined.")
    case "access_denied":
      means(.accessDenied, "Show the user the server's words; with `prompt: .selectAccount` another user can sign in.")
    default: means(.server)
    }
  }

  /// Whether the service says that it was the user who denied access, which `access_denied` alone does not say (RFC 6749
  /// section 4.1.2.1: "the resource owner or authorization server"); Azure AD B2C says it of nearly everything.
  private var isOfUser: Bool {
    guard code == nil, place == .callback else {
      // RFC 8628 section 3.5: there it is the user's answer. Elsewhere no user was asked.
      return code == nil && place == .device
    }
    // RFC 6749's own sentence says no more than the code: Authlib sends it with every one.
    let nothing = "the resource owner or authorization server denied the request"
    let user = [
      "user did not authorize the request",
      "the user has denied access to the scope requested by the client application",
    ]
    let words = description?.lowercased().trimmingCharacters(in: ["."]) ?? nothing
    return suberror == "cancel" || user.contains(words) || words == nothing && service != .b2c
  }

  /// Whether a provider that is not Microsoft's refuses a refresh for the token and not for the app or the scopes.
  ///
  /// A refusal that names neither is one, since providers differ in the error they give (RFC 6749 section 5.2); so is an
  /// answer without a body. With Microsoft's services `invalid_grant` alone is no proof.
  private var meansRefreshTokenIsRefused: Bool {
    // A server that says "later" in a status of the 400s says nothing about the token either.
    let temporary = ["temporarily_unavailable", "server_error", "slow_down"]
    guard !service.isMicrosoft, code == nil, let error = error ?? (isEmpty ? "" : nil) else { return false }
    return isRefusal && !(Self.aboutTheRequest + temporary).contains(error)
  }

  private static let aboutScopes = ["invalid_scope", "invalid_resource", "invalid_target"]
  /// The errors about the app or the scopes, whatever token or code is sent.
  private static let aboutTheRequest =
    ["invalid_client", "unauthorized_client", "unsupported_grant_type"] + aboutScopes

  /// Whether the status is one of a refusal; some servers send an error with 200.
  private var isRefusal: Bool { [200, 400, 401, 403].contains(status) }

  /// The advice on an error of RFC 6749 from a server that says no more by a dedicated code.
  private var plainSuggestion: String? {
    guard code == nil else { return nil }
    return switch error {
    case "invalid_client", "unauthorized_client":
      "Check the client ID, and register the app as a public client: no client secret is sent."
    case "invalid_scope": "Compare the scopes with those that the server offers to this client."
    case "invalid_resource", "invalid_target":
      "Compare the API's name in the scopes with the API's registration, which has to be known where the user signs in."
    default: nil
    }
  }

  /// Returns the error of this answer.
  ///
  /// - Parameters:
  ///   - scopes: The scopes that were sent.
  ///   - policy: The policy of the request.
  ///   - sent: The id of the request as far as the server knows it.
  /// - Returns: The error, with everything the server said.
  func asError(scopes: [String] = [], policy: Policy? = nil, correlationID sent: UUID? = nil) -> ConnectorError {
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
    // The service's own code is definite, whatever `error` it comes with, and so is what Microsoft's say of a bad token.
    let isDefinite = meaning.endsSession || error == "invalid_grant" && suberror == "bad_token"
    typed.endsSession = place.isRefresh && isRefusal && isDefinite
    return typed
  }
}
