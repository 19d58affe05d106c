internal import B2CCore
internal import Foundation

/// Runs the device authorization grant (RFC 8628).
struct DeviceFlow: Sendable {
  let services: OAuthServices

  func run(
    scopes: [String], show: @Sendable (DeviceAuthorization) async throws -> Void
  ) async throws -> SignInResult {
    let correlationID = services.correlationID(nil)
    return try await services.reporting(.signInStarted, .signInFinished, policy: nil, correlationID: correlationID) {
      let provider = try await services.providers.provider(for: services.configuration.defaultPolicy)
      guard let endpoint = provider.deviceAuthorizationEndpoint else {
        throw OAuthError(
          .unsupported, "The authority offers no device authorization.",
          recoverySuggestion: "Use a presenter that opens a browser.")
      }
      let answer = try await services.endpoint.post(
        [
          ("client_id", services.configuration.clientID),
          ("scope", Scopes.forRequest(scopes, offlineAccess: provider.addsOfflineAccess).joined(separator: " ")),
        ], to: endpoint, isMicrosoft: provider.isMicrosoft, correlationID: correlationID)
      guard answer.status == 200 else {
        throw services.endpoint.refusal(
          answer,
          ServerAnswer.Refused(
            scopes: scopes, request: FailedRequest(TransportRequest(method: .post, url: endpoint)),
            correlationID: provider.isMicrosoft ? correlationID : nil), hiding: [])
      }
      let ticket = try DeviceTicket(answer, now: services.environment.now())
      try await show(ticket.authorization)
      let response = try await poll(ticket, provider: provider, correlationID: correlationID)
      return try await finish(response, provider: provider, scopes: scopes, correlationID: correlationID)
    }
  }

  private func poll(_ ticket: DeviceTicket, provider: Provider, correlationID: UUID) async throws -> TokenResponse {
    var interval = ticket.interval
    while services.environment.now() < ticket.authorization.expiresAt {
      try await services.environment.clock.sleep(for: interval)
      do {
        return try await services.endpoint.redeem(
          deviceCode: ticket.deviceCode, at: provider, correlationID: correlationID)
      } catch let error as OAuthError {
        switch error.server?.error {
        case "authorization_pending": continue
        // RFC 8628 section 3.5: five seconds more from now on.
        case "slow_down": interval += .seconds(5)
        case "expired_token": throw Self.ended
        case "access_denied", "authorization_declined":
          throw OAuthError(
            .userCancelledInPage, "The user declined.", server: error.server,
            correlationID: error.correlationID)
        default:
          guard error.isRetryable else { throw error }
          interval += .seconds(5)
        }
      }
    }
    throw Self.ended
  }

  private func finish(
    _ response: TokenResponse, provider: Provider, scopes: [String], correlationID: UUID
  ) async throws -> SignInResult {
    guard let idToken = response.idToken else {
      throw OAuthError(
        .invalidResponse, "The token answer has no id_token.",
        correlationID: provider.isMicrosoft ? correlationID : nil)
    }
    let claims = try await IDTokenCheck(services: services).claims(
      of: idToken, provider: provider, nonce: nil, accessToken: response.accessToken, previous: nil)
    return try await GrantWriter(services: services).write(
      response, claims: claims, provider: provider, scopes: scopes,
      sent: Scopes.forRequest(scopes, offlineAccess: provider.addsOfflineAccess), correlationID: correlationID)
  }

  private static let ended = OAuthError(
    .timedOut, "The code ended before the user signed in.", recoverySuggestion: "Start again.")
}
