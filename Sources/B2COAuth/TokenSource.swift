internal import B2CCore
internal import B2CTokenCache
internal import Foundation

/// The source of access tokens without a page: the cache, or one refresh that all callers share.
///
/// A refresh has these steps: look into the record, share the work with other callers, take the refresh lock, read the
/// record again, send the request, compare the id_token with the record, and store the response as a change of the
/// record. A refresh that has begun is never cancelled. Callers may leave, and its response is still stored.
package struct TokenSource: Sendable {
  let sessions: UserSessions
  let events: OAuthEvents
  let endpoint: TokenEndpoint
  /// Finds a policy's token endpoint, at Microsoft's authorities without a request unless it must name the issuer.
  let findRoute: @Sendable (_ policy: Policy?, _ namesIssuer: Bool, _ correlationID: UUID) async throws -> TokenRoute
  let backgroundTime: BackgroundTime
  /// The scopes for a call that names none.
  let scopes: [String]
  let expiryMargin: Duration
  let clockSkew: Duration
  /// Whether this process may use refresh tokens.
  let refreshesTokens: Bool
  let beforeRefresh: (@Sendable (UserInfo) async throws -> Void)?

  /// A request for an access token.
  struct Request: Sendable {
    var scopes: [String]
    /// A token that an API refused.
    var refused: Secret?
    /// Whether to ignore cached tokens.
    var isForced = false
    /// The claims that the token must have, as JSON text.
    var claims: String?

    /// Whether only a new refresh satisfies this request.
    var mustRefresh: Bool { isForced || claims != nil }

    /// Returns the tokens that cannot satisfy this request: the one to replace, and those that are not newer than it.
    func excludedTokens(of record: TokenRecord) -> [Secret] {
      guard isForced || refused != nil else { return [] }
      let covering = record.accessTokens.filter { $0.covers(scopes) }
      guard !isForced, let refused else { return covering.map(\.token) }
      guard let entry = covering.first(where: { $0.token == refused }) else { return [refused] }
      return covering.filter { $0.receivedAt <= entry.receivedAt }.map(\.token)
    }
  }

  private var store: SessionStore { sessions.store }
  private var now: Date { sessions.now() }

  // MARK: The silent hit

  /// Returns an access token of a user, as `Connector.accessToken` documents it.
  package func token(
    for scopes: [String]?, userID: String?, refused: Secret? = nil, isForced: Bool = false, claims: String? = nil
  ) async throws -> AccessToken {
    let request = Request(scopes: scopes ?? self.scopes, refused: refused, isForced: isForced, claims: claims)
    // Microsoft's services issue no access token without a scope of an API. Others issue one for `openid` too.
    guard Scopes.includeAPIScope(request.scopes) || !sessions.client.isMicrosoft else {
      throw Self.missingAPIScope(request.scopes, at: nil, nil)
    }
    if let claims { try Self.checkClaims(claims) }
    guard let session = try await sessions.session(userID) else {
      // Another process may have signed the user out, so observers must look again.
      store.observers.changed()
      throw Self.notSignedIn(userID)
    }
    let excluded = request.excludedTokens(of: session.record)
    let offer = offer(of: session.record, to: request, excluding: excluded)
    if !request.mustRefresh, case .usable(let hit) = offer {
      events.emit(.cacheHit, session.record.policyID)
      return AccessToken(hit, userID: session.key.userID)
    }
    let flight = TokenFlight(
      key: session.key, scopes: Scopes.ofAPI(request.scopes), claims: request.claims.map { FormEncoding.escape($0) })
    let renewal = Renewal(
      request: request, session: session, flight: flight, excluded: excluded,
      still: request.mustRefresh ? nil : offer.token, correlationID: events.correlationID())
    return AccessToken(try await renewed(renewal), userID: session.key.userID)
  }

  private func offer(of record: TokenRecord, to request: Request, excluding excluded: [Secret]) -> TokenOffer {
    let (margin, asks) = (expiryMargin, beforeRefresh != nil)
    // With `beforeRefresh`, the user is asked only in the token's last minute, whatever the server suggests.
    return record.offer(
      covering: request.scopes, now: now, margin: (asks ? min(margin, .seconds(60)) : margin).inSeconds,
      isToTheEnd: asks, excluding: excluded)
  }

  // MARK: Shared work

  /// The token to renew, with everything that the steps of a refresh need.
  private struct Renewal: Sendable {
    let request: Request
    /// The session as the call found it.
    let session: SessionStore.Session
    /// The key by which callers share this refresh.
    ///
    /// `mayTry` and `noteTry` must use the same key. Otherwise the limit of one refresh a minute has no effect.
    let flight: TokenFlight
    /// The tokens that cannot satisfy the request.
    let excluded: [Secret]
    /// The token to use if the renewal fails.
    let still: CachedAccessToken?
    let correlationID: UUID

    var key: TokenCacheKey { session.key }
  }

  private func renewed(_ renewal: Renewal) async throws -> CachedAccessToken {
    let (request, record) = (renewal.request, renewal.session.record)
    let isHeldBack = !request.mustRefresh && !store.mayTry(renewal.flight, now: now)
    if record.refreshToken == nil || !refreshesTokens || isHeldBack, let still = renewal.still { return still }
    guard record.refreshToken != nil else {
      // The last access token has expired, so this session is over, and observers must look again.
      store.observers.changed()
      throw record.isEnded ? Self.expired : Self.notRenewable
    }
    // The system may end an app extension before it has stored a rotated refresh token, so only the app refreshes.
    guard refreshesTokens else { throw Self.refreshNotAllowed }
    if isHeldBack, let token = try await tokenAfterRefusal(renewal) { return token }
    do {
      let (token, hasJoined) = try await shared(renewal)
      // Another caller's refresh may return the very token that this caller wants to replace, so it refreshes again.
      let isAnswer = !hasJoined || !renewal.excluded.contains(token.token)
      guard !isAnswer, request.mustRefresh || store.mayTry(renewal.flight, now: now) else { return token }
      return try await shared(renewal, asks: false).token
    } catch let error as ConnectorError where renewal.still != nil {
      // The refresh failed, so use a token that has not expired. If the session has ended, none is left.
      let latest = try? await sessions.record(renewal.key)
      let left = latest.flatMap { offer(of: $0, to: request, excluding: renewal.excluded).token }
      guard let left else { throw error }
      events.emit(.staleTokenServed, record.policyID, renewal.correlationID, error: error.code)
      return left
    }
  }

  /// Returns the token to use after a 401 within a minute of the last refresh: a newer one if there is one, otherwise
  /// the refused token itself, so that the caller reports the API's 401.
  ///
  /// It returns `nil` while a refresh is in flight, so that the caller joins it.
  private func tokenAfterRefusal(_ renewal: Renewal) async throws -> CachedAccessToken? {
    let request = renewal.request
    guard let refused = request.refused, !store.flights.isUnderWay(renewal.flight),
      let record = try await sessions.record(renewal.key)
    else { return nil }
    if case .usable(let token) = offer(of: record, to: request, excluding: request.excludedTokens(of: record)) {
      return token
    }
    return record.accessTokens.first { $0.token == refused && $0.covers(request.scopes) && $0.expiresAt > now }
  }

  private func shared(
    _ renewal: Renewal, asks: Bool = true
  ) async throws -> (token: CachedAccessToken, hasJoined: Bool) {
    let policyID = renewal.session.record.policyID
    var hasJoined = false
    events.emit(.cacheMiss, policyID, renewal.correlationID)
    let token = try await store.flights.value(
      // One second longer than the transport's deadline, so that the transport's error ends the flight and reaches the
      // caller. With `timedOut`, the flight would still be under way, and the next call would join it.
      for: renewal.flight, atMost: endpoint.limits.deadline + .seconds(1), on: sessions.wait.clock,
      after: asks ? question(renewal) : nil,
      onJoin: {
        hasJoined = true
        events.emit(.refreshShared, policyID, renewal.correlationID)
      }
    ) { try await refresh(renewal) }
    return (token, hasJoined)
  }

  /// Returns the closure that asks the user before a refresh, which runs while no lock is held.
  private func question(_ renewal: Renewal) -> (@Sendable () async throws -> Void)? {
    guard let beforeRefresh else { return nil }
    return {
      try await store.questions.value(for: renewal.key) {
        do {
          try await beforeRefresh(sessions.user(renewal.session))
        } catch {
          // The user refused, so while the old token is valid, the user is not asked again for a minute.
          store.noteWait(renewal.key, now: now)
          throw Self.notAllowed(error)
        }
      }
    }
  }

  // MARK: Around and under the refresh lock

  private func refresh(_ renewal: Renewal) async throws -> CachedAccessToken {
    // The refresh may end the session, or may find that another process has ended it.
    defer { store.observers.changed() }
    guard let record = try await sessions.record(renewal.key) else { throw Self.signedOut }
    // Except at Microsoft's authorities, only the metadata names the token endpoint. A user without an id_token needs
    // the metadata's issuer. Fetch both before taking the lock, because only the token request may be sent under it.
    let route = try await findRoute(record.policy, record.issuer == nil, renewal.correlationID)
    return try await store.withRefreshLock(renewal.key, sessions.wait) {
      // Ask for background time only under the lock, because the system grants little of it and the wait may be long.
      try await backgroundTime.run(atMost: endpoint.limits.deadline.inSeconds, on: sessions.wait.clock) {
        try await underLock(renewal, route)
      }
    }
  }

  private func underLock(_ renewal: Renewal, _ route: TokenRoute) async throws -> CachedAccessToken {
    let (key, correlationID) = (renewal.key, renewal.correlationID)
    var refusal: ErrorCode?
    for isLastTry in [false, true] {
      guard let record = try await sessions.record(key) else { throw Self.signedOut }
      let session = SessionStore.Session(key: key, record: record)
      // Another process or a sign-in may have stored a usable token while this call waited for the lock.
      if renewal.request.claims == nil,
        case .usable(let hit) = offer(of: record, to: renewal.request, excluding: renewal.excluded)
      {
        return hit
      }
      guard let refreshToken = record.refreshToken else { throw record.isEnded ? Self.expired : Self.notRenewable }
      store.noteTry(renewal.flight, now: now)
      events.emit(isLastTry ? .retry : .refreshStarted, record.policyID, correlationID, error: refusal)
      do {
        // The app's transport may never return, so this stops waiting after twice the request limit. A response that
        // arrives later is still stored.
        let token = try await SharedWork<UUID, CachedAccessToken?>().value(
          for: correlationID, atMost: sessions.wait.limit, on: sessions.wait.clock
        ) { try await exchange(refreshToken, renewal, session, route) }
        if let token { return token }
      } catch let error as ConnectorError {
        events.emit(.refreshFinished, record.policyID, correlationID, error: error.code)
        if let wait = error.retryAfter { store.noteWait(key, now: now, seconds: wait) }
        guard error.needsInteraction || error.endsSession else { throw error }
        let current = try await sessions.record(key)
        if isLastTry || current?.stamp == record.stamp {
          if error.endsSession { await end(session) }
          throw error
        }
        // The record has changed, probably by a refresh of another process, so try again with the new one.
        refusal = error.code
      }
    }
    throw Self.signedOut
  }

  /// Sends the refresh token and stores the response.
  ///
  /// - Returns: The new access token, or `nil` if the cache by now has a newer response, another sign-in or no record.
  private func exchange(
    _ refreshToken: Secret, _ renewal: Renewal, _ session: SessionStore.Session, _ route: TokenRoute
  ) async throws -> CachedAccessToken? {
    let (request, record) = (renewal.request, session.record)
    let scopes = record.scopesToRenew(request.scopes, isMicrosoft: route.isMicrosoft)
    let response = try await endpoint.refresh(
      refreshToken, scopes: scopes, claims: request.claims, to: route, correlationID: renewal.correlationID)
    let claims = try RefreshedIdentity(
      client: sessions.client, session: session, route: route, now: endpoint.serverClock.now, skew: clockSkew.inSeconds
    ).claims(response.idToken)
    let granted = GrantedTokens(
      // A refresh without `scope` grants the same scopes again (RFC 6749 section 6).
      response: response, requested: request.scopes, sent: scopes ?? record.grantedScopes.sorted(), at: now,
      claims: claims, replacesStandardClaims: route.isMicrosoft)
    var updated: TokenRecord?
    do {
      updated = try await store.update(session, isKept: true, sessions.wait) {
        // If the record no longer holds the token that was sent, a later refresh has already replaced this response.
        $0.refreshToken == nil || $0.refreshToken == refreshToken ? $0.taking(granted) : $0
      }
    } catch let error as ConnectorError where error.code == .tokenCache {
      // The store keeps the record in memory, so the new tokens can be used.
      events.emit(.storingFailed, record.policyID, renewal.correlationID, error: error.code)
      updated = record.taking(granted)
    }
    guard let updated else { return nil }
    events.emit(.refreshFinished, record.policyID, renewal.correlationID)
    guard let accessToken = response.accessToken else {
      throw response.unusableAccessToken ?? Self.missingAPIScope(request.scopes, at: route, renewal.correlationID)
    }
    return updated.accessTokens.first { $0.token == accessToken }
  }

  /// Ends a session whose refresh token will never work again.
  ///
  /// If the cache refuses the change, the next call sends the token again and gets the same error.
  private func end(_ session: SessionStore.Session) async {
    let refreshToken = session.record.refreshToken
    _ = try? await store.update(session, sessions.wait) { $0.refreshToken == refreshToken ? $0.ending() : $0 }
  }
}
