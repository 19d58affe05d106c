internal import B2CCore
package import Foundation

#if canImport(FoundationNetworking)
  package import FoundationNetworking
#endif

/// An access token (RFC 6750) and the id of its user, `nil` where no users are known; they travel together, so that no
/// request is repeated for another user.
package typealias BearerToken = (token: Secret, userID: String?)

/// Returns an access token that is valid now.
///
/// It is given the token that the API has just answered `401` to, `nil` for the first try. The replacement is for the same
/// user, also when another one has signed in meanwhile. Where there is no newer token, it is the refused one again, or an
/// error.
package typealias BearerTokens = @Sendable (_ refused: BearerToken?) async throws -> BearerToken

/// Sends requests with the user's bearer token to those origins that may see it (RFC 6750).
package struct AuthorizedTransport: Sendable {
  private let transport: RetryingTransport
  private let tokens: BearerTokens
  private let allowedOrigins: Set<Origin>
  private let clock: any Clock<Duration>
  private let now: @Sendable () -> Date

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
    transport: any HTTPTransport, tokens: @escaping BearerTokens, allowedOrigins: Set<Origin>,
    retry: RetryPolicy = RetryPolicy(), clock: any Clock<Duration> = ContinuousClock(),
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.transport = RetryingTransport(transport: transport, policy: retry, clock: clock, now: now)
    self.tokens = tokens
    self.allowedOrigins = allowedOrigins
    self.clock = clock
    self.now = now
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
  /// - Throws: ``ConnectorError``, with what is known of the outcome: `originNotAllowed` before anything else happens;
  ///   `unauthorized` on a second `401` and where there is no other token, `insufficientScope` or `claimsRequired` when the
  ///   API says so; what ``RetryingTransport`` throws. `CancellationError`. Whatever the source of the tokens throws, as the
  ///   `underlying` one of an error `other` after a try that may have changed something.
  package func send(
    _ request: URLRequest, limits: TransportLimits, isIdempotent: Bool? = nil, noting history: inout RequestHistory
  ) async throws -> (Data, HTTPURLResponse) {
    do {
      return try await exchange(request, limits, isIdempotent, &history)
    } catch {
      throw Task.isCancelled ? CancellationError() : history.naming(error)
    }
  }

  private func exchange(
    _ request: URLRequest, _ limits: TransportLimits, _ isIdempotent: Bool?, _ history: inout RequestHistory
  ) async throws -> (Data, HTTPURLResponse) {
    try check(request)
    let token = try await tokens(nil)
    let stopwatch = Stopwatch(clock)
    let first = try await send(request, limits, isIdempotent, with: token, noting: &history)
    guard first.1.statusCode == 401 else { return first }

    var rest = limits
    rest.deadline -= stopwatch.elapsed
    let newToken = try await tokens(token)
    // A token that was refused is not sent again, nor is the request sent for another user, or after its deadline.
    guard newToken.token != token.token, newToken.userID == token.userID, rest.deadline > .zero else {
      throw ConnectorError(refusal: first, of: request, isReplacement: false, hiding: history.bearerTokens, now: now())
    }
    let second = try await send(request, rest, isIdempotent, with: newToken, noting: &history)
    guard second.1.statusCode == 401 else { return second }
    throw ConnectorError(refusal: second, of: request, isReplacement: true, hiding: history.bearerTokens, now: now())
  }

  /// Sends a request with one token, with retries for other reasons than the token.
  private func send(
    _ request: URLRequest, _ limits: TransportLimits, _ isIdempotent: Bool?, with token: BearerToken,
    noting history: inout RequestHistory
  ) async throws -> (Data, HTTPURLResponse) {
    history.bearerTokens.append(token.token)
    let answer = try await transport.send(
      Self.attach(token, to: request), limits: limits, isIdempotent: isIdempotent, noting: &history)
    let refusal = ConnectorError(definite: answer, of: request, hiding: history.bearerTokens, now: now())
    if let refusal { throw refusal }
    return answer
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
    guard let url = request.url, let origin = Origin(url), allowedOrigins.contains(origin) else {
      let origins = allowedOrigins.map(\.description).sorted().joined(separator: ", ")
      let place = request.url.flatMap(Origin.init)?.description ?? "such a URL"
      throw ConnectorError(
        own: .originNotAllowed,
        "No token is sent to \(place): the allowed origins are \(origins.isEmpty ? "none" : origins).",
        recoverySuggestion: "Add the origin to the allowed ones if it is an API that may see the user's token."
      ).about(request)
    }
    // Whatever the transport does: a token in plain text is anyone's who can read the network.
    guard Loopback.isAllowed(url) else {
      throw ConnectorError(
        own: .originNotAllowed, "No token is sent to \(origin): the connection is not encrypted.",
        recoverySuggestion: "Use https; plain http is allowed to this machine only."
      ).about(request)
    }
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
