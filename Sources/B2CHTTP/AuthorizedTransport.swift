internal import B2CCore
package import Foundation

/// An access token (RFC 6750) with the id of its user, so that a request is never repeated with another user's token.
///
/// The id is `nil` if the source of the tokens does not know users.
package typealias BearerToken = (token: Secret, userID: String?)

/// A source of valid access tokens.
///
/// The parameter is `nil` for the first try. After a `401` it is the refused token, and the result must belong to the
/// same user, even if another user has signed in meanwhile. If there is no newer token, the closure returns the refused
/// one again or throws.
package typealias BearerTokens = @Sendable (_ refused: BearerToken?) async throws -> BearerToken

/// A transport that sends requests with the user's bearer token (RFC 6750), but only to allowed origins.
package struct AuthorizedTransport: Sendable {
  /// The transport for each request, which retries for other reasons than a refused token.
  private let transport: RetryingTransport
  /// The source of the bearer tokens.
  private let tokens: BearerTokens
  /// The origins to which tokens may be sent.
  private let allowedOrigins: Set<Origin>

  /// Creates a transport.
  package init(_ transport: RetryingTransport, tokens: @escaping BearerTokens, allowedOrigins: Set<Origin>) {
    self.transport = transport
    self.tokens = tokens
    self.allowedOrigins = allowedOrigins
  }

  /// Sends a request with a token.
  ///
  /// After a `401` it asks for another token of the same user and sends the request again, even if the request is not
  /// idempotent, because the API did not carry out a request it refused. If there is no other token, the request is not
  /// sent again. The deadline does not include the time in which tokens are requested.
  ///
  /// - Parameters:
  ///   - request: The request, whose `Authorization` field is replaced.
  ///   - limits: The limits, whose deadline is for all tries together.
  ///   - isIdempotent: Whether sending the request twice has the same effect as sending it once. With `nil`, the
  ///     default, only `GET` and `HEAD` count as idempotent.
  ///   - history: Records the tokens that are sent, and whether a try may have changed something.
  /// - Returns: The response, whatever its status is, except for a refused token.
  /// - Throws: ``ConnectorError`` with code `originNotAllowed` before anything is sent; `unauthorized` after a second
  ///   `401`, or if there is no other token; `insufficientScope` or `claimsRequired` if the API says so; the errors of
  ///   ``RetryingTransport``. `CancellationError` if the task is cancelled. The error of the source of the tokens,
  ///   which is the `underlying` error of an error with code `other` if a try may have changed something.
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
      // Do not send a token that was just refused, do not repeat the request as another user, and do not send it late.
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

  /// Returns a request with a token, so that the app can send it by itself.
  ///
  /// - Parameter request: The request, whose `Authorization` field is replaced.
  /// - Returns: The request with a token.
  /// - Throws: ``ConnectorError`` with code `originNotAllowed` before a token is requested; the error of the source of
  ///   the tokens.
  package func authorized(_ request: URLRequest) async throws -> URLRequest {
    try check(request)
    return Self.attach(try await tokens(nil), to: request)
  }

  private func check(_ request: URLRequest) throws {
    // This also refuses plain http, because others on the network could read the token.
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
    // `setValue` silently drops a token with characters that HTTP forbids. Setting the dictionary keeps it, so that
    // sending fails with an error.
    let fields = request.allHTTPHeaderFields ?? [:]
    request.allHTTPHeaderFields = fields.merging(["Authorization": "Bearer " + token.token.value]) { $1 }
    return request
  }
}

extension ConnectorError {
  /// Creates the error for a refused token (RFC 6750 section 3.1), or `nil` if the response refuses none.
  ///
  /// - Parameters:
  ///   - answer: The response.
  ///   - request: The request.
  ///   - isReplacement: Whether the refused token has already replaced another one.
  ///   - secrets: The tokens that were sent, which are hidden in the error's texts if the API repeats them.
  package init?(
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

/// The bearer challenges in `WWW-Authenticate` (RFC 6750 section 3, RFC 9110 section 11.6.1).
///
/// A challenge is a dictionary of its parameters by lower-case name. If a name occurs twice, the first value counts.
package enum AuthenticationChallenge {
  /// Matches a word, with or without a value that may be quoted, or a comma, or a quoted text without a name.
  private static let piece = Pattern(
    /([^ \t\r\n,="]++)(?:[ \t\r\n]*+=[ \t\r\n]*+(?:"((?:[^"\\]|\\.?)*+)"?|([^ \t\r\n,]*+)))?+|,|"(?:[^"\\]|\\.?)*+"?/
      .dotMatchesNewlines().matchingSemantics(.unicodeScalar))
  /// Matches an escaped character in a quoted text (RFC 9110 section 5.6.4).
  private static let escape = Pattern(/\\(.)/.dotMatchesNewlines().matchingSemantics(.unicodeScalar))

  /// Returns the parameters of the response's most specific bearer challenge, or none if it has no challenge.
  ///
  /// The first challenge with claims is taken, otherwise the first with an error, otherwise the first.
  package static func parameters(in response: HTTPURLResponse) -> [String: String] {
    // No known service sends a longer field, and a very long one would take long to parse.
    let start = (response.value(forHTTPHeaderField: "WWW-Authenticate") ?? "").utf8.prefix(8_192)
    let all = parse(CombiningMarks.cut(String(decoding: start, as: UTF8.self)))
    let named = { (name: String) in all.first { $0[name] != nil } }
    return named("claims") ?? named("error") ?? all.first ?? [:]
  }

  /// Parses the value of a header field into its bearer challenges, in order, without those of other schemes.
  ///
  /// Commas and a last quotation mark may be missing. The quantifiers of the pattern never backtrack, so the time grows
  /// linearly with the length of the text.
  ///
  /// - Parameter text: The value of `WWW-Authenticate`, with several fields joined by commas.
  /// - Returns: The challenges, or none if no challenge is for a bearer token.
  package static func parse(_ text: String) -> [[String: String]] {
    var found: [[String: String]] = []
    var isBearer = false
    // The name of a scheme is the first word, or follows a comma. Other words without a value are parts of unquoted
    // values.
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

  /// Returns the claims that a new token needs, as JSON for the `claims` parameter of an authorization request, or
  /// `nil` if they are not a JSON object of at most 4 KiB.
  ///
  /// Microsoft's services send the claims in Base64, in either alphabet and with or without padding, but plain JSON is
  /// read too. The claims become part of the URL of the next sign-in page, where a token must never appear. So they are
  /// refused if they contain a token that was sent, even if it is JSON-escaped, percent-encoded or in Base64.
  ///
  /// - Parameters:
  ///   - text: The parameter `claims` of a challenge.
  ///   - secrets: The tokens that were sent.
  /// - Returns: The claims as JSON.
  package static func claims(_ text: String, hiding secrets: [Secret] = []) -> String? {
    var json = text
    if !json.hasPrefix("{") {
      let bytes = Base64URL.decode(String(Base64URL.urlSafe(json).prefix { $0 != "=" }))
      json = bytes.flatMap { String(bytes: $0, encoding: .utf8) } ?? ""
    }
    guard !CombiningMarks.areTooMany(in: json) else { return nil }
    // Longer claims are cut here, which makes them invalid JSON, so the parser below refuses them.
    json = PrintableText.plain(json, limit: 4_096)
    guard let object = try? JSONReader.object(Data(json.utf8)) else { return nil }
    // Write claims and secrets with the fewest possible escapes, so that a secret inside a claim looks like the secret.
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
