internal import B2CCore
public import Foundation

/// Calls to any API, with the same care as the task API: Microsoft Graph's `/v1.0/me`, say.
extension Connector {
  /// Returns a request with a bearer token attached (the sample's `craftRequest`).
  ///
  /// Use it if another HTTP client sends the request; ``data(for:scopes:user:limits:)`` also replaces a refused token.
  ///
  /// ```swift
  /// let request = try await connector.authorizedRequest(for: URLRequest(url: url))
  /// let (body, response) = try await URLSession.shared.data(for: request)
  /// ```
  ///
  /// - Parameters:
  ///   - request: The request; its URL has to be on an allowed origin.
  ///   - scopes: The scopes the token must cover; the settings' when `nil`.
  ///   - user: Whose token; that of the user who signed in last when `nil`.
  /// - Returns: The request with an `Authorization` header. Send it at once, and nowhere else.
  /// - Throws: ``ConnectorError``: `originNotAllowed` before a token is asked for; `interactionRequired` when only a
  ///   sign-in helps; see ``accessToken(scopes:user:forceRefresh:claims:)``.
  public func authorizedRequest(
    for request: URLRequest, scopes: [String]? = nil, user: UserInfo? = nil
  ) async throws -> URLRequest {
    try await asConnectorError { try await authorizedTransport(scopes, user).authorized(request) }
  }

  /// Sends a request with a bearer token and returns the answer, whatever its status.
  ///
  /// A token that the API refuses is replaced once, by one of the same user, and the request repeated once.
  ///
  /// ```swift
  /// var request = URLRequest(url: url)
  /// request.setValue("application/json", forHTTPHeaderField: "Accept")
  /// let (body, response) = try await connector.data(for: request, scopes: ["User.Read"])
  /// guard response.statusCode == 200 else { return }
  /// ```
  ///
  /// - Parameters:
  ///   - request: The request; its URL has to be on an allowed origin. A body has to be data, not a stream.
  ///   - scopes: The scopes the token must cover; the settings' when `nil`.
  ///   - user: Whose token; that of the user who signed in last when `nil`.
  ///   - limits: How long the call may take and how large the response may be; ``Options/limits`` when `nil`.
  /// - Returns: The body and the response, as `URLSession.data(for:)` returns them.
  /// - Throws: ``ConnectorError``: `originNotAllowed` before a token is asked for; `interactionRequired` when only a
  ///   sign-in helps; `unauthorized`, `insufficientScope` or `claimsRequired` when the API wants another token; `network`,
  ///   `timedOut` and `invalidResponse` when there is no answer, and `tooLarge` when it is larger than the limit, with
  ///   ``ConnectorError/outcomeIsUnknown`` for a request that may have changed something.
  public func data(
    for request: URLRequest, scopes: [String]? = nil, user: UserInfo? = nil, limits: TransportLimits? = nil
  ) async throws -> (Data, HTTPURLResponse) {
    try await asConnectorError {
      var history = RequestHistory()
      return try await authorizedTransport(scopes, user).send(
        request, limits: limits ?? options.limits, noting: &history)
    }
  }

  func authorizedTransport(_ scopes: [String]?, _ user: UserInfo?) -> AuthorizedTransport {
    engine.calls.transport(to: allowedOrigins, for: scopes, user: user, retry: options.retry)
  }
}
