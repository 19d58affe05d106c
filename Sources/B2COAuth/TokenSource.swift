internal import B2CCore
internal import Foundation

/// Access tokens without the user: from the cache, else by one refresh that all callers share.
///
/// The story, in order: cache hit, single flight, refresh lock, reading again, request, storing by compare-and-set, result.
/// Sending and storing run within a ``RefreshActivity``, where the system suspends apps.
/// Nothing but the token request happens inside the lock; metadata and keys are fetched before or beside it. The result
/// does not wait for them: the id_token is verified while the access token is in use.
struct TokenSource: Sendable {
  let services: OAuthServices
  let flights = SingleFlight<Flight, CachedAccessToken>()
  private let refusals = RefusedTokens()

  /// The outcome of an exchange under the lock.
  enum Outcome: Sendable {
    /// Another process or sign-in has brought a token.
    case cached(CachedAccessToken)
    /// The answer is stored; its id_token is still to be verified. Without an access token the error says why.
    case refreshed(Result<CachedAccessToken, ConnectorError>, TokenResponse, before: TokenRecord, after: TokenRecord)
  }

  init(services: OAuthServices) {
    self.services = services
  }

  // MARK: The cache hit

  func token(
    for scopes: [String], userID: String?, policy: Policy?, options: TokenOptions
  ) async throws -> AccessToken {
    guard Scopes.includeAPIScope(scopes) || !givesTokensForAPIsOnly else {
      throw Self.missingAPIScope(scopes, at: nil, nil)
    }
    let extra = try Self.extraFields(options)
    guard let stored = try await services.users.record(userID: userID, policy: policy) else {
      // Another process may have signed the user out.
      services.sessions.changed()
      throw await notSignedIn(userID, policy)
    }
    do {
      return try await token(of: stored, for: scopes, extra, options)
    } catch let error as ConnectorError where error.needsInteraction && policy == nil {
      // The user may have signed in again, by another policy in another process.
      guard let newer = try? await services.users.record(userID: stored.key.userID, policy: nil),
        newer.key != stored.key, newer.record.signInDates.isAfter(stored.record.signInDates)
      else { throw error }
      return try await token(of: newer, for: scopes, extra, options)
    }
  }

  private func token(
    of stored: StoredRecord, for scopes: [String], _ extra: [FormField], _ options: TokenOptions
  ) async throws -> AccessToken {
    var excluded = options.refused.map { [$0] } ?? []
    if let refused = options.refused, let entry = stored.record.entry(of: refused, covering: scopes) {
      // What is no newer is no better: a token that was refused before is not sent as a new one.
      excluded += stored.record.accessTokens.filter { $0.receivedAt <= entry.receivedAt && $0.covers(scopes) }
        .map(\.token)
    }
    if options.forceRefresh { excluded += stored.record.accessTokens.filter { $0.covers(scopes) }.map(\.token) }
    let mustReplace = options.forceRefresh || !extra.isEmpty
    if !mustReplace, let token = cachedToken(in: stored, scopes, excluded, refused: options.refused) {
      services.environment.onEvent(
        OAuthEvent(
          .cacheHit, policyID: stored.record.policyID,
          correlationID: options.correlationID ?? services.configuration.correlationID))
      return AccessToken(token, userID: stored.key.userID)
    }
    let request = Request(
      flight: Flight(key: stored.key, scopes: Scopes.ofAPI(scopes), extra: extra), scopes: scopes, excluded: excluded,
      policy: try stored.record.policy(for: stored.key), correlationID: services.correlationID(options.correlationID))
    services.environment.onEvent(
      OAuthEvent(.cacheMiss, policyID: stored.record.policyID, correlationID: request.correlationID))
    do {
      return AccessToken(try await refreshedToken(request), userID: stored.key.userID)
    } catch let error as ConnectorError where !mustReplace {
      // An early renewal may fail; what has not expired is served all the same.
      let record = try await recordAfterFailure(of: stored, error)
      let now = services.environment.now()
      guard let still = record.unexpiredToken(covering: scopes, now: now, excluding: excluded) else { throw error }
      services.environment.onEvent(
        OAuthEvent(
          .staleTokenServed, policyID: stored.record.policyID, correlationID: request.correlationID,
          errorCode: error.code))
      return AccessToken(still, userID: stored.key.userID)
    }
  }

  private func cachedToken(
    in stored: StoredRecord, _ scopes: [String], _ excluded: [Secret], refused: Secret?
  ) -> CachedAccessToken? {
    let now = services.environment.now()
    if let hit = stored.record.usableToken(
      covering: scopes, now: now, margin: services.configuration.expiryMargin.inSeconds, excluding: excluded)
    {
      return hit
    }
    // Another refresh would only be another request: the caller sees that nothing newer is available.
    guard let refused, let entry = stored.record.entry(of: refused, covering: scopes),
      !refusals.note(entry, for: stored.key, scopes, now: now)
    else { return nil }
    return entry
  }

  /// Notes that an API has accepted a token: the next one that is refused may be replaced again.
  func noteAccepted(_ token: BearerToken, for scopes: [String]) {
    refusals.startAgain(for: token.userID, scopes)
  }

  /// Refreshes a record for its claims, or to learn whether its session goes on; a failure is not the caller's.
  func renew(_ stored: StoredRecord) async {
    let scopes = stored.record.accessTokens.first?.requestedScopes.sorted() ?? services.configuration.scopes
    guard let policy = try? stored.record.policy(for: stored.key) else { return }
    _ = try? await refreshedToken(
      Request(
        flight: Flight(key: stored.key, scopes: Scopes.ofAPI(scopes), extra: [], renewal: UUID()), scopes: scopes,
        excluded: stored.record.accessTokens.map(\.token), policy: policy,
        correlationID: services.correlationID(nil)))
  }

  /// The record as it is after a failed refresh: a sign-out or a definite answer has left no token in it.
  private func recordAfterFailure(of stored: StoredRecord, _ error: ConnectorError) async throws -> TokenRecord {
    // Trouble of the cache is no sign-out.
    guard error.code != .tokenCache else { return stored.record }
    guard let record = try? await services.cache.record(for: stored.key) else { throw error }
    return record
  }

  // MARK: The single flight

  private func refreshedToken(_ request: Request) async throws -> CachedAccessToken {
    // An extension that the system ends would lose a rotated token: only its app refreshes.
    guard services.configuration.refreshesTokens, !services.environment.isAppExtension else {
      throw Self.refreshNotAllowed
    }
    let hasJoined = Locked(false)
    let token = try await shared(request, hasJoined)
    // A refresh that another caller has started may bring the very token that this one wants replaced.
    guard hasJoined.withLock({ $0 }), request.excluded.contains(token.token) else { return token }
    return try await shared(request, hasJoined)
  }

  private func shared(_ request: Request, _ hasJoined: Locked<Bool>) async throws -> CachedAccessToken {
    let onEvent = services.environment.onEvent
    return try await flights.value(
      for: request.flight,
      onJoin: {
        hasJoined.withLock { $0 = true }
        onEvent(OAuthEvent(.refreshShared, correlationID: request.correlationID))
      }
    ) { try await refresh(request) }
  }

  // MARK: Around the refresh lock

  private func refresh(_ request: Request) async throws -> CachedAccessToken {
    // At a generic issuer only its metadata knows where to send the request.
    let route = try await services.providers.tokenRoute(for: request.policy)
    // Not before the id_token's work is under way, which is waited for next.
    defer { services.sentRefreshes.end(request.id) }
    do {
      let outcome = try await services.cache.withRefreshLock(for: request.key) { try await underLock(request, route) }
      switch outcome {
      case .cached(let token):
        return token
      case .refreshed(let token, let response, let before, let after):
        services.adoptions.start(for: request.key.userID) {
          await adoptClaims(of: response, before: before, after: after, request)
        }
        return try token.get()
      }
    } catch {
      // The session may have ended, here or in another process.
      services.sessions.changed()
      throw error
    }
  }

  private func underLock(_ request: Request, _ route: TokenRoute) async throws -> Outcome {
    guard let record = try await services.cache.record(for: request.key) else { throw Self.signedOut }
    // The previous holder of the lock may have stored the wanted token.
    if let hit = usableToken(in: record, request) { return .cached(hit) }
    guard let refreshToken = record.refreshToken else { throw record.isEnded ? Self.expired : Self.notRenewable }
    // Before the last look whether the callers have left: `close()` waits for what it may not see being sent.
    services.sentRefreshes.begin(request.id)
    try Task.checkCancellation()
    // Metadata and keys are needed for nothing but the answer's id_token: they come beside the request, and are not
    // awaited here (benchmark row 12). No caller that finds another's token needs them.
    let documents = Task { await services.providers.prefetch(request.policy) }
    // From here on the refresh token counts as used. If every caller leaves now, they leave at once, but the answer is
    // still awaited and stored: a rotated token that is thrown away would sign the user out.
    let exchanging = Task {
      try await services.reporting(
        .refreshStarted, .refreshFinished, policy: request.policy, correlationID: request.correlationID
      ) {
        try await exchange(refreshToken, of: record, at: route, request, mayTryAgain: true)
      }
    }
    do {
      return try await exchanging.value
    } catch {
      documents.cancel()
      throw error
    }
  }

  // MARK: The request and its answer

  func exchange(
    _ refreshToken: Secret, of record: TokenRecord, at route: TokenRoute, _ request: Request, mayTryAgain: Bool
  ) async throws -> Outcome {
    let scopes = record.scopesToRenew(request.scopes, isMicrosoft: route.isMicrosoft)
    // What is not named is granted again (RFC 6749 section 6).
    let granted = scopes ?? record.grantedScopes.sorted()
    let (response, isStored, now): (TokenResponse, Bool, Date)
    do {
      // While it sends and stores, an app that leaves the screen is given time.
      (response, isStored, now) = try await services.environment.refreshActivity.run(
        atMost: services.configuration.limits.deadline.inSeconds, on: services.environment.clock
      ) {
        let response = try await services.endpoint.refresh(
          refreshToken, scopes: scopes, extra: request.flight.extra, to: route, correlationID: request.correlationID)
        try IDTokenCheck(services: services).refuseOtherPerson(response.idToken, than: record.claims)
        let now = services.environment.now()
        let isStored = try await store(request, record) { current in
          guard current.isSameSession(as: record) else { return nil }
          return current.mergingTokens(response, requested: request.scopes, sent: granted, now: now)
        }
        return (response, isStored, now)
      }
    } catch let error as ConnectorError {
      return try await recover(from: error, of: record, at: route, request, mayTryAgain: mayTryAgain)
    }
    guard isStored else {
      return try await outcomeOfOthers(after: record, at: route, request, mayTryAgain: mayTryAgain)
    }
    // Also an answer without an access token is stored: its refresh token has replaced the one that was sent.
    let after = record.mergingTokens(response, requested: request.scopes, sent: granted, now: now)
    guard response.accessToken != nil, let token = after.accessTokens.first else {
      let error = response.unusableAccessToken ?? Self.missingAPIScope(request.scopes, at: route, request.correlationID)
      return .refreshed(.failure(error), response, before: record, after: after)
    }
    return .refreshed(.success(token), response, before: record, after: after)
  }

  /// Stores a change by compare-and-set; while the cache takes nothing, it is kept in memory and the tokens are good.
  ///
  /// - Returns: Whether the record was the one the change was meant for.
  func store(
    _ request: Request, _ record: TokenRecord, _ change: @escaping RecordCache.Change
  ) async throws -> Bool {
    do {
      return try await services.cache.update(request.key, waitingWith: record, holdsRefreshLock: true, change)
    } catch let error as ConnectorError where error.code == .tokenCache {
      services.environment.onEvent(
        OAuthEvent(
          .storingFailed, policyID: request.policy?.id, correlationID: request.correlationID, errorCode: error.code))
      return true
    }
  }

  func usableToken(in record: TokenRecord, _ request: Request) -> CachedAccessToken? {
    // What was got without the extra parameters is no answer to a request with them.
    guard request.flight.extra.isEmpty, !request.isRenewal else { return nil }
    return record.usableToken(
      covering: request.scopes, now: services.environment.now(), margin: services.configuration.expiryMargin.inSeconds,
      excluding: request.excluded)
  }
}
