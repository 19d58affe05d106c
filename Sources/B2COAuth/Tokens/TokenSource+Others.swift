internal import B2CCore
internal import Foundation

/// A refresh that others were quicker than: another process, a sign-in, a sign-out.
extension TokenSource {
  /// After a refusal: another process may have been quicker; only a definite answer ends the session.
  func recover(
    from error: ConnectorError, of record: TokenRecord, at route: TokenRoute, _ request: Request, mayTryAgain: Bool
  ) async throws -> Outcome {
    guard let current = try await services.cache.record(for: request.key) else { throw Self.signedOut }
    if current.refreshToken != record.refreshToken {
      if let hit = usableToken(in: current, request) { return .cached(hit) }
      // An answer that names another person has no status of a refusal: no other token changes it.
      if mayTryAgain, error.needsInteraction, error.status != nil {
        return try await exchangeNewer(of: current, at: route, request)
      }
    } else if error.endsSession, request.flight.extra.isEmpty || Self.isAboutToken(error) {
      // While the cache takes nothing, the end is kept in memory: the answer was definite. What else a provider refuses
      // may be a parameter that the caller added, and says nothing about the token.
      _ = try await store(request, record) { $0.refreshToken == record.refreshToken ? $0.endingSession() : nil }
    }
    throw error
  }

  /// Whether it is certain that the token was refused, and not a parameter that the caller added.
  private static func isAboutToken(_ error: ConnectorError) -> Bool {
    error.oauthError == "invalid_grant" || error.serverCode.flatMap(ServiceCode.named)?.endsSession == true
  }

  /// When the record changed meanwhile: serve what a new sign-in brought, or say that the user has signed out.
  func outcomeOfOthers(
    after record: TokenRecord, at route: TokenRoute, _ request: Request, mayTryAgain: Bool
  ) async throws -> Outcome {
    guard let current = try await services.cache.record(for: request.key) else { throw Self.signedOut }
    if let hit = usableToken(in: current, request) { return .cached(hit) }
    guard mayTryAgain, current.refreshToken != record.refreshToken else { throw Self.expired }
    return try await exchangeNewer(of: current, at: route, request)
  }

  /// Tries once more with the refresh token that has replaced the one that was sent.
  private func exchangeNewer(of record: TokenRecord, at route: TokenRoute, _ request: Request) async throws -> Outcome {
    guard let newer = record.refreshToken else { throw record.isEnded ? Self.expired : Self.notRenewable }
    services.environment.onEvent(
      OAuthEvent(.retry, policyID: request.policy?.id, correlationID: request.correlationID))
    return try await exchange(newer, of: record, at: route, request, mayTryAgain: false)
  }
}
