internal import B2CCore
internal import Foundation

/// Signs out: first here, for certain, and only then at the server, if it was asked for.
struct SignOutFlow: Sendable {
  let services: OAuthServices

  func run(accountID: String?, reach: SignOutReach) async throws {
    // The id_token is needed for the server's page, so it is taken out before everything goes.
    let grants = (try? await services.grants.grants(accountID: accountID)) ?? []
    try await removeLocally(accountID)
    SessionCookies.remove(of: services.configuration.authority.host)
    services.environment.onEvent(OAuthEvent(.signedOut, policyID: grants.first?.record.policyID))
    guard reach == .server else { return }
    try await endSession(of: grants.first)
  }

  private func removeLocally(_ accountID: String?) async throws {
    services.grants.forgetCurrent()
    let grants = services.grants
    var failure: (any Error)?
    for key in try await services.cache.keys()
    where key.authority == grants.authority.lowercased() && key.clientID == grants.clientID.lowercased()
      && (accountID == nil || key.accountID == accountID?.lowercased())
    {
      do {
        try await services.cache.remove(key)
      } catch {
        failure = error  // One record that resists must not keep the others.
      }
    }
    services.grants.forgetCurrent()
    if let failure { throw failure }
  }

  private func endSession(of grant: Grant?) async throws {
    let policy = try grant?.record.policy(for: grant?.key ?? emptyKey) ?? services.configuration.defaultPolicy
    let provider = try await services.providers.provider(for: policy)
    await revoke(grant?.record.refreshToken, at: provider)
    guard let endpoint = provider.endSessionEndpoint else {
      throw OAuthError(
        .unsupported, "The authority offers no way to end its session.",
        recoverySuggestion: "Sign out of the device only, or use a browser session that shares no cookies.")
    }
    let state = RandomToken.make(bytes: 16)
    let clientID = services.configuration.clientID
    let idToken = grant?.record.idToken
    let request = PresentationRequest(
      purpose: .signOut, redirectURI: services.configuration.redirectURI, state: state,
      makeURL: { redirectURI in
        Endpoints.appending(
          [
            ("post_logout_redirect_uri", redirectURI.absoluteString), ("client_id", clientID), ("state", state.value),
          ] + (idToken.map { [("id_token_hint", $0.value)] } ?? []), to: endpoint)
      })
    do {
      _ = try await services.environment.presenter.present(request)
    } catch let error as OAuthError where error.code == .userClosedBrowser {
      // The page was shown, and that is what ends the session; nobody has to wait for its redirect.
    }
  }

  /// Tells the server to forget the refresh token, where it can be told (RFC 7009).
  ///
  /// What it answers changes nothing here.
  private func revoke(_ refreshToken: Secret?, at provider: Provider) async {
    guard let refreshToken, let endpoint = provider.metadata.revocationEndpoint else { return }
    _ = try? await services.endpoint.post(
      [
        ("token", refreshToken.value), ("token_type_hint", "refresh_token"),
        ("client_id", services.configuration.clientID),
      ], to: endpoint, isMicrosoft: false, correlationID: services.correlationID(nil))
  }

  private var emptyKey: TokenCacheKey { services.grants.key(accountID: "", policy: nil) }
}
