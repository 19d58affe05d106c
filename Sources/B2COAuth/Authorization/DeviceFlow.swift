package import B2CCore
public import Foundation

/// The device authorization grant (RFC 8628).
package struct DeviceFlow: Sendable {
  let policy: Policy?
  let providers: ProviderDirectory
  let endpoint: TokenEndpoint
  let completion: SignInCompletion
  let events: OAuthEvents

  package func run(
    scopes: [String], show: @Sendable (DeviceAuthorization) async throws -> Void
  ) async throws -> SignInResult {
    let correlationID = events.correlationID()
    return try await events.signingIn(policyID: nil, correlationID: correlationID) {
      let provider = try await providers.provider(for: policy, correlationID: correlationID)
      guard let url = provider.deviceAuthorizationEndpoint else {
        throw ConnectorError(
          own: .unsupported, "The authority does not offer device codes.",
          recoverySuggestion: "Sign in with a presenter, which opens a browser.")
      }
      let fields = [("scope", provider.sent(scopes).joined(separator: " "))]
      let route = provider.route(to: url)
      let answer = try await endpoint.post(fields, to: route, correlationID: correlationID)
      guard answer.1.statusCode == 200 else {
        throw endpoint.refusal(answer, of: fields, to: route, correlationID: correlationID)
      }
      let ticket = try DeviceTicket(answer.0, from: url, now: completion.sessions.now())
      try await show(ticket.authorization)
      let response = try await poll(ticket, provider: provider, correlationID: correlationID)
      return try await completion.finish(
        response, from: provider, nonce: nil, scopes: scopes, correlationID: correlationID)
    }
  }

  private func poll(_ ticket: DeviceTicket, provider: Provider, correlationID: UUID) async throws -> TokenResponse {
    var interval = ticket.interval
    var pause = interval
    while true {
      let left = ticket.authorization.expiresAt.timeIntervalSince(completion.sessions.now())
      try await completion.sessions.wait.clock.sleep(for: min(pause, .seconds(max(0, left))))
      guard pause.inSeconds < left else { throw Self.ended }
      do {
        return try await endpoint.redeem(
          deviceCode: ticket.deviceCode, at: provider.tokenRoute, correlationID: correlationID)
      } catch let error as ConnectorError {
        switch error.oauthError {
        case "authorization_pending": break
        case "expired_token": throw Self.ended
        case let refusal:
          guard refusal == "slow_down" || error.isRetryable else { throw error }
          // RFC 8628 section 3.5: wait five seconds longer from now on, or twice as long if there was no response.
          interval = error.status == nil ? min(interval * 2, max(interval, .seconds(60))) : interval + .seconds(5)
        }
        // A device code lives for a day at most, so a longer `Retry-After` only means to wait until the code expires.
        pause = max(interval, .seconds(min(error.retryAfter ?? 0, 86_400)))
      }
    }
  }

  private static let ended = ConnectorError(
    own: .timedOut, "The device code expired before the user signed in.",
    recoverySuggestion: "Start the sign-in again.", isRetryable: false)
}

/// The response of the device authorization endpoint (RFC 8628 section 3.2), with its secret part.
package struct DeviceTicket: Sendable {
  let deviceCode: Secret
  /// The part that the user sees.
  package let authorization: DeviceAuthorization
  /// The time between two requests for the tokens, from 1 s to 5 min.
  package let interval: Duration

  /// Reads the response of the endpoint.
  ///
  /// - Throws: ``ConnectorError`` with code `invalidResponse` if a code or an address that may be opened is missing.
  package init(_ body: Data, from endpoint: URL, now: Date) throws(ConnectorError) {
    guard let fields = try? JSONReader.object(body),
      let deviceCode = fields["device_code"]?.string, !deviceCode.isEmpty,
      let userCode = fields["user_code"]?.string, !userCode.isEmpty,
      let url = (fields["verification_uri"] ?? fields["verification_url"])?.serverURL
    else {
      throw ConnectorError(
        own: .invalidResponse, "The response to the request for a device code has no code or no https address."
      ).about(endpoint, method: "POST")
    }
    self.deviceCode = Secret(deviceCode)
    let life = min(max(fields["expires_in"]?.double ?? 900, 0), 86_400)
    authorization = DeviceAuthorization(
      userCode: PrintableText.plain(userCode, limit: 100), verificationURL: url,
      completeVerificationURL: fields["verification_uri_complete"]?.serverURL, expiresAt: now.addingTimeInterval(life))
    // RFC 8628 section 3.2: the interval is five seconds if the server names none.
    interval = .seconds(min(max(fields["interval"]?.double ?? 5, 1), 300))
  }
}

/// The code and the address with which the user signs in on another device (RFC 8628 section 3.2).
public struct DeviceAuthorization: Sendable, Hashable {
  /// The code that the user types on the other device.
  public let userCode: String
  /// The address that the user opens on the other device.
  public let verificationURL: URL
  /// The address that already contains the code, for example for a QR code, if the server sends one.
  public let completeVerificationURL: URL?
  /// The time when the code expires, by this device's clock.
  public let expiresAt: Date

  /// Creates a code for a preview or a fake of your app.
  ///
  /// - Parameters:
  ///   - userCode: The code that the user types.
  ///   - verificationURL: The address that the user opens.
  ///   - completeVerificationURL: The address that already contains the code.
  ///   - expiresAt: The time when the code expires.
  public init(userCode: String, verificationURL: URL, completeVerificationURL: URL? = nil, expiresAt: Date) {
    self.userCode = userCode
    self.verificationURL = verificationURL
    self.completeVerificationURL = completeVerificationURL
    self.expiresAt = expiresAt
  }
}
