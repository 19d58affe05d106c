internal import B2CCore
internal import Foundation

/// The address of token requests, with the policy that they belong to.
struct TokenRoute: Sendable {
  let url: URL
  let policy: Policy?
  /// The kind of the authority.
  let service: Authority.Kind
  /// The issuer in the provider's metadata, or `nil` if this route was found without metadata.
  var issuer: String?

  /// Whether the provider uses Microsoft's extensions of the protocol.
  var isMicrosoft: Bool { service.isMicrosoft }

  /// Returns a correlation id if the provider has received it, which only Microsoft's services have.
  func known(_ correlationID: UUID?) -> UUID? { isMicrosoft ? correlationID : nil }
}

/// The client of the token endpoint, which sends a form and reads a JSON object (RFC 6749 sections 4.1.3 and 6).
struct TokenEndpoint: Sendable {
  let clientID: String
  /// The policy that the settings use for a sign-in now.
  let signInPolicy: Policy?
  let limits: TransportLimits
  let serverClock: ServerClock
  /// A transport that sends each request once, because a failed one may have used up its code or token.
  let transport: RetryingTransport

  /// Redeems an authorization code for exactly the given scopes.
  func redeem(
    code: Secret, redirectURI: URL, verifier: Secret, scopes: [String], at route: TokenRoute, correlationID: UUID
  ) async throws -> TokenResponse {
    try await send(
      [
        ("grant_type", "authorization_code"), ("code", code.value), ("redirect_uri", redirectURI.absoluteString),
        ("code_verifier", verifier.value), ("scope", scopes.joined(separator: " ")),
      ], to: route, correlationID: correlationID)
  }

  /// Sends a refresh token for exactly the given scopes, or without `scope` if they are `nil`.
  ///
  /// - Throws: ``ConnectorError``, which says whether the response ends the session.
  func refresh(
    _ refreshToken: Secret, scopes: [String]?, claims: String?, to route: TokenRoute, correlationID: UUID
  ) async throws -> TokenResponse {
    var fields = [("grant_type", "refresh_token"), ("refresh_token", refreshToken.value)]
    if let scopes { fields.append(("scope", scopes.joined(separator: " "))) }
    if let claims { fields.append(("claims", claims)) }
    return try await send(fields, to: route, correlationID: correlationID)
  }

  /// Asks for the tokens that belong to a device code (RFC 8628 section 3.4).
  func redeem(deviceCode: Secret, at route: TokenRoute, correlationID: UUID) async throws -> TokenResponse {
    try await send(
      [("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", deviceCode.value)],
      to: route, correlationID: correlationID)
  }

  /// Sends a form with the client ID to an endpoint of the provider, and returns the response.
  func post(
    _ fields: [(name: String, value: String)], to route: TokenRoute, correlationID: UUID
  ) async throws -> (Data, HTTPURLResponse) {
    var headers = ["Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"]
    if route.isMicrosoft {
      headers["client-request-id"] = correlationID.uuidString.lowercased()
      headers["return-client-request-id"] = "true"
      headers["x-client-SKU"] = Library.name
      headers["x-client-Ver"] = Library.version
    }
    let body = Data(FormEncoding.encode([("client_id", clientID)] + fields).utf8)
    let request = URLRequest(method: "POST", url: route.url, headers: headers, body: body)
    var history = RequestHistory()
    do {
      let answer = try await transport.send(request, limits: limits, noting: &history)
      serverClock.update(from: answer.1)
      return answer
    } catch var error as ConnectorError {
      // If the request certainly reached no server, no server's log contains its id, so the error does not show it.
      if route.isMicrosoft, history.outcomeIsUnknown { error.correlationID = correlationID }
      throw error
    }
  }

  private func send(
    _ fields: [(name: String, value: String)], to route: TokenRoute, correlationID: UUID
  ) async throws -> TokenResponse {
    let answer = try await post(fields, to: route, correlationID: correlationID)
    func refusal() -> ConnectorError { self.refusal(answer, of: fields, to: route, correlationID: correlationID) }
    guard answer.1.statusCode == 200 else { throw refusal() }
    do {
      return try TokenResponse(answer.0, serverNow: serverClock.now)
    } catch {
      // Some servers send an error response with status 200, so look for an OAuth error first.
      let refusal = refusal()
      guard refusal.oauthError == nil else { throw refusal }
      var error = error.about(route.url, method: "POST")
      error.correlationID = route.known(correlationID)
      throw error
    }
  }

  private static let secretFields: Set<String> = ["code", "code_verifier", "refresh_token", "device_code"]

  /// Returns the error of a response that does not contain the requested tokens or device code.
  func refusal(
    _ answer: (body: Data, response: HTTPURLResponse), of fields: [(name: String, value: String)], to route: TokenRoute,
    correlationID: UUID
  ) -> ConnectorError {
    func value(_ name: String) -> String? { fields.first { $0.name == name }?.value }
    let place: ErrorResponse.Place =
      value("refresh_token") != nil
      ? .refresh(addsClaims: value("claims") != nil) : value("device_code") == nil ? .code : .device
    let said = ErrorResponse(
      answer.body, answer.response, to: place, at: route.service, hiding: Self.secretFields.compactMap(value))
    let scopes = value("scope")?.split(separator: " ").map(String.init) ?? []
    var error = said.asError(scopes: scopes, policy: route.policy, correlationID: route.known(correlationID))
      .about(route.url, method: "POST")
    let status = answer.response.statusCode
    let signIn = signInPolicy.flatMap { $0.key == route.policy?.key ? nil : $0 }
    // The policy that signed the user in is gone. A gateway may send the same response, so the session does not end. A
    // page in plain text with status 400 proves less than a 404, so it counts only if the settings name another policy.
    let isPlainText =
      answer.response.value(forHTTPHeaderField: "Content-Type")?.lowercased().hasPrefix("text/plain") == true
    if place.isRefresh, let policy = route.policy, error.serverCode.flatMap(ServiceCode.named) == nil,
      status == 404 || status == 400 && isPlainText && signIn != nil && error.oauthError == nil
    {
      error.code = signIn == nil ? .configuration : .interactionRequired
      error.needsInteraction = signIn != nil
      error.isRetryable = false
      error.message = "The policy \(policy.id), which signed the user in, no longer has a token endpoint."
      error.recoverySuggestion =
        signIn.map { "Sign in again with the policy \($0.id), which the settings name now." }
        ?? "Check that the tenant still has this policy, or name the policy that replaces it in the settings."
    }
    return error
  }
}
