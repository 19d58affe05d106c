internal import B2CCore
internal import Foundation

/// Signs out: first here, and only then at the server, as far as it offers that.
///
/// It is done or it fails: what the cache refuses to list or to remove stays signed in, and the error names it.
package struct SignOut: Sendable {
  let sessions: UserSessions
  let providers: ProviderDirectory
  let endpoint: TokenEndpoint
  let presenter: any SignInPresenter
  let redirectURI: URL
  /// The host of the authority, whose cookies are removed.
  let host: String
  let events: OAuthEvents

  /// Signs one user out, or all users of this authority and client.
  ///
  /// - Throws: ``ConnectorError`` with code `tokenCache`, which names who is still signed in; `CancellationError` when the
  ///   calling task was cancelled before it began; what keeps the page from being shown.
  package func run(
    _ userID: String?, endsBrowserSession: Bool, sendsIDTokenHint: Bool
  ) async throws -> BrowserSignOut {
    try Task.checkCancellation()
    // Not a child: half a sign-out, because a view has gone, is none.
    let latest = try await Task { try await remove(userID) }.value
    guard endsBrowserSession else { return .notAsked }
    return try await endBrowserSession(of: latest, sendsIDTokenHint: sendsIDTokenHint)
  }

  /// Removes every record that can be removed, the current user's last, and revokes what was removed.
  ///
  /// - Returns: The latest session of those that were removed, which the server's part needs.
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
      // What is damaged is gone; another file that cannot be read now may be a user's.
      failure = failure ?? found.failures.first
    }
    var sessions: [SessionStore.Session] = []
    var absent: Set<TokenCacheKey> = []
    for key in keys {
      do {
        let record = try await self.sessions.record(key)
        if let record { sessions.append(.init(key: key, record: record)) } else { absent.insert(key) }
      } catch {
        // What cannot be read is removed all the same.
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

  /// Removes the cookies that a web view of the app may have left, of this host and of no other.
  ///
  /// Cookies of a parent domain are sent to other hosts too, so they are not ours to remove.
  private static func removeCookies(of host: String) {
    let storage = HTTPCookieStorage.shared
    for cookie in storage.cookies ?? [] {
      let domain = cookie.domain
      if ASCIIText.isSameIgnoringCase(domain.hasPrefix(".") ? String(domain.dropFirst()) : domain, host) {
        storage.deleteCookie(cookie)
      }
    }
  }

  /// Tells the server to forget refresh tokens: all at once, and for two seconds at most.
  private func revoke(_ sessions: [SessionStore.Session], _ correlationID: UUID) async {
    let sessions = sessions.filter { $0.record.refreshToken != nil }
    // The metadata of Microsoft's authorities names no endpoint for it.
    guard !sessions.isEmpty, !self.sessions.client.isMicrosoft else { return }
    // A transport of the app need not obey cancellation: it is not waited for any longer.
    try? await SharedWork<UUID, Void>().value(for: correlationID, atMost: .seconds(2), on: self.sessions.wait.clock) {
      await withTaskGroup(of: Void.self) { group in
        for session in sessions { group.addTask { await revoke(session.record, correlationID) } }
      }
    }
  }

  /// Tells the server to forget a refresh token, where it can be told (RFC 7009); its answer changes nothing here.
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
        own: .unsupported, "The authority offers no way to end its browser session.",
        recoverySuggestion: "Remove the tokens only, or sign in with a browser session that shares no cookies.")
    }
    let idToken = sendsIDTokenHint ? session?.record.idToken : nil
    let request = try presentation(of: url, idToken: idToken)
    // A presenter of the app need not obey cancellation: it is cancelled, and not waited for any longer.
    let showing = Task { try await presenter.present(request) }
    defer { showing.cancel() }
    let page = SharedWork<Secret, URL>()
    do {
      let callback = try await page.value(for: request.state, atMost: .seconds(60), on: sessions.wait.clock) {
        try await showing.value
      }
      // Any program can open the redirect URI; only the server knows the state, which it has to send back (OpenID Connect
      // RP-Initiated Logout 1.0 section 3).
      let pairs = CallbackParameters.pairs(of: callback)
      let isFailed = pairs.contains { ASCIIText.isSame($0.name, "error") }
      return CallbackState.isRight(pairs, for: request.state) && !isFailed ? .returned : .notReturned
    } catch let error as ConnectorError where [.userClosedBrowser, .timedOut].contains(error.code) {
      // The page was shown, which may have ended the session; the tokens are gone already.
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

/// What is known of the session in the browser after a sign-out.
public enum BrowserSignOut: Sendable, Hashable {
  /// The browser came back from the server's sign-out page, with the request's `state`.
  ///
  /// Whether its session has ended only the server knows: a page may ask the user, who may stay signed in.
  case returned
  /// The page was opened, and nothing proves that the browser came back from it: the session may go on.
  ///
  /// The user closed the page, another page took its place or was open, the time was up, or what came back has no `state` of
  /// this sign-out.
  case notReturned
  /// No page was opened: only the tokens are gone.
  case notAsked
}
