internal import B2CCore
internal import Foundation

/// Where token requests of a policy go.
struct TokenRoute: Sendable {
  let url: URL
  let policy: Policy?
  /// The kind of the authority.
  let service: Authority.Kind
  /// The issuer of the provider's metadata; `nil` if they were not fetched for this route.
  var issuer: String?

  /// Whether the provider speaks with Microsoft's extensions.
  var isMicrosoft: Bool { service.isMicrosoft }

  /// A correlation id as far as the server knows it: only Microsoft's services are sent one.
  func known(_ correlationID: UUID?) -> UUID? { isMicrosoft ? correlationID : nil }
}

/// Talks to the token endpoint: one form out, one JSON object back (RFC 6749 sections 4.1.3 and 6).
struct TokenEndpoint: Sendable {
  let clientID: String
  /// The policy with which the settings sign users in now.
  let signInPolicy: Policy?
  let limits: TransportLimits
  let serverClock: ServerClock
  /// Sends each request once, because a code or token may be used up by a request without an answer.
  let transport: RetryingTransport

  /// Redeems an authorization code for exactly these scopes.
  func redeem(
    code: Secret, redirectURI: URL, verifier: Secret, scopes: [String], at route: TokenRoute, correlationID: UUID
  ) async throws -> TokenResponse {
    try await send(
      [
        ("grant_type", "authorization_code"), ("code", code.value), ("redirect_uri", redirectURI.absoluteString),
        ("code_verifier", verifier.value), ("scope", scopes.joined(separator: " ")),
      ], to: route, correlationID: correlationID)
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
  func redeem(deviceCode: Secret, at route: TokenRoute, correlationID: UUID) async throws -> TokenResponse {
    try await send(
      [("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", deviceCode.value)],
      to: route, correlationID: correlationID)
  }

  /// Sends a form to an endpoint of the provider, with the client ID, and returns the raw answer.
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
      // What certainly reached no server is in no server's log.
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
      // Some servers send an error with status 200.
      let refusal = refusal()
      guard refusal.oauthError == nil else { throw refusal }
      var error = error.about(route.url, method: "POST")
      error.correlationID = route.known(correlationID)
      throw error
    }
  }

  private static let secretFields: Set<String> = ["code", "code_verifier", "refresh_token", "device_code"]

  /// The error of an answer without what was asked for.
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
    // A gateway may answer the same, so the session does not end. A page in plain text with 400 proves less than a 404.
    let isPlainText =
      answer.response.value(forHTTPHeaderField: "Content-Type")?.lowercased().hasPrefix("text/plain") == true
    if place.isRefresh, let policy = route.policy, error.serverCode.flatMap(ServiceCode.named) == nil,
      status == 404 || status == 400 && isPlainText && signIn != nil && error.oauthError == nil
    {
      error.code = signIn == nil ? .configuration : .interactionRequired
      error.needsInteraction = signIn != nil
      error.isRetryable = false
      error.message = "The policy \(policy.id), which signed the user in, has no token endpoint any more."
      error.recoverySuggestion =
        signIn.map { "Sign in again, with the policy \($0.id) that the settings name now." }
        ?? "Check that the tenant still has this policy, or name the policy that replaces it in the settings."
    }
    return error
  }
}
