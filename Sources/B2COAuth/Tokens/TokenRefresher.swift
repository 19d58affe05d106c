internal import B2CCore
internal import Foundation

/// Spends refresh tokens: each once, however many callers, clients and processes wait for the result.
struct TokenRefresher: Sendable {
  let services: OAuthServices
  private let flights = SingleFlight<RefreshRequest.Flight, CachedAccessToken>()

  init(services: OAuthServices) {
    self.services = services
  }

  func token(_ request: RefreshRequest) async throws -> CachedAccessToken {
    let hasJoined = Locked(false)
    let token = try await shared(request, hasJoined)
    // A refresh that another caller has started may bring the very token that this one wants replaced.
    guard hasJoined.withLock({ $0 }), request.passedOver.contains(token.token) else { return token }
    return try await shared(request, hasJoined)
  }

  private func shared(_ request: RefreshRequest, _ hasJoined: Locked<Bool>) async throws -> CachedAccessToken {
    let onEvent = services.environment.onEvent
    return try await flights.value(
      for: request.flight,
      onJoin: {
        hasJoined.withLock { $0 = true }
        onEvent(OAuthEvent(.refreshShared, correlationID: request.correlationID))
      }
    ) {
      try await services.cache.withRefreshLock(for: request.key) { try await refresh(request) }
    }
  }

  private func refresh(_ request: RefreshRequest) async throws -> CachedAccessToken {
    guard let record = try await services.cache.record(for: request.key) else { throw Self.signedOut }
    // Whoever held the key before may have brought what is wanted.
    if let hit = usableToken(in: record, request) { return hit }
    guard let refreshToken = record.refreshToken else { throw Self.ended }
    let policy = try record.policy(for: request.key)
    try Task.checkCancellation()
    // From here on the refresh token counts as spent. If everybody leaves now, they are let go at once, but the answer
    // is still awaited and stored: a rotated token that is thrown away would sign the user out.
    let exchange = Task {
      try await services.reporting(
        .refreshStarted, .refreshFinished, policy: policy, correlationID: request.correlationID
      ) {
        try await spend(refreshToken, of: record, policy: policy, request, mayTryAgain: true)
      }
    }
    return try await exchange.value
  }

  private func spend(
    _ refreshToken: Secret, of record: TokenRecord, policy: Policy?, _ request: RefreshRequest, mayTryAgain: Bool
  ) async throws -> CachedAccessToken {
    let provider = try await services.providers.provider(for: policy)
    let response: TokenResponse
    do {
      response = try await services.endpoint.refresh(
        refreshToken, scopes: record.scopesToRenew(request.scopes, isMicrosoft: provider.isMicrosoft),
        extra: request.extra.map { ($0.name, $0.value) }, at: provider, correlationID: request.correlationID)
    } catch let error as OAuthError {
      return try await recover(
        from: error, spending: refreshToken, at: provider, request, mayTryAgain: mayTryAgain)
    }
    let claims = try await newClaims(response, provider: provider, record: record)
    let now = services.environment.now()
    // Also an answer without an access token is kept: its refresh token has taken the place of the one that was spent.
    let wrote = try await services.cache.update(request.key, isRepeatable: true) { current in
      guard current.refreshToken == refreshToken, current.signedInAt == record.signedInAt else { return nil }
      var new = current.merging(response, requested: request.scopes, now: now)
      if let claims { new.claims.merge(claims) { _, new in new } } else { new.idToken = current.idToken }
      return new
    }
    guard wrote else {
      return try await outcomeOfOthers(after: refreshToken, policy: policy, request, mayTryAgain: mayTryAgain)
    }
    guard response.accessToken != nil,
      let token = record.merging(response, requested: request.scopes, now: now).accessTokens.first
    else {
      throw OAuthError(
        .missingAPIScope, "The token answer has no access_token: none of the scopes names an API.",
        recoverySuggestion: "Add the API's scope, or the client id itself, to `scopes` in the settings.",
        correlationID: request.correlationID)
    }
    return token
  }

  /// The claims of an id_token that came with the answer; `nil` when none came or its key could not be had.
  private func newClaims(
    _ response: TokenResponse, provider: Provider, record: TokenRecord
  ) async throws -> [String: JSONValue]? {
    guard let idToken = response.idToken else { return nil }
    do {
      return try await IDTokenCheck(services: services).claims(
        of: idToken, provider: provider, nonce: nil, accessToken: response.accessToken, previous: record.claims)
    } catch let error as OAuthError where error.isRetryable || error.isForUnknownKey {
      // Nothing is taken from a token that cannot be checked now; the session does not end for it.
      return nil
    }
  }

  /// After a refusal: another process may have been quicker; only a definite answer ends the session.
  private func recover(
    from error: OAuthError, spending refreshToken: Secret, at provider: Provider, _ request: RefreshRequest,
    mayTryAgain: Bool
  ) async throws -> CachedAccessToken {
    guard let current = try await services.cache.record(for: request.key) else { throw Self.signedOut }
    if current.refreshToken != refreshToken {
      if let hit = usableToken(in: current, request) { return hit }
      if mayTryAgain, error.server?.error == "invalid_grant" {
        return try await spendNewer(of: current, policy: provider.policy, request)
      }
    }
    if error.server?.endsSession(isMicrosoft: provider.isMicrosoft) == true {
      try await services.cache.update(request.key) { $0.refreshToken == refreshToken ? $0.endingSession() : nil }
    }
    throw error
  }

  /// When the record changed meanwhile: serve what a new sign-in brought, or say that the user has signed out.
  private func outcomeOfOthers(
    after refreshToken: Secret, policy: Policy?, _ request: RefreshRequest, mayTryAgain: Bool
  ) async throws -> CachedAccessToken {
    guard let current = try await services.cache.record(for: request.key) else { throw Self.signedOut }
    if let hit = usableToken(in: current, request) { return hit }
    guard mayTryAgain, current.refreshToken != refreshToken else { throw Self.ended }
    return try await spendNewer(of: current, policy: policy, request)
  }

  /// Tries once more with the refresh token that has taken the place of the one that was spent.
  private func spendNewer(
    of record: TokenRecord, policy: Policy?, _ request: RefreshRequest
  ) async throws -> CachedAccessToken {
    guard let newer = record.refreshToken else { throw Self.ended }
    services.environment.onEvent(
      OAuthEvent(.retry, policyID: policy?.id, correlationID: request.correlationID))
    return try await spend(newer, of: record, policy: policy, request, mayTryAgain: false)
  }

  private func usableToken(in record: TokenRecord, _ request: RefreshRequest) -> CachedAccessToken? {
    // What was got without the extra parameters is no answer to a request with them.
    guard request.extra.isEmpty else { return nil }
    return record.usableToken(
      covering: request.scopes, now: services.environment.now(), margin: services.configuration.expiryMargin.seconds,
      passingOver: request.passedOver)
  }

  private static let signedOut = OAuthError(
    .interactionRequired, "The user has signed out.", recoverySuggestion: "Sign in again.")
  private static let ended = OAuthError(
    .interactionRequired, "The session has ended and cannot be renewed without the user.",
    recoverySuggestion: "Sign in again.")
}

extension OAuthError {
  /// Whether an id_token names a key that the issuer did not publish when it was last asked.
  fileprivate var isForUnknownKey: Bool { (underlying as? IDTokenRejection)?.reason == .unknownKey }
}

extension TokenRecord {
  /// The policy that the grant was made by, in the case the developer wrote it.
  func policy(for key: TokenCacheKey) throws(OAuthError) -> Policy? {
    guard !key.policy.isEmpty else { return nil }
    do {
      return try Policy(policyID ?? key.policy)
    } catch {
      throw OAuthError(error)
    }
  }
}
