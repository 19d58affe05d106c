internal import B2CCore
internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// Talks to the token endpoint: one form out, one JSON object back (RFC 6749 sections 4.1.3 and 6).
struct TokenEndpoint: Sendable {
  let configuration: OAuthConfiguration
  /// Sends each request once.
  let transport: RetryingTransport
  let serverClock: ServerClock

  /// Redeems an authorization code.
  func redeem(
    _ callback: ValidatedCallback, of request: AuthorizationRequest
  ) async throws -> TokenResponse {
    return try await send(
      [
        ("grant_type", "authorization_code"),
        ("code", callback.code.value),
        ("redirect_uri", callback.redirectURI.absoluteString),
        ("code_verifier", request.pkce.verifier.value),
        ("scope", request.tokenScopes.joined(separator: " ")),
      ], to: request.provider.tokenRoute, correlationID: request.correlationID)
  }

  /// Sends a refresh token for exactly these scopes; for `nil` without naming any.
  ///
  /// - Throws: ``ConnectorError``, which knows whether the answer ends the session.
  func refresh(
    _ refreshToken: Secret, scopes: [String]?, claims: String?, to route: TokenRoute, correlationID: UUID
  ) async throws -> TokenResponse {
    var fields = [("grant_type", "refresh_token"), ("refresh_token", refreshToken.value)]
    if let scopes { fields.append(("scope", scopes.joined(separator: " "))) }
    if let claims { fields.append(("claims", claims)) }
    return try await send(fields, to: route, correlationID: correlationID)
  }

  /// Asks with a device code (RFC 8628 section 3.4).
  func redeem(deviceCode: Secret, at provider: Provider, correlationID: UUID) async throws -> TokenResponse {
    try await send(
      [("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", deviceCode.value)],
      to: provider.tokenRoute, correlationID: correlationID)
  }

  /// Sends a form to an endpoint of the provider and returns the raw answer.
  func post(
    _ fields: [(name: String, value: String)], to url: URL, isMicrosoft: Bool, correlationID: UUID
  ) async throws -> (Data, HTTPURLResponse) {
    var headers = [
      "Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json",
    ]
    if isMicrosoft {
      headers["client-request-id"] = correlationID.uuidString.lowercased()
      headers["return-client-request-id"] = "true"
      headers["x-client-SKU"] = Library.name
      headers["x-client-Ver"] = Library.version
    }
    let request = URLRequest(
      method: "POST", url: url, headers: headers, body: Data(FormEncoding.encode(fields).utf8))
    var history = RequestHistory()
    do {
      let answer = try await transport.send(
        request, limits: configuration.limits, isIdempotent: false, noting: &history)
      serverClock.update(from: answer.1)
      return answer
    } catch var error as ConnectorError {
      // What certainly reached no server is in no server's log.
      if isMicrosoft, history.outcomeIsUnknown { error.correlationID = correlationID }
      throw error
    }
  }

  private func send(
    _ fields: [(name: String, value: String)], to route: TokenRoute, correlationID: UUID
  ) async throws -> TokenResponse {
    let all = [("client_id", configuration.clientID)] + fields
    let answer = try await post(all, to: route.url, isMicrosoft: route.isMicrosoft, correlationID: correlationID)
    // Only Microsoft's services are sent the id, so only they can have logged it.
    let sent = route.isMicrosoft ? correlationID : nil
    guard answer.1.statusCode == 200 else {
      throw refusal(answer, of: fields, to: route, correlationID: sent)
    }
    do {
      return try TokenResponse(answer.0, serverNow: serverClock.now)
    } catch {
      var error = error.about(route.url, method: "POST")
      error.correlationID = sent
      throw error
    }
  }

  private static let secretFields: Set<String> = ["code", "code_verifier", "refresh_token", "device_code"]

  /// The error of an answer that is no success.
  func refusal(
    _ answer: (Data, HTTPURLResponse), of fields: [(name: String, value: String)], to route: TokenRoute,
    correlationID: UUID?
  ) -> ConnectorError {
    let (body, response) = answer
    let secrets = fields.filter { Self.secretFields.contains($0.name) }.map(\.value)
    let isRefresh = fields.contains { $0.name == "refresh_token" }
    let said = ServerAnswer(body, response, hiding: secrets)
    let answer =
      said ?? ServerAnswer(status: response.statusCode, retryAfter: RetryAfter.seconds(in: response))
    var error = answer.asError(
      scopes: fields.first { $0.name == "scope" }?.value.split(separator: " ").map(String.init) ?? [],
      policy: route.policy, correlationID: correlationID, isGenericRefresh: isRefresh && !route.isMicrosoft)
    // What is neither empty nor an OAuth error may come from a proxy: it proves nothing.
    if isRefresh, answer.error != nil || body.isEmpty {
      error.endsSession = answer.endsSession(isMicrosoft: route.isMicrosoft)
      // What else is refused may be the claims that the caller has added, and says nothing about the token.
      if fields.contains(where: { $0.name == "claims" }), answer.error != "invalid_grant", answer.code == nil {
        error.endsSession = false
      }
    }
    if said == nil {
      if error.code == .server { error.code = .invalidResponse }
      error.message = "The token endpoint answered \(response.statusCode) without an OAuth error."
      if error.recoverySuggestion == nil {
        error.recoverySuggestion = error.code.isRetryable ? "Try again later." : "Check the authority in the settings."
      }
    }
    return error.about(route.url, method: "POST")
  }
}
