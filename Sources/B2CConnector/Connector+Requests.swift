internal import B2CCore
public import Foundation

/// The calls to any API, for example to Microsoft Graph's `/v1.0/me`.
extension Connector {
  /// Returns a request with a bearer token (the sample's `craftRequest`).
  ///
  /// Use it if another HTTP client sends the request. ``data(for:scopes:user:limits:)`` also replaces a refused token.
  /// See <doc:CallYourAPI>.
  ///
  /// ```swift
  /// let request = try await connector.authorizedRequest(for: URLRequest(url: url))
  /// let (body, response) = try await URLSession.shared.data(for: request)
  /// ```
  ///
  /// - Parameters:
  ///   - request: The request, whose URL must have an allowed origin.
  ///   - scopes: The scopes that the token must cover. With `nil`, these are the scopes of the settings.
  ///   - user: The user whose token is sent. With `nil`, it is the user who signed in most recently.
  /// - Returns: The request with an `Authorization` header. Send it immediately, and to no other address.
  /// - Throws: ``ConnectorError``: `originNotAllowed` before a token is requested; the errors of
  ///   ``accessToken(scopes:user:forceRefresh:claims:)``, for example `interactionRequired` if the user must sign in.
  public func authorizedRequest(
    for request: URLRequest, scopes: [String]? = nil, user: UserInfo? = nil
  ) async throws -> URLRequest {
    try await asConnectorError { try await authorizedTransport(scopes, user).authorized(request) }
  }

  /// Sends a request with a bearer token and returns the response, whatever its status.
  ///
  /// If the API refuses the token, the SDK repeats the request once with a new token of the user. See
  /// <doc:CallYourAPI>.
  ///
  /// ```swift
  /// var request = URLRequest(url: url)
  /// request.setValue("application/json", forHTTPHeaderField: "Accept")
  /// let (body, response) = try await connector.data(for: request, scopes: ["User.Read"])
  /// guard response.statusCode == 200 else { return }
  /// ```
  ///
  /// - Parameters:
  ///   - request: The request, whose URL must have an allowed origin, and whose body must be data and not a stream.
  ///   - scopes: The scopes that the token must cover. With `nil`, these are the scopes of the settings.
  ///   - user: The user whose token is sent. With `nil`, it is the user who signed in most recently.
  ///   - limits: The longest time of the call and the largest size of the response. With `nil`, it is
  ///     ``Options/limits``.
  /// - Returns: The body and the response, as `URLSession.data(for:)` returns them.
  /// - Throws: ``ConnectorError``: `originNotAllowed` before a token is requested; `interactionRequired` if the user
  ///   must sign in; `unauthorized`, `insufficientScope` or `claimsRequired` if the API wants another token; `network`,
  ///   `timedOut` or `invalidResponse` if there is no response, and `tooLarge` if it exceeds the limit. If the request
  ///   may have changed something, ``ConnectorError/outcomeIsUnknown`` is `true`.
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
