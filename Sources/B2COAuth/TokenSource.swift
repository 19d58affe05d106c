internal import B2CCore
internal import B2CTokenCache
internal import Foundation

/// Access tokens without the user: from the cache, else by one refresh that all callers share.
///
/// The story, in order: silent hit, shared work, refresh lock, reading again, request, the id_token against the record, and
/// storing as a change of the record. A refresh that has begun is never cancelled: callers leave, and its answer is stored.
package struct TokenSource: Sendable {
  let services: OAuthServices

  package init(services: OAuthServices) {
    self.services = services
  }

  /// A request for an access token.
  struct Request: Sendable {
    var scopes: [String]
    /// The user; the current one for `nil`.
    var userID: String?
    /// A token that an API has refused.
    var refused: Secret?
    /// Whether a token that is in the cache does not do.
    var isForced = false
    /// The claims that the token shall have, as JSON text.
    var claims: String?

    /// Whether the answer of an earlier refresh is no answer to this.
    var mustRefresh: Bool { isForced || claims != nil }

    /// Returns the tokens that are no answer to this request: those that it wants replaced, and those that are no newer.
    func excludedTokens(of record: TokenRecord) -> [Secret] {
      guard isForced || refused != nil else { return [] }
      let covering = record.accessTokens.filter { $0.covers(scopes) }
      guard !isForced, let refused else { return covering.map(\.token) }
      guard let entry = covering.first(where: { $0.token == refused }) else { return [refused] }
      return covering.filter { $0.receivedAt <= entry.receivedAt }.map(\.token)
    }

    /// The refresh that answers this for a user.
    func flight(_ key: TokenCacheKey) -> TokenFlight {
      TokenFlight(key: key, scopes: Scopes.ofAPI(scopes), claims: claims.map { FormEncoding.escape($0) })
    }
  }

  private var store: SessionStore { services.store }
  private var now: Date { services.environment.now() }

  /// The tokens of a user for the calls of an API.
  package func bearerTokens(for scopes: [String]? = nil, user: UserInfo? = nil) -> BearerTokens {
    { refused in
      // By the time a token is refused another user may be the current one.
      let token = try await token(for: scopes, userID: refused?.userID ?? user?.id, refused: refused?.token)
      return (token.token, token.userID)
    }
  }

  // MARK: The silent hit

  /// Returns an access token of a user; ``Connector`` documents it.
  package func token(
    for scopes: [String]?, userID: String?, refused: Secret? = nil, isForced: Bool = false, claims: String? = nil
  ) async throws -> AccessToken {
    let request = Request(
      scopes: scopes ?? services.configuration.scopes, userID: userID, refused: refused, isForced: isForced,
      claims: claims)
    guard Scopes.includeAPIScope(request.scopes) || !givesTokensForAPIsOnly else {
      throw Self.missingAPIScope(request.scopes, at: nil, nil)
    }
    if let claims = request.claims { _ = try ClaimsRequest.checked(claims) }
    guard let session = try await services.session(request.userID) else {
      // Another process may have signed the user out.
      store.observers.changed()
      throw Self.notSignedIn(request.userID)
    }
    let excluded = request.excludedTokens(of: session.record)
    if !request.mustRefresh, let hit = usable(session.record, request, excluded) {
      services.report(.cacheHit, session.record.policyID)
      return AccessToken(hit, userID: session.key.userID)
    }
    let token = try await refreshed(request, session, excluded)
    return AccessToken(token, userID: session.key.userID)
  }

  private func usable(_ record: TokenRecord, _ request: Request, _ excluded: [Secret]) -> CachedAccessToken? {
    let (margin, asks) = (services.configuration.expiryMargin, services.configuration.beforeRefresh != nil)
    // The user is not asked while the token lasts.
    return record.usableToken(
      covering: request.scopes, now: now, margin: (asks ? min(margin, .seconds(60)) : margin).inSeconds,
      isToTheEnd: asks, excluding: excluded)
  }

  // MARK: Shared work

  private func refreshed(
    _ request: Request, _ session: SessionStore.Session, _ excluded: [Secret]
  ) async throws -> CachedAccessToken {
    let still =
      request.mustRefresh
      ? nil : session.record.unexpiredToken(covering: request.scopes, now: now, excluding: excluded)
    guard session.record.refreshToken != nil else {
      if let still { return still }
      // The last token has expired meanwhile.
      store.observers.changed()
      throw session.record.isEnded ? Self.expired : Self.notRenewable
    }
    // An extension that the system ends would lose a rotated token: only its app refreshes.
    guard services.refreshesTokens else {
      if let still { return still }
      throw Self.refreshNotAllowed
    }
    let flight = request.flight(session.key)
    if !request.mustRefresh, !store.mayTry(flight, now: now) {
      if let still { return still }
      if let token = try await refusedToken(request, session.key, flight) { return token }
    }
    let correlationID = services.correlationID()
    do {
      let (token, hasJoined) = try await shared(flight, request, session, excluded, correlationID)
      // A refresh that another caller has started may bring the very token that this one wants replaced.
      guard hasJoined, excluded.contains(token.token), request.mustRefresh || store.mayTry(flight, now: now) else {
        return token
      }
      return try await shared(flight, request, session, excluded, correlationID).token
    } catch let error as ConnectorError where still != nil {
      // What has not expired is served all the same, unless a definite answer has ended the session.
      let record = try? await store.record(session.key)
      let left = record?.unexpiredToken(covering: request.scopes, now: now, excluding: excluded)
      guard let left else { throw error }
      services.report(.staleTokenServed, session.record.policyID, correlationID, error: error.code)
      return left
    }
  }

  /// What the caller of a refused token gets while another refresh would only be another request: a token that has come
  /// since, else the same one, which tells it that there is none; `nil` where a refresh is to be waited for.
  private func refusedToken(
    _ request: Request, _ key: TokenCacheKey, _ flight: TokenFlight
  ) async throws -> CachedAccessToken? {
    guard let refused = request.refused, !store.isUnderWay(flight), let record = try await store.record(key)
    else { return nil }
    return usable(record, request, request.excludedTokens(of: record))
      ?? record.accessTokens.first { $0.token == refused && $0.covers(request.scopes) && $0.expiresAt > now }
  }

  private func shared(
    _ flight: TokenFlight, _ request: Request, _ session: SessionStore.Session, _ excluded: [Secret],
    _ correlationID: UUID
  ) async throws -> (token: CachedAccessToken, hasJoined: Bool) {
    var hasJoined = false
    func join() {
      hasJoined = true
      services.report(.refreshShared, session.record.policyID, correlationID)
    }
    services.report(.cacheMiss, session.record.policyID, correlationID)
    let work: @Sendable () async throws -> CachedAccessToken = {
      try await refresh(request, session.key, excluded, correlationID)
    }
    // One second longer than the transport's deadline, so that the caller gets the transport's error, and the next call
    // begins a new request.
    let limit = services.configuration.limits.deadline + .seconds(1)
    let clock = services.environment.clock
    guard let beforeRefresh = services.configuration.beforeRefresh, !store.flights.isUnderWay(flight) else {
      return (try await store.flights.value(for: flight, atMost: limit, on: clock, onJoin: join, work), hasJoined)
    }
    // However long a user takes to answer: the request's limit begins after it.
    let started = try await store.questions.value(for: session.key, onJoin: join) {
      do {
        // An answer may have started it since the look above.
        if !store.flights.isUnderWay(flight) { try await beforeRefresh(services.user(session)) }
      } catch {
        // While the token has not expired, a refusal holds for a minute.
        store.noteWait(session.key, now: now)
        throw Self.notAllowed(error)
      }
      let started = StartedFlights()
      // Before the question ends, so that no later caller asks again.
      _ = started.outcome(of: flight, in: store.flights, work)
      return started
    }
    let outcome = started.outcome(of: flight, in: store.flights, work)
    return (
      try await SharedWork<TokenFlight, CachedAccessToken>.value(of: outcome, atMost: limit, on: clock), hasJoined
    )
  }

  // MARK: Around and under the refresh lock

  private func refresh(
    _ request: Request, _ key: TokenCacheKey, _ excluded: [Secret], _ correlationID: UUID
  ) async throws -> CachedAccessToken {
    // The session may end, here or in another process.
    defer { store.observers.changed() }
    guard let record = try await store.record(key) else { throw Self.signedOut }
    // At a generic issuer only its metadata knows where to send the request; it is not fetched under the lock.
    // Nor is the issuer of a user whom no id_token has named.
    let route = try await services.providers.tokenRoute(
      for: record.policy, namesIssuer: record.issuer == nil, correlationID: correlationID)
    let clock = services.environment.clock
    return try await store.withRefreshLock(key, atMost: services.configuration.limits.deadline * 2, on: clock) {
      // From sending to storing; while a refresh waits for its turn it needs no time of the system.
      try await services.environment.backgroundTime.run(
        atMost: services.configuration.limits.deadline.inSeconds, on: clock
      ) {
        try await underLock(request, key, excluded, route, correlationID)
      }
    }
  }

  private func underLock(
    _ request: Request, _ key: TokenCacheKey, _ excluded: [Secret], _ route: TokenRoute, _ correlationID: UUID
  ) async throws -> CachedAccessToken {
    var refusal: ErrorCode?
    for isLastTry in [false, true] {
      guard let record = try await store.record(key) else { throw Self.signedOut }
      let session = SessionStore.Session(key: key, record: record)
      // Another process or a sign-in may have brought the token.
      if request.claims == nil, let hit = usable(record, request, excluded) { return hit }
      guard let refreshToken = record.refreshToken else { throw record.isEnded ? Self.expired : Self.notRenewable }
      store.noteTry(request.flight(key), now: now)
      services.report(isLastTry ? .retry : .refreshStarted, record.policyID, correlationID, error: refusal)
      do {
        // A transport of the app may never return: after twice the limit it is not waited for any longer. What comes later
        // is stored all the same.
        let token = try await SharedWork<UUID, CachedAccessToken?>().value(
          for: correlationID, atMost: services.configuration.limits.deadline * 2, on: services.environment.clock
        ) { try await exchange(refreshToken, request, session, route, correlationID) }
        if let token { return token }
        // Dropped: a newer answer or another sign-in is there by now, or none.
      } catch let error as ConnectorError {
        services.report(.refreshFinished, record.policyID, correlationID, error: error.code)
        if let wait = error.retryAfter { store.noteWait(key, now: now, seconds: wait) }
        guard error.needsInteraction || error.endsSession else { throw error }
        let current = try await store.record(key)
        if isLastTry || current?.stamp == record.stamp {
          if error.endsSession { await end(session) }
          throw error
        }
        // Another process was quicker, and its answer may do.
        refusal = error.code
      }
    }
    throw Self.signedOut
  }

  /// Sends the refresh token and stores the answer.
  ///
  /// - Returns: The new access token; `nil` when a newer answer, another sign-in or none is there.
  private func exchange(
    _ refreshToken: Secret, _ request: Request, _ session: SessionStore.Session, _ route: TokenRoute,
    _ correlationID: UUID
  ) async throws -> CachedAccessToken? {
    let record = session.record
    let scopes = record.scopesToRenew(request.scopes, isMicrosoft: route.isMicrosoft)
    let response = try await services.endpoint.refresh(
      refreshToken, scopes: scopes, claims: request.claims, to: route, correlationID: correlationID)
    let claims = try RefreshedIdentity(
      clientID: services.configuration.clientID, userID: session.key.userID, route: route,
      isMicrosoft: services.isMicrosoft,
      now: services.serverClock.now, skew: services.configuration.clockSkew.inSeconds
    ).claims(response.idToken, of: record)
    // What is not named is granted again (RFC 6749 section 6).
    let answer = TokenAnswer(
      response: response, requested: request.scopes, sent: scopes ?? record.grantedScopes.sorted(), at: now,
      claims: claims, replacesStandardClaims: route.isMicrosoft)
    guard let updated = try await stored(answer, of: refreshToken, session, correlationID) else { return nil }
    services.report(.refreshFinished, record.policyID, correlationID)
    guard let accessToken = response.accessToken else {
      throw response.unusableAccessToken ?? Self.missingAPIScope(request.scopes, at: route, correlationID)
    }
    return updated.accessTokens.first { $0.token == accessToken }
  }

  /// Stores an answer; while the cache takes nothing, it is kept in memory and the tokens are good.
  ///
  /// - Returns: The changed record; `nil` when another sign-in or none is there.
  private func stored(
    _ answer: TokenAnswer, of sent: Secret, _ session: SessionStore.Session, _ correlationID: UUID
  ) async throws -> TokenRecord? {
    do {
      return try await store.update(session, isKept: true) {
        // What has been stored on top of this answer meanwhile is newer: the token that it brought has been used.
        $0.refreshToken == nil || $0.refreshToken == sent ? $0.taking(answer) : $0
      }
    } catch let error as ConnectorError where error.code == .tokenCache {
      services.report(.storingFailed, session.record.policyID, correlationID, error: error.code)
      return session.record.taking(answer)
    }
  }

  /// Ends a session after a definite answer; where the cache refuses that, the next call gets the same answer.
  private func end(_ session: SessionStore.Session) async {
    let refreshToken = session.record.refreshToken
    _ = try? await store.update(session) { $0.refreshToken == refreshToken ? $0.ending() : $0 }
  }
}
