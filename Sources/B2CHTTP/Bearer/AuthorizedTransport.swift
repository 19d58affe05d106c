internal import B2CCore
package import Foundation

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
  ///   - budget: The remaining retries, shared with other transports; a separate one when `nil`.
  ///   - clock: The clock of waits and deadlines.
  ///   - now: The wall time, for a `Retry-After` that is a date.
  ///   - random: Returns a number from 0 up to but not including 1.
  package init(
    transport: any HTTPTransport, tokens: any AccessTokenProvider, allowedOrigins: Set<Origin>,
    retry: RetryPolicy = .standard, budget: RetryBudget? = nil, clock: any Clock<Duration> = ContinuousClock(),
    now: @escaping @Sendable () -> Date = { Date() },
    random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
  ) {
    self.transport = RetryingTransport(
      transport: transport, policy: retry, budget: budget, clock: clock, now: now, random: random)
    self.tokens = tokens
    self.allowedOrigins = allowedOrigins
    self.clock = clock
  }

  /// As ``send(_:isIdempotent:)``; `GET` and `HEAD` count as idempotent.
  package func send(_ request: TransportRequest) async throws -> TransportResponse {
    try await send(request, isIdempotent: nil)
  }

  /// Sends a request with a token.
  ///
  /// A `401` marks the token as refused, gets another one, and sends the request once more; also one that is not
  /// idempotent, since a refused request was not carried out. Waiting for tokens does not count against the deadline.
  ///
  /// - Parameters:
  ///   - request: What to send; an `Authorization` field in it is replaced.
  ///   - isIdempotent: Whether sending it twice has the effect of sending it once; `nil` goes by the method.
  /// - Returns: The answer; any status but those that are thrown.
  /// - Throws: ``APIAuthorizationError`` with `originNotAllowed` before anything else happens, with `unauthorized` on a
  ///   second `401`, with `insufficientScope` or `claimsRequired` when the API says so; ``TransportError``;
  ///   `CancellationError`; whatever the token provider throws.
  package func send(_ request: TransportRequest, isIdempotent: Bool?) async throws -> TransportResponse {
    try check(request)
    let token = try await tokens.accessToken(replacing: nil)
    let elapsed = Elapsed(on: clock)
    let first = try await transport.send(Self.attach(token, to: request), isIdempotent: isIdempotent)
    if let error = APIAuthorizationError(definite: first, hiding: [token]) { throw error }
    guard first.status == 401 else { return first }

    let elapsedSoFar = elapsed()
    let newToken = try await tokens.accessToken(replacing: token)
    var again = Self.attach(newToken, to: request)
    again.limits.deadline -= elapsedSoFar
    let second = try await transport.send(again, isIdempotent: isIdempotent)
    if let error = APIAuthorizationError(definite: second, hiding: [token, newToken]) { throw error }
    guard second.status == 401 else { return second }
    throw APIAuthorizationError(refused: second, hiding: [token, newToken])
  }

  /// Returns a request with a token attached, to be sent by other means.
  ///
  /// - Parameter request: The request; an `Authorization` field in it is replaced.
  /// - Returns: The request with its token.
  /// - Throws: ``APIAuthorizationError`` with `originNotAllowed` before a token is asked for; whatever the token provider
  ///   throws.
  package func authorized(_ request: TransportRequest) async throws -> TransportRequest {
    try check(request)
    return Self.attach(try await tokens.accessToken(replacing: nil), to: request)
  }

  private func check(_ request: TransportRequest) throws {
    guard let origin = Origin(request.url), allowedOrigins.contains(origin) else {
      throw APIAuthorizationError(notAllowed: request.url, allowed: allowedOrigins)
    }
    // Whatever the transport does: a token in plain text is anyone's who can read the network.
    guard Loopback.isAllowed(request.url) else { throw APIAuthorizationError(plainTextOrigin: origin) }
  }

  private static func attach(_ token: Secret, to request: TransportRequest) -> TransportRequest {
    var request = request
    request.headers["Authorization"] = "Bearer " + token.value
    return request
  }
}

/// The source of an API client's bearer tokens (RFC 6750).
///
/// The client knows nothing of how a token is obtained. The OAuth engine conforms; so can ten lines of an app.
public protocol AccessTokenProvider: Sendable {
  /// Returns an access token that is valid now.
  ///
  /// - Parameter refused: A token that the API has just answered `401` to; a provider that would return the same one
  ///   again gets a new one instead. `nil` for the first try.
  /// - Returns: The access token to send.
  /// - Throws: Whatever keeps the provider from having one; the API client passes it on unchanged.
  func accessToken(replacing refused: Secret?) async throws -> Secret
}
