internal import B2CCore
package import Foundation

#if canImport(FoundationNetworking)
  package import FoundationNetworking
#endif

/// Sends requests with the user's bearer token to those origins that may see it (RFC 6750).
package struct AuthorizedTransport: HTTPTransport {
  private let transport: RetryingTransport
  private let tokens: any AccessTokenProvider
  private let allowedOrigins: Set<Origin>
  private let clock: any Clock<Duration>

  /// Makes an authorised transport.
  ///
  /// - Parameters:
  ///   - transport: The transport of each try.
  ///   - tokens: Where the bearer tokens come from.
  ///   - allowedOrigins: Where tokens may be sent to.
  ///   - retry: When a request is sent again for other reasons than its token.
  ///   - clock: The clock of waits and deadlines.
  ///   - now: The wall time, for a `Retry-After` that is a date.
  package init(
    transport: any HTTPTransport, tokens: any AccessTokenProvider, allowedOrigins: Set<Origin>,
    retry: RetryPolicy = RetryPolicy(), clock: any Clock<Duration> = ContinuousClock(),
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.transport = RetryingTransport(transport: transport, policy: retry, clock: clock, now: now)
    self.tokens = tokens
    self.allowedOrigins = allowedOrigins
    self.clock = clock
  }

  /// As ``send(_:limits:isIdempotent:noting:)``; `GET` and `HEAD` count as idempotent.
  package func send(_ request: URLRequest, limits: TransportLimits) async throws -> (Data, HTTPURLResponse) {
    var history = RequestHistory()
    return try await send(request, limits: limits, isIdempotent: nil, noting: &history)
  }

  /// Sends a request with a token.
  ///
  /// A `401` marks the token as refused, gets another one of the same user, and sends the request once more; also one
  /// that is not idempotent, since a refused request was not carried out. Without another one it is not sent again.
  /// Waiting for tokens does not count against the deadline.
  ///
  /// - Parameters:
  ///   - request: What to send; an `Authorization` field in it is replaced.
  ///   - limits: The limits; the deadline counts for all tries together.
  ///   - isIdempotent: Whether sending it twice has the effect of sending it once; `nil` goes by the method.
  ///   - history: Told the tokens that are sent, and whether a try may have changed something.
  /// - Returns: The answer; any status but those that are thrown.
  /// - Throws: ``APIAuthorizationError`` with `originNotAllowed` before anything else happens, with `unauthorized` on a
  ///   second `401` and where there is no other token, with `insufficientScope` or `claimsRequired` when the API says so;
  ///   ``TransportError``; `CancellationError`; whatever the token provider throws.
  package func send(
    _ request: URLRequest, limits: TransportLimits, isIdempotent: Bool?, noting history: inout RequestHistory
  ) async throws -> (Data, HTTPURLResponse) {
    try check(request)
    let token = try await tokens.accessToken(replacing: nil)
    let stopwatch = Stopwatch(clock)
    let first = try await send(request, limits, isIdempotent, with: token, noting: &history)
    guard first.1.statusCode == 401 else { return first }

    let elapsedSoFar = stopwatch.elapsed
    let newToken = try await tokens.accessToken(replacing: token)
    // A token that was refused is not sent again, nor is the request sent for another user.
    guard newToken.token != token.token, newToken.userID == token.userID else {
      throw APIAuthorizationError(refused: first, isReplacement: false, hiding: history.bearerTokens)
    }
    var rest = limits
    rest.deadline -= elapsedSoFar
    let second = try await send(request, rest, isIdempotent, with: newToken, noting: &history)
    guard second.1.statusCode == 401 else { return second }
    throw APIAuthorizationError(refused: second, isReplacement: true, hiding: history.bearerTokens)
  }

  /// Sends a request with one token, with retries for other reasons than the token.
  private func send(
    _ request: URLRequest, _ limits: TransportLimits, _ isIdempotent: Bool?, with token: BearerToken,
    noting history: inout RequestHistory
  ) async throws -> (Data, HTTPURLResponse) {
    history.bearerTokens.append(token.token)
    let answer = try await transport.send(
      Self.attach(token, to: request), limits: limits, isIdempotent: isIdempotent, noting: &history)
    // A busy server or gateway has not looked at the token.
    let status = answer.1.statusCode
    if ![401, 408, 429].contains(status), status < 500 { tokens.noteAccepted(token) }
    if let error = APIAuthorizationError(definite: answer, hiding: history.bearerTokens) { throw error }
    return answer
  }

  /// Returns a request with a token attached, to be sent by other means.
  ///
  /// - Parameter request: The request; an `Authorization` field in it is replaced.
  /// - Returns: The request with its token.
  /// - Throws: ``APIAuthorizationError`` with `originNotAllowed` before a token is asked for; whatever the token provider
  ///   throws.
  package func authorized(_ request: URLRequest) async throws -> URLRequest {
    try check(request)
    return Self.attach(try await tokens.accessToken(replacing: nil), to: request)
  }

  private func check(_ request: URLRequest) throws {
    guard let url = request.url, let origin = Origin(url), allowedOrigins.contains(origin) else {
      throw APIAuthorizationError(notAllowed: request.url, allowed: allowedOrigins)
    }
    // Whatever the transport does: a token in plain text is anyone's who can read the network.
    guard Loopback.isAllowed(url) else { throw APIAuthorizationError(plainTextOrigin: origin) }
  }

  private static func attach(_ token: BearerToken, to request: URLRequest) -> URLRequest {
    var request = request
    request.setValue(nil, forHTTPHeaderField: "Authorization")
    // Foundation's `setValue` leaves out what HTTP forbids, where a refusal has to say so.
    request.allHTTPHeaderFields = (request.allHTTPHeaderFields ?? [:]).merging(
      ["Authorization": "Bearer " + token.token.value]) { _, new in new }
    return request
  }
}
