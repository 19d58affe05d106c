internal import B2CCore
internal import Foundation

/// The sign-out of users, first on this device and then, if the caller wants it, in the browser.
///
/// If the cache refuses to list or remove records, the sign-out fails and names the users who are still signed in.
package struct SignOut: Sendable {
  let sessions: UserSessions
  let providers: ProviderDirectory
  let endpoint: TokenEndpoint
  let presenter: any SignInPresenter
  let redirectURI: URL
  /// The host of the authority, whose cookies a sign-out deletes.
  let host: String
  let events: OAuthEvents

  /// Signs one user out, or all users of this authority and client.
  ///
  /// - Throws: ``ConnectorError`` with code `tokenCache` if records are left, which names their users; the error that
  ///   prevents the sign-out page from opening; `CancellationError` if the calling task was cancelled before the
  ///   sign-out began.
  package func run(
    _ userID: String?, endsBrowserSession: Bool, sendsIDTokenHint: Bool
  ) async throws -> BrowserSignOut {
    try Task.checkCancellation()
    // It runs in its own task, because a view that disappears cancels its tasks, and half a sign-out must not remain.
    let latest = try await Task { try await remove(userID) }.value
    guard endsBrowserSession else { return .notAsked }
    return try await endBrowserSession(of: latest, sendsIDTokenHint: sendsIDTokenHint)
  }

  /// Removes every record that can be removed, and revokes the removed refresh tokens.
  ///
  /// The current user's record is removed last, so that no other user becomes current meanwhile.
  ///
  /// - Returns: The latest of the removed sessions, whose policy and id_token the sign-out page needs.
  private func remove(_ userID: String?) async throws -> SessionStore.Session? {
    let correlationID = events.correlationID()
    var failure: ConnectorError?
    let keys: Set<TokenCacheKey>
    if let userID {
      keys = [sessions.client.key(userID)]
    } else {
      do {
        try await sessions.store.removeDamaged(alsoNewer: true, sessions.wait)
      } catch let error as ConnectorError {
        failure = error
      }
      let found = try await sessions.store.keys(of: sessions.client)
      keys = found.keys
      // The damaged files are deleted. Any other unreadable file may hold a user's record, so its error is reported.
      failure = failure ?? found.failures.first
    }
    var sessions: [SessionStore.Session] = []
    var absent: Set<TokenCacheKey> = []
    for key in keys {
      do {
        let record = try await self.sessions.record(key)
        if let record { sessions.append(.init(key: key, record: record)) } else { absent.insert(key) }
      } catch {
        // A record that cannot be read is removed below like any other.
      }
    }
    sessions.sort { $0.record.place < $1.record.place }
    var left: [TokenCacheKey] = []
    for key in keys.subtracting(sessions.map(\.key)) + sessions.map(\.key) {
      do {
        try await self.sessions.store.remove(key, self.sessions.wait)
        let policyID = sessions.first { $0.key == key }?.record.policyID
        if !absent.contains(key) { events.emit(.signedOut, policyID, correlationID) }
      } catch let error as ConnectorError {
        failure = failure ?? error
        left.append(key)
      }
    }
    self.sessions.store.observers.changed()
    Self.removeCookies(of: host)
    sessions.removeAll { left.contains($0.key) }
    await revoke(sessions, correlationID)
    if var failure {
      let names = left.filter { !absent.contains($0) }.map { PrintableText.plain($0.userID, limit: 100) }.sorted()
      if !names.isEmpty { failure.message += " Still signed in: \(names.joined(separator: ", "))." }
      throw failure
    }
    return sessions.last
  }

  /// Removes the cookies that a web view of the app may have stored for this host.
  ///
  /// Cookies of a parent domain are kept, because the browser also sends them to other hosts.
  private static func removeCookies(of host: String) {
    let storage = HTTPCookieStorage.shared
    for cookie in storage.cookies ?? [] {
      let domain = cookie.domain
      if ASCIIText.isSameIgnoringCase(domain.hasPrefix(".") ? String(domain.dropFirst()) : domain, host) {
        storage.deleteCookie(cookie)
      }
    }
  }

  /// Revokes refresh tokens at the provider, in parallel and for at most two seconds.
  private func revoke(_ sessions: [SessionStore.Session], _ correlationID: UUID) async {
    let sessions = sessions.filter { $0.record.refreshToken != nil }
    // Microsoft's authorities have no revocation endpoint, so their metadata is not fetched to look for one.
    guard !sessions.isEmpty, !self.sessions.client.isMicrosoft else { return }
    // The app's transport may ignore cancellation, so this returns after two seconds without waiting for it.
    try? await SharedWork<UUID, Void>().value(for: correlationID, atMost: .seconds(2), on: self.sessions.wait.clock) {
      await withTaskGroup(of: Void.self) { group in
        for session in sessions { group.addTask { await revoke(session.record, correlationID) } }
      }
    }
  }

  /// Revokes a refresh token if the provider has an endpoint for it (RFC 7009).
  ///
  /// Errors are ignored, because the token is already removed from this device.
  private func revoke(_ record: TokenRecord, _ correlationID: UUID) async {
    guard let refreshToken = record.refreshToken,
      let provider = try? await providers.provider(for: record.policy, retries: false),
      let url = provider.metadata.revocationEndpoint
    else { return }
    _ = try? await endpoint.post(
      [("token", refreshToken.value), ("token_type_hint", "refresh_token")], to: provider.route(to: url),
      correlationID: correlationID)
  }

  private func endBrowserSession(
    of session: SessionStore.Session?, sendsIDTokenHint: Bool
  ) async throws -> BrowserSignOut {
    let policy = session.map(\.record.policy) ?? endpoint.signInPolicy
    let provider = try await providers.provider(for: policy)
    guard let url = provider.endSessionEndpoint else {
      throw ConnectorError(
        own: .unsupported, "The authority offers no way to end the session in the browser.",
        recoverySuggestion: "Remove only the tokens, or sign in with a browser session that shares no cookies.")
    }
    let idToken = sendsIDTokenHint ? session?.record.idToken : nil
    let request = try presentation(of: url, idToken: idToken)
    // The app's presenter may ignore cancellation, so this call does not wait for it after the 60 seconds.
    let showing = Task { try await presenter.present(request) }
    defer { showing.cancel() }
    let page = SharedWork<Secret, URL>()
    do {
      let callback = try await page.value(for: request.state, atMost: .seconds(60), on: sessions.wait.clock) {
        try await showing.value
      }
      // Any program can open the redirect URI, but only the provider knows the state, which it must send back (OpenID
      // Connect RP-Initiated Logout 1.0 section 3).
      let pairs = CallbackParameters.pairs(of: callback)
      let isFailed = pairs.contains { ASCIIText.isSame($0.name, "error") }
      return CallbackState.isRight(pairs, for: request.state) && !isFailed ? .returned : .notReturned
    } catch let error as ConnectorError where [.userClosedBrowser, .timedOut].contains(error.code) {
      // The page may have ended the session before the user closed it. The tokens are removed in any case.
      return .notReturned
    }
  }

  private func presentation(of page: URL, idToken: Secret?) throws -> PresentationRequest {
    let state = RandomToken.make(bytes: 16)
    return try PresentationRequest(purpose: .signOut, redirectURI: redirectURI, state: state) { redirectURI in
      var parameters = [
        ("client_id", endpoint.clientID), ("post_logout_redirect_uri", redirectURI.absoluteString),
        ("state", state.value),
      ]
      if let idToken { parameters.append(("id_token_hint", idToken.value)) }
      return try Endpoints.appending(parameters, to: page)
    }
  }
}

/// The state of the browser's session after a sign-out.
public enum BrowserSignOut: Sendable, Hashable {
  /// The browser returned from the provider's sign-out page with the `state` of this request.
  ///
  /// This does not prove that the session has ended, because the page may have asked the user, who may have refused.
  case returned
  /// The sign-out page was opened, but the browser did not return from it as expected, so the session may continue.
  ///
  /// The user closed the page, another page replaced it or was already open, 60 seconds passed, or the callback did not
  /// contain the `state` of this sign-out.
  case notReturned
  /// No page was opened.
  ///
  /// Only the tokens on this device were removed.
  case notAsked
}
