internal import B2CCore
internal import Foundation

/// Talks to the token endpoint: one form out, one JSON object back (RFC 6749 sections 4.1.3 and 6).
struct TokenEndpoint: Sendable {
  let configuration: OAuthConfiguration
  let transport: any HTTPTransport
  let serverClock: ServerClock

  /// Redeems an authorization code.
  func redeem(
    _ callback: ValidatedCallback, of request: AuthorizationRequest
  ) async throws -> TokenResponse {
    try await send(
      [
        ("grant_type", "authorization_code"),
        ("code", callback.code.value),
        ("redirect_uri", callback.redirectURI.absoluteString),
        ("code_verifier", request.proofKey.verifier.value),
        ("scope", Scopes.forRequest(request.scopes).joined(separator: " ")),
      ], to: request.provider, correlationID: request.correlationID)
  }

  /// Spends a refresh token for exactly these scopes.
  func refresh(
    _ refreshToken: Secret, scopes: [String], extra: [(name: String, value: String)], at provider: Provider,
    correlationID: UUID
  ) async throws -> TokenResponse {
    try await send(
      [
        ("grant_type", "refresh_token"),
        ("refresh_token", refreshToken.value),
        ("scope", scopes.joined(separator: " ")),
      ] + extra, to: provider, correlationID: correlationID)
  }

  /// Asks with a device code (RFC 8628 section 3.4).
  func redeem(deviceCode: Secret, at provider: Provider, correlationID: UUID) async throws -> TokenResponse {
    try await send(
      [("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", deviceCode.value)],
      to: provider, correlationID: correlationID)
  }

  /// Sends a form to an endpoint of the provider and gives the raw answer.
  func post(
    _ fields: [(name: String, value: String)], to url: URL, isMicrosoft: Bool, correlationID: UUID
  ) async throws -> TransportResponse {
    var headers: TransportRequest.Headers = [
      "Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json",
    ]
    if isMicrosoft {
      headers["client-request-id"] = correlationID.uuidString.lowercased()
      headers["return-client-request-id"] = "true"
      if configuration.sendsLibraryHeaders {
        headers["x-client-SKU"] = Library.name
        headers["x-client-Ver"] = Library.version
      }
    }
    let request = TransportRequest(
      method: .post, url: url, headers: headers, body: Data(FormEncoding.encode(fields).utf8),
      limits: configuration.limits)
    let response = try await transport.sendMappingErrors(request, correlationID: correlationID)
    serverClock.note(response)
    return response
  }

  private func send(
    _ fields: [(name: String, value: String)], to provider: Provider, correlationID: UUID
  ) async throws -> TokenResponse {
    var all = [("client_id", configuration.clientID)] + fields
    if provider.isMicrosoft { all.append(("client_info", "1")) }
    let response = try await post(
      all, to: provider.tokenEndpoint, isMicrosoft: provider.isMicrosoft, correlationID: correlationID)
    guard response.status == 200 else {
      let secrets = fields.filter { Self.secretFields.contains($0.name) }.map(\.value)
      throw refusal(response, correlationID: correlationID, hiding: secrets)
    }
    do {
      return try TokenResponse(response, serverNow: serverClock.now)
    } catch {
      var error = error
      error.correlationID = correlationID
      throw error
    }
  }

  private static let secretFields: Set<String> = ["code", "code_verifier", "refresh_token", "device_code"]

  /// The typed error of an answer that is no success.
  func refusal(_ response: TransportResponse, correlationID: UUID, hiding secrets: [String] = []) -> OAuthError {
    if let answer = ServerAnswer(response, now: serverClock.localNow(), hiding: secrets) {
      return answer.asError(fallbackCorrelationID: correlationID)
    }
    let code: OAuthError.Code =
      switch response.status {
      case 408: .timedOut
      case 429: .throttled
      case 500...: .serviceUnavailable
      default: .invalidResponse
      }
    return OAuthError(
      code, "The token endpoint answered \(response.status) without an OAuth error.",
      recoverySuggestion: code.isRetryable ? "Try again later." : "Check the authority in the settings.",
      server: ServerAnswer(
        status: response.status, retryAfter: RetryAfter.seconds(in: response.headers, now: serverClock.localNow())),
      correlationID: correlationID)
  }
}
