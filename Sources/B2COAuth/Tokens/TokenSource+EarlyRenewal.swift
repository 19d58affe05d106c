internal import B2CCore
internal import Foundation

/// Renewals that no call waits for (``TokenRefresh/proactive``).
extension TokenSource {
  /// The token that should be renewed and lasts another minute, where no call shall wait for its renewal.
  ///
  /// Where the user has to agree to a renewal, one that is only early is no reason to ask.
  func tokenToRenewBeside(
    in stored: StoredRecord, _ scopes: [String], _ excluded: [Secret]
  ) -> CachedAccessToken? {
    let asksUser = stored.record.protectedRefreshToken != nil
    guard services.configuration.refresh == .proactive || asksUser else { return nil }
    let nextMinute = services.environment.now().addingTimeInterval(60)
    return stored.record.unexpiredToken(covering: scopes, now: nextMinute, excluding: excluded)
  }

  func renewBesideTheCall(_ request: Request) async {
    @Sendable func report(_ kind: OAuthEvent.Kind, _ code: ErrorCode? = nil) {
      services.environment.onEvent(
        OAuthEvent(kind, policyID: request.policy?.id, correlationID: request.correlationID, errorCode: code))
    }
    report(.proactiveRefresh)
    await flights.startInBackground(request.flight) {
      do {
        return try await refresh(request)
      } catch {
        if !(error is CancellationError) { report(.staleTokenServed, OAuthServices.code(of: error)) }
        throw error
      }
    }
  }

  /// Ends the renewals that no call waits for: what was not sent is not sent, and an answer under way is stored.
  func endProactiveRefreshes() async {
    await flights.endBackground()
  }
}
