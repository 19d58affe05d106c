internal import B2CCore
internal import Foundation

extension TokenSource {
  /// Takes over the claims of a new id_token; one that cannot be verified now changes nothing, and an event says why.
  ///
  /// Nothing depends on them here: the access token is good, and the session does not end for an id_token.
  func adoptClaims(
    of response: TokenResponse, before: TokenRecord, after: TokenRecord, _ request: Request
  ) async {
    guard let idToken = response.idToken else { return }
    do {
      let provider = try await services.providers.provider(for: request.policy)
      let claims = try await IDTokenCheck(services: services).claims(
        of: idToken, provider: provider, nonce: nil, accessToken: response.accessToken, previous: before.claims)
      defer { services.sessions.changed() }
      // While the cache takes nothing, the claims wait with the tokens beside them.
      try await services.cache.update(request.key, waitingWith: after) { current in
        guard current.isSameSession(as: after) else { return nil }
        return current.replacingClaims(claims, idToken: idToken)
      }
    } catch let error as ConnectorError where error.code == .tokenCache {
      // They wait, and are written as soon as they can be.
    } catch {
      let error = error as? ConnectorError
      services.environment.onEvent(
        OAuthEvent(
          .claimsNotUpdated, policyID: request.policy?.id, correlationID: request.correlationID,
          errorCode: error?.code ?? ErrorCode(rawValue: "other"), reason: error?.message))
    }
  }
}
