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
    let onEvent = services.environment.onEvent
    return try await flights.value(
      for: request.flight,
      onJoin: { onEvent(OAuthEvent(.refreshShared, correlationID: request.correlationID)) }
    ) {
      try await services.cache.whileSpending(request.key) { try await refresh(request) }
    }
  }

  private func refresh(_ request: RefreshRequest) async throws -> CachedAccessToken {
    guard let record = try await services.cache.record(for: request.key) else { throw Self.signedOut }
    // Whoever held the key before may have brought what is wanted.
    if request.extra.isEmpty, let hit = usableToken(in: record, request) { return hit }
    guard let refreshToken = record.refreshToken else {
      throw OAuthError(
        .interactionRequired, "The session has ended and cannot be renewed without the user.",
        recoverySuggestion: "Sign in again.")
    }
    let policy = try record.policy(for: request.key)
    try Task.checkCancellation()
    // From here on the refresh token counts as spent. If everybody leaves now, they are let go at once, but the answer
    // is still awaited and stored: a rotated token that is thrown away would sign the user out.
    let exchange = Task {
      try await services.reporting(
        .refreshStarted, .refreshFinished, policy: policy, correlationID: request.correlationID
      ) {
        try await spend(refreshToken, of: record, policy: policy, request)
      }
    }
    return try await exchange.value
  }

  private func spend(
    _ refreshToken: Secret, of record: TokenRecord, policy: Policy?, _ request: RefreshRequest
  ) async throws -> CachedAccessToken {
    let provider = try await services.providers.provider(for: policy)
    let response: TokenResponse
    do {
      response = try await services.endpoint.refresh(
        refreshToken, scopes: record.scopesToRenew(request.scopes, isMicrosoft: provider.isMicrosoft),
        extra: request.extra.map { ($0.name, $0.value) }, at: provider, correlationID: request.correlationID)
    } catch let error as OAuthError {
      return try await recover(from: error, spending: refreshToken, isMicrosoft: provider.isMicrosoft, request)
    }
    guard response.accessToken != nil else {
      throw OAuthError(
        .missingAPIScope, "The token answer has no access_token: none of the scopes names an API.",
        recoverySuggestion: "Add the API's scope, or the client id itself, to `scopes` in the settings.",
        correlationID: request.correlationID)
    }
    let claims = try await newClaims(response, provider: provider, record: record)
    let now = services.environment.now()
    let wrote = try await services.cache.update(request.key) { current in
      guard current.refreshToken == refreshToken, current.signedInAt == record.signedInAt else { return nil }
      var new = current.merging(response, requested: request.scopes, now: now)
      if let claims { new.claims.merge(claims) { _, new in new } }
      return new
    }
    guard wrote else { return try await outcomeOfOthers(request) }
    guard let token = record.merging(response, requested: request.scopes, now: now).accessTokens.first else {
      throw Self.signedOut
    }
    return token
  }

  /// The claims of an id_token that came with the answer; `nil` when none came or the keys could not be had.
  private func newClaims(
    _ response: TokenResponse, provider: Provider, record: TokenRecord
  ) async throws -> [String: JSONValue]? {
    guard let idToken = response.idToken else { return nil }
    do {
      return try await IDTokenCheck(services: services).claims(
        of: idToken, provider: provider, nonce: nil, accessToken: response.accessToken, previous: record.claims)
    } catch let error as OAuthError where error.isRetryable {
      return nil
    }
  }

  /// After a refusal: another process may have been quicker; only a definite answer ends the session.
  private func recover(
    from error: OAuthError, spending refreshToken: Secret, isMicrosoft: Bool, _ request: RefreshRequest
  ) async throws -> CachedAccessToken {
    guard let current = try await services.cache.record(for: request.key) else { throw Self.signedOut }
    if current.refreshToken != refreshToken, let hit = usableToken(in: current, request) { return hit }
    if error.server?.endsSession(isMicrosoft: isMicrosoft) == true {
      try await services.cache.update(request.key) { $0.refreshToken == refreshToken ? $0.endingSession() : nil }
    }
    throw error
  }

  /// When the record changed meanwhile: serve what a new sign-in brought, or say that the user has signed out.
  private func outcomeOfOthers(_ request: RefreshRequest) async throws -> CachedAccessToken {
    guard let current = try await services.cache.record(for: request.key), let hit = usableToken(in: current, request)
    else { throw Self.signedOut }
    return hit
  }

  private func usableToken(in record: TokenRecord, _ request: RefreshRequest) -> CachedAccessToken? {
    record.usableToken(
      covering: request.scopes, now: services.environment.now(), margin: services.configuration.expiryMargin.seconds,
      refused: request.refused)
  }

  private static let signedOut = OAuthError(
    .interactionRequired, "The user has signed out.", recoverySuggestion: "Sign in again.")
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
