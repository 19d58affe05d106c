internal import B2CCore
package import Foundation

/// Signs in by one policy: request, page, validated callback, tokens, verified claims, stored record.
package struct SignIn: Sendable {
  let services: OAuthServices

  package init(services: OAuthServices) {
    self.services = services
  }

  private var configuration: OAuthConfiguration { services.configuration }

  package func run(policy: Policy?, options: SignInOptions) async throws -> SignInResult {
    let correlationID = services.correlationID()
    let number = OpenPages.nextNumber()
    return try await services.emittingEvents(
      .signInStarted, .signInFinished, policyID: policy?.id, correlationID: correlationID
    ) {
      do {
        return try await present(policy, options, number, correlationID)
      } catch let error as ConnectorError where error.code == .passwordResetRequested {
        guard let reset = configuration.passwordResetPolicy, reset.key != policy?.key else { throw error }
        // Cancelling after it leaves the new password and no session.
        _ = try await present(reset, options.forPasswordReset, number, correlationID)
        return try await present(policy, options, number, correlationID)
      }
    }
  }

  /// The first half of a sign-in: everything before the page.
  package func begin(policy: Policy?, options: SignInOptions) async throws -> PendingSignIn {
    let (_, pending) = try await prepare(policy, options, services.correlationID())
    services.report(.signInStarted, policy?.id, pending.correlationID)
    return pending
  }

  /// The second half: everything after the callback.
  package func finish(_ pending: PendingSignIn, callback: URL) async throws -> SignInResult {
    try await services.emittingEvents(
      nil, .signInFinished, policyID: pending.policyID, correlationID: pending.correlationID
    ) {
      try await redeem(pending, callback)
    }
  }

  private func present(
    _ policy: Policy?, _ options: SignInOptions, _ number: Int, _ correlationID: UUID
  ) async throws -> SignInResult {
    try services.presenter.validate(redirectURI: configuration.redirectURI)
    let (request, pending) = try await prepare(policy, options, correlationID)
    // The keys are not needed before the answer comes: they are fetched while the user is at the page.
    async let _: Void = services.providers.prefetch(policy, correlationID: correlationID)
    return try await redeem(pending, try await show(request, pending, number))
  }

  /// Whatever is wrong with the settings is found here, before a page opens.
  private func prepare(
    _ policy: Policy?, _ options: SignInOptions, _ correlationID: UUID
  ) async throws -> (AuthorizationRequest, PendingSignIn) {
    if let retired = configuration.authority.retirement(for: policy) { throw retired.error }
    _ = try ReservedParameters.checked(options.extraParameters)
    if let claims = options.claimsRequest, !claims.isEmpty { _ = try ClaimsRequest.checked(claims) }
    let provider = try await services.providers.provider(for: policy, correlationID: correlationID)
    let request = AuthorizationRequest(
      provider: provider, configuration: configuration, options: options, correlationID: correlationID)
    let userID = options.user.map { services.folded($0.id) }
    return (request, try request.pending(userID: userID, at: services.environment.now()))
  }

  private func redeem(_ pending: PendingSignIn, _ url: URL) async throws -> SignInResult {
    let policy = try pending.policy(for: configuration, at: services.environment.now())
    let provider = try await services.providers.provider(for: policy, correlationID: pending.correlationID)
    do {
      let callback = try pending.validate(url, from: provider)
      let response = try await services.endpoint.redeem(callback, of: pending, at: provider)
      return try await finish(
        response, from: provider, nonce: pending.nonce, userID: pending.userID, scopes: pending.scopes,
        sent: provider.sent(pending.scopes), correlationID: pending.correlationID)
    } catch var error as ConnectorError {
      error.correlationID = error.correlationID ?? provider.known(pending.correlationID)
      throw error
    }
  }

  private func show(_ request: AuthorizationRequest, _ pending: PendingSignIn, _ number: Int) async throws -> URL {
    do {
      return try await services.presenter.present(
        PresentationRequest(
          purpose: .signIn, signIn: number, redirectURI: configuration.redirectURI, state: pending.state,
          prefersEphemeralSession: request.options.prefersEphemeralSession,
          prefersFullScreen: request.options.prefersFullScreen,
          makeURL: { pending.url(redirectURI: $0) }))
    } catch var error as ConnectorError where [.userClosedBrowser, .timedOut].contains(error.code) {
      // The page was opened, so its server knows the id; other failures may have kept it from opening.
      error.correlationID = error.correlationID ?? request.provider.known(request.correlationID)
      throw error
    }
  }
}

extension SignInOptions {
  /// The options of the password-reset step: parameters for the sign-in page alone are removed.
  fileprivate var forPasswordReset: SignInOptions {
    var copy = self
    copy.prompt = .automatic
    copy.domainHint = nil
    copy.extraParameters = [:]
    copy.claimsRequest = nil
    return copy
  }
}

/// The end of a sign-in, by page or by device code: verifies the id_token and stores the result.
extension SignIn {
  /// Verifies the id_token of a token answer, and writes the result.
  ///
  /// After a device code a generic issuer that sends none is asked who it is at its userinfo endpoint.
  ///
  /// Nothing that can fail comes after the store, so a sign-in that fails changes nothing. A policy that edits the profile or
  /// resets the password lays its claims over the record of the user who finished it, signed in last or not, and leaves no
  /// session.
  ///
  /// - Parameters:
  ///   - response: The answer to the code.
  ///   - provider: Who gave it.
  ///   - nonce: The nonce of the authorization request; `nil` for a device code, whose id_token has none.
  ///   - userID: Who has to sign in; `nil` when anyone may.
  ///   - scopes: The scopes of the API that were requested.
  ///   - sent: All scopes that were sent.
  ///   - correlationID: The correlation id of the sign-in.
  /// - Returns: The result, as it is stored.
  /// - Throws: ``ConnectorError`` with code `invalidResponse` when nothing tells who signed in; what the check, the userinfo
  ///   endpoint and the store throw.
  func finish(
    _ response: TokenResponse, from provider: Provider, nonce: Secret?, userID: String? = nil, scopes: [String],
    sent: [String], correlationID: UUID
  ) async throws -> SignInResult {
    let claims: [String: JSONValue]
    if let idToken = response.idToken {
      claims = try await IDTokenCheck(services: services).claims(
        of: idToken, provider: provider, nonce: nonce, accessToken: response.accessToken, correlationID: correlationID)
    } else if nonce == nil, !provider.isMicrosoft, let url = provider.metadata.userInfoEndpoint,
      let accessToken = response.accessToken
    {
      // RFC 8628 promises no id_token.
      claims = try await TokenSource(services: services).claims(at: url) { _ in (accessToken, nil) }.all
    } else {
      throw ConnectorError(
        own: .invalidResponse, "The token answer has no id_token, though openid was asked for.",
        correlationID: provider.known(correlationID)
      ).about(provider.tokenRoute.url, method: "POST")
    }
    let isMicrosoft = services.isMicrosoft
    let id = UserIdentity(claims: claims, issuer: provider.metadata.issuer, isMicrosoft: isMicrosoft).userID
    try checkUser(UserInfo(id: id, claims: claims, hasSession: true, isMicrosoft: isMicrosoft), meant: userID)
    if let error = response.unusableAccessToken { throw error }
    let now = services.environment.now()
    let answer = GrantedTokens(response: response, requested: scopes, sent: sent, at: now, claims: claims)
    let key = services.client.key(id)
    var record = TokenRecord(signedInAt: now, policyID: provider.policy?.id, claims: claims).taking(answer)
    record.requiredUser = services.client.requiredUser
    var hasSession = record.hasSession(now: now)
    // The settings' key or the caller says what a policy is for; the words of its name say nothing.
    if let kind = provider.policy?.kind, [.profileEdit, .passwordReset].contains(kind) {
      hasSession = await layOver(claims, key)
    } else {
      try await services.store.signIn(record, key, of: services.client, services.wait)
    }
    return SignInResult(
      user: UserInfo(id: id, claims: claims, hasSession: hasSession, isMicrosoft: isMicrosoft),
      accessToken: record.accessTokens.first.map { AccessToken($0, userID: id) },
      idToken: response.idToken, policy: provider.policy, correlationID: correlationID)
  }

  /// Lays new claims over those of a user's record; where the cache refuses that, they come with the next refresh.
  ///
  /// - Returns: Whether the user has a session.
  private func layOver(_ claims: [String: JSONValue], _ key: TokenCacheKey) async -> Bool {
    guard let record = try? await services.store.record(key, services.wait) else { return false }
    _ = try? await services.store.update(SessionStore.Session(key: key, record: record), services.wait) {
      $0.adopting(claims)
    }
    return record.hasSession(now: services.environment.now())
  }

  private func checkUser(_ user: UserInfo, meant userID: String?) throws(ConnectorError) {
    guard userID.map({ ASCIIText.isSame($0, user.id) }) ?? true else {
      throw ConnectorError(
        own: .wrongUser, "Another user signed in than the one who was asked to.",
        recoverySuggestion: "Sign in as that user; `prompt` with `login` or `selectAccount` offers another account.")
    }
    guard let required = services.configuration.requiredUser, !required.isEmpty,
      !user.isUser(required, isMicrosoft: services.isMicrosoft)
    else { return }
    let advice = user.adviceToCompare(with: required, isMicrosoft: services.isMicrosoft)
    throw ConnectorError(
      own: .wrongUser,
      advice == nil
        ? "Another user signed in than the one the settings require."
        : "The id_token has no address or user name that can be compared with userId of the settings.",
      recoverySuggestion: (advice ?? "Sign in as the user that userId names, or remove userId from the settings.")
        + (services.isMicrosoft ? "" : " An address counts only if the provider sends email_verified."))
  }
}
