internal import B2CCore
internal import Foundation

/// Signs out: first here, for certain, and only then at the server, if it was asked for.
struct SignOutFlow: Sendable {
  let services: OAuthServices

  func run(accountID: String?, reach: SignOutReach) async throws {
    let correlationID = services.correlationID(nil)
    try await OAuthError.echoing(correlationID) { try await run(accountID, reach, correlationID) }
  }

  private func run(_ accountID: String?, _ reach: SignOutReach, _ correlationID: UUID) async throws {
    let stopwatch = Stopwatch(services.environment.clock)
    // The id_token is needed for the server's page, so it is taken out before everything goes.
    let grants = (try? await services.grants.grants(accountID: accountID)) ?? []
    try await removeLocally(accountID)
    let authority = services.configuration.authority
    for host in authority.trustedHosts.union([authority.host]) { SessionCookies.remove(of: host) }
    services.environment.onEvent(
      OAuthEvent(
        .signedOut, policyID: grants.first?.record.policyID, correlationID: correlationID, duration: stopwatch.elapsed))
    guard reach == .server else { return }
    try await endSession(of: grants.first, correlationID)
  }

  private func removeLocally(_ accountID: String?) async throws {
    let grants = services.grants
    var keys = grants.forgetCurrent()
    var failure: (any Error)?
    do {
      keys.formUnion(try await services.cache.keys())
    } catch {
      failure = error  // What is known without a list goes all the same.
    }
    for key in keys where grants.isOwn(key, accountID: accountID) {
      do {
        try await services.cache.remove(key)
      } catch {
        failure = error  // One record that resists must not keep the others.
      }
    }
    services.grants.forgetCurrent()
    if let failure { throw failure }
  }

  private func endSession(of grant: Grant?, _ correlationID: UUID) async throws {
    let policy = try grant?.record.policy(for: grant?.key ?? emptyKey) ?? services.configuration.defaultPolicy
    let provider = try await services.providers.provider(for: policy)
    await revoke(grant?.record.refreshToken, at: provider, correlationID)
    guard let endpoint = provider.endSessionEndpoint else {
      throw OAuthError(
        .unsupported, "The authority offers no way to end its session.",
        recoverySuggestion: "Sign out of the device only, or use a browser session that shares no cookies.")
    }
    let state = RandomToken.make(bytes: 16)
    let clientID = services.configuration.clientID
    let idToken = grant?.record.idToken
    let makeURL: @Sendable (URL) throws(AuthorityError) -> URL = { redirectURI throws(AuthorityError) in
      try Endpoints.appending(
        [
          ("post_logout_redirect_uri", redirectURI.absoluteString), ("client_id", clientID), ("state", state.value),
        ] + (idToken.map { [("id_token_hint", $0.value)] } ?? []), to: endpoint)
    }
    let page: URL
    do throws(AuthorityError) {
      page = try makeURL(services.configuration.redirectURI)
    } catch {
      throw OAuthError(error)
    }
    let request = PresentationRequest(
      purpose: .signOut, redirectURI: services.configuration.redirectURI, state: state,
      makeURL: { (try? makeURL($0)) ?? page })
    do {
      _ = try await services.environment.presenter.present(request)
    } catch let error as OAuthError where error.code == .userClosedBrowser {
      // The page was shown, and that is what ends the session; nobody has to wait for its redirect.
    }
  }

  /// Tells the server to forget the refresh token, where it can be told (RFC 7009).
  ///
  /// What it answers changes nothing here.
  private func revoke(_ refreshToken: Secret?, at provider: Provider, _ correlationID: UUID) async {
    guard let refreshToken, let endpoint = provider.metadata.revocationEndpoint else { return }
    _ = try? await services.endpoint.post(
      [
        ("token", refreshToken.value), ("token_type_hint", "refresh_token"),
        ("client_id", services.configuration.clientID),
      ], to: endpoint, isMicrosoft: false, correlationID: correlationID)
  }

  private var emptyKey: TokenCacheKey { services.grants.key(accountID: "", policy: nil) }
}
