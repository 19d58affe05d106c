internal import B2CCore
package import Foundation

/// An access token (RFC 6750) and the id of its user, `nil` where no users are known; they travel together, so that no
/// request is repeated for another user.
package typealias BearerToken = (token: Secret, userID: String?)

/// Returns an access token that is valid now.
///
/// It is given the token that the API has just answered `401` to, `nil` for the first try. The replacement is for the same
/// user, also when another one has signed in meanwhile. If there is no newer token, the closure
/// returns the refused one again or throws.
package typealias BearerTokens = @Sendable (_ refused: BearerToken?) async throws -> BearerToken

/// Sends requests with the user's bearer token to those origins that may see it (RFC 6750).
package struct AuthorizedTransport: Sendable {
  /// The transport of each token's request, with retries for other reasons than the token.
  private let transport: RetryingTransport
  /// The source of the bearer tokens.
  private let tokens: BearerTokens
  /// The origins that tokens may be sent to.
  private let allowedOrigins: Set<Origin>

  /// Makes an authorised transport.
  package init(_ transport: RetryingTransport, tokens: @escaping BearerTokens, allowedOrigins: Set<Origin>) {
    self.transport = transport
    self.tokens = tokens
    self.allowedOrigins = allowedOrigins
  }

  /// Sends a request with a token.
  ///
  /// A `401` marks the token as refused, gets another one of the same user, and sends the request once more; also one
  /// that is not idempotent, since a refused request was not carried out. Without another one it is not sent again.
  /// Waiting for tokens does not count against the deadline.
  ///
  /// - Parameters:
  ///   - request: The request. An `Authorization` field in it is replaced.
  ///   - limits: The limits; the deadline counts for all tries together.
  ///   - isIdempotent: Whether sending it twice has the effect of sending it once; `nil` goes by the method.
  ///   - history: Told the tokens that are sent, and whether a try may have changed something.
  /// - Returns: The answer; any status but those that are thrown.
  /// - Throws: ``ConnectorError``, with what is known of the outcome: `originNotAllowed` before anything else happens;
  ///   `unauthorized` on a second `401` and where there is no other token, `insufficientScope` or `claimsRequired` when the
  ///   API says so; what ``RetryingTransport`` throws. `CancellationError`. Whatever the source of the tokens throws, as the
  ///   `underlying` one of an error `other` after a try that may have changed something.
  package func send(
    _ request: URLRequest, limits: TransportLimits, isIdempotent: Bool? = nil, noting history: inout RequestHistory
  ) async throws -> (Data, HTTPURLResponse) {
    do {
      try check(request)
      let token = try await tokens(nil)
      let stopwatch = Stopwatch(transport.clock)
      history.bearerTokens.append(token.token)
      let first = try await transport.send(
        Self.attach(token, to: request), limits: limits, isIdempotent: isIdempotent, noting: &history)
      let refused = ConnectorError(refusal: first, of: request, isReplacement: false, hiding: history.bearerTokens)
      guard var refusal = refused else { return first }
      guard refusal.code == .unauthorized else { throw refusal }

      var rest = limits
      rest.deadline -= stopwatch.elapsed
      let newToken = try await tokens(token)
      if newToken.token == token.token {
        refusal.recoverySuggestion = """
          The API refused the token although it is new. The SDK renewed it, or tried to, less than a minute ago. \
          `accessToken(forceRefresh: true)` or a sign-in shows whether the session has ended. If it has not, check that \
          the token's audience and issuer are those that the API expects.
          """
      }
      // A token that was refused is not sent again, nor is the request sent for another user, or after its deadline.
      guard newToken.token != token.token, newToken.userID == token.userID, rest.deadline > .zero else { throw refusal }
      history.bearerTokens.append(newToken.token)
      await transport.onRetry(refusal.code)
      let second = try await transport.send(
        Self.attach(newToken, to: request), limits: rest, isIdempotent: isIdempotent, noting: &history)
      let last = ConnectorError(refusal: second, of: request, isReplacement: true, hiding: history.bearerTokens)
      if let last { throw last }
      return second
    } catch {
      throw Task.isCancelled ? CancellationError() : history.naming(error)
    }
  }

  /// Returns a request with a token attached, to be sent by other means.
  ///
  /// - Parameter request: The request; an `Authorization` field in it is replaced.
  /// - Returns: The request with its token.
  /// - Throws: ``ConnectorError`` with code `originNotAllowed` before a token is asked for; whatever the source of the
  ///   tokens throws.
  package func authorized(_ request: URLRequest) async throws -> URLRequest {
    try check(request)
    return Self.attach(try await tokens(nil), to: request)
  }

  private func check(_ request: URLRequest) throws {
    // In plain text a token is anyone's who can read the network, whatever the transport does.
    guard let origin = request.url.flatMap(Origin.init(allowed:)), allowedOrigins.contains(origin) else {
      let origin = request.url.flatMap { Origin($0) }
      let origins = allowedOrigins.map(\.description).sorted().joined(separator: ", ")
      throw ConnectorError(
        own: .originNotAllowed,
        "No token may be sent to \(origin?.description ?? "such a URL"), only to \(origins.isEmpty ? "no origin" : origins).",
        recoverySuggestion: "Add it to `allowedAPIs` if it may see the token. Plain http is for this machine only."
      ).about(request)
    }
  }

  private static func attach(_ token: BearerToken, to request: URLRequest) -> URLRequest {
    var request = request
    request.setValue(nil, forHTTPHeaderField: "Authorization")
    // Foundation's `setValue` leaves out what HTTP forbids, where a refusal has to say so.
    let fields = request.allHTTPHeaderFields ?? [:]
    request.allHTTPHeaderFields = fields.merging(["Authorization": "Bearer " + token.token.value]) { $1 }
    return request
  }
}

extension ConnectorError {
  /// Makes the error of a token's refusal (RFC 6750 section 3.1); `nil` for any other answer.
  ///
  /// - Parameters:
  ///   - answer: The answer.
  ///   - request: The request.
  ///   - isReplacement: Whether the refused token has replaced another one.
  ///   - secrets: The tokens that were sent; one that the API repeats is hidden in the error's texts.
  init?(
    refusal answer: (body: Data, head: HTTPURLResponse), of request: URLRequest, isReplacement: Bool,
    hiding secrets: [Secret]
  ) {
    let status = answer.head.statusCode
    guard status == 401 || status == 403 else { return nil }
    let challenge = AuthenticationChallenge.parameters(in: answer.head)
    let (error, text) = (challenge["error"], PrintableText(hiding: secrets))
    if challenge["claims"] != nil {
      self.init(
        own: .claimsRequired, "The API answered \(status), because it wants a token with more claims.",
        recoverySuggestion: "Get a token with the error's `claims`. If that asks for a sign-in, sign in with them.")
    } else if error == "insufficient_scope" {
      let scope = challenge["scope"].flatMap(text.show).map { " “\($0)”" } ?? ""
      self.init(
        own: .insufficientScope, "The API answered \(status), because the token lacks the scope\(scope).",
        recoverySuggestion: "Get a token with that scope.")
    } else if status == 401 {
      let reason = error.flatMap(text.show).map { " (\($0))" } ?? ""
      let detail = isReplacement ? " to a new token too." : ", and there is no newer token to send."
      self.init(
        own: .unauthorized, "The API answered 401" + reason + detail,
        recoverySuggestion: "Check that the token's audience and issuer are those that the API expects.")
    } else {
      return nil
    }
    oauthError = error.flatMap(text.limited(to: 100).show)
    claims = challenge["claims"].flatMap { AuthenticationChallenge.claims($0, hiding: secrets) }
    self = about(request)
    add(answer.body, answer.head, hiding: secrets)
  }
}

/// Challenges for a bearer token in `WWW-Authenticate` (RFC 6750 section 3, RFC 9110 section 11.6.1), as their parameters
/// by lower-cased name; of two with one name the first counts.
enum AuthenticationChallenge {
  /// A word with or without a value, which may be quoted; a comma; a quotation that belongs to nothing.
  private static let piece = Pattern(
    /([^ \t\r\n,="]++)(?:[ \t\r\n]*+=[ \t\r\n]*+(?:"((?:[^"\\]|\\.?)*+)"?|([^ \t\r\n,]*+)))?+|,|"(?:[^"\\]|\\.?)*+"?/
      .dotMatchesNewlines().matchingSemantics(.unicodeScalar))
  /// An escape in a quotation (RFC 9110 section 5.6.4).
  private static let escape = Pattern(/\\(.)/.dotMatchesNewlines().matchingSemantics(.unicodeScalar))

  /// Returns the parameters of an answer's most specific bearer challenge; none when there is no challenge.
  ///
  /// The first challenge with claims counts, else the first with an error, else the first.
  static func parameters(in response: HTTPURLResponse) -> [String: String] {
    // No known service sends a longer challenge, and a very long one would take long to read.
    let start = (response.value(forHTTPHeaderField: "WWW-Authenticate") ?? "").utf8.prefix(8_192)
    let all = parse(CombiningMarks.cut(String(decoding: start, as: UTF8.self)))
    let named = { (name: String) in all.first { $0[name] != nil } }
    return named("claims") ?? named("error") ?? all.first ?? [:]
  }

  /// Parses the bearer challenges of a header field's value, in order; those of other schemes are left out.
  ///
  /// Commas may be missing, and a last quotation mark. Each byte is looked at a bounded number of times: no part of the
  /// expression gives back what it has taken.
  ///
  /// - Parameter text: The value of `WWW-Authenticate`; several fields joined with commas.
  /// - Returns: The challenges; empty when none is for a bearer token.
  static func parse(_ text: String) -> [[String: String]] {
    var found: [[String: String]] = []
    var isBearer = false
    // A scheme comes first or after a comma; a word elsewhere is the rest of a value without quotes.
    var mayBeScheme = true
    for match in text.matches(of: piece) {
      guard let word = match.1?.lowercased() else {
        if match.0 == "," { mayBeScheme = true }
        continue
      }
      if let value = match.2.map({ String($0.replacing(escape) { $0.output.1 }) }) ?? match.3.map(String.init) {
        if isBearer { found[found.count - 1].merge([word: value]) { first, _ in first } }
      } else if mayBeScheme {
        isBearer = word == "bearer"
        if isBearer { found.append([:]) }
      }
      mayBeScheme = false
    }
    return found
  }

  /// Returns the claims that a new token needs, as the JSON text for the `claims` parameter of an authorization request;
  /// `nil` when they are not a JSON object of at most 4 KiB.
  ///
  /// Microsoft's services send it in Base64, in either alphabet and with or without padding; plain JSON is taken too. The
  /// claims go into the URL of the next sign-in page. So they are refused if a name or a text in them has the token that
  /// was sent, after every JSON escape is decoded, also percent-encoded or in Base64.
  ///
  /// - Parameters:
  ///   - text: The parameter `claims` of a challenge.
  ///   - secrets: The tokens that were sent.
  /// - Returns: The claims as JSON.
  static func claims(_ text: String, hiding secrets: [Secret] = []) -> String? {
    var json = text
    if !json.hasPrefix("{") {
      let bytes = Base64URL.decode(String(Base64URL.urlSafe(json).prefix { $0 != "=" }))
      json = bytes.flatMap { String(bytes: $0, encoding: .utf8) } ?? ""
    }
    guard !CombiningMarks.areTooMany(in: json) else { return nil }
    // Longer claims are cut here, and the parser below then refuses them.
    json = PrintableText.plain(json, limit: 4_096)
    guard let object = try? JSONReader.object(Data(json.utf8)) else { return nil }
    // The same claims with as few escapes as there can be, and the secrets as they are written there.
    let text = JSONValue.object(object).description
    let isSecret = secrets.map(\.value).flatMap {
      [$0, String(JSONValue.string($0).description.dropFirst().dropLast()), Base64URL.encode($0.utf8)]
    }.contains { secret in
      [json, text, FormEncoding.percentDecode(text), Base64URL.urlSafe(text)].contains {
        $0.range(of: secret, options: [.literal, .caseInsensitive]) != nil
      }
    }
    return isSecret ? nil : json
  }
}
