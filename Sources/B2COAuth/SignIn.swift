internal import B2CCore
package import Foundation

/// The sign-in with a policy: request, page, checked callback, tokens, verified claims and stored record.
package struct SignIn: Sendable {
  let request: AuthorizationRequest
  package let passwordResetPolicy: Policy?
  let providers: ProviderDirectory
  let endpoint: TokenEndpoint
  package let presenter: any SignInPresenter
  let completion: SignInCompletion
  let events: OAuthEvents

  package func run(policy: Policy?, options: SignInOptions) async throws -> SignInResult {
    let correlationID = events.correlationID()
    let number = OpenPages.nextNumber()
    return try await events.signingIn(policyID: policy?.id, correlationID: correlationID) {
      do {
        return try await present(policy, options, number, correlationID)
      } catch let error as ConnectorError where error.code == .passwordResetRequested {
        guard let reset = passwordResetPolicy, reset.key != policy?.key else { throw error }
        // This page changes the password but begins no session, so the sign-in page follows, which the user may also
        // close.
        _ = try await present(reset, options.forPasswordReset, number, correlationID)
        return try await present(policy, options, number, correlationID)
      }
    }
  }

  /// Runs the first half of a sign-in, which is everything before the page.
  package func begin(policy: Policy?, options: SignInOptions) async throws -> PendingSignIn {
    let (_, pending) = try await prepare(policy, options, events.correlationID())
    events.emit(.signInStarted, policy?.id, pending.correlationID)
    return pending
  }

  /// Runs the second half of a sign-in, which is everything after the callback.
  package func finish(_ pending: PendingSignIn, callback: URL) async throws -> SignInResult {
    try await events.signingIn(policyID: pending.policyID, correlationID: pending.correlationID, hasBegun: true) {
      try await redeem(pending, callback)
    }
  }

  private func present(
    _ policy: Policy?, _ options: SignInOptions, _ number: Int, _ correlationID: UUID
  ) async throws -> SignInResult {
    try presenter.validate(redirectURI: request.redirectURI)
    let (provider, pending) = try await prepare(policy, options, correlationID)
    // The keys are needed only for the id_token, so they are fetched while the user is at the page. A failure is
    // ignored here, because the check of the id_token fetches them again.
    async let _ = try? providers.keys(of: provider, correlationID: correlationID)
    return try await redeem(pending, try await show(pending, options, provider, number))
  }

  /// Checks options and settings and prepares the request, so that mistakes are reported before a page opens.
  private func prepare(
    _ policy: Policy?, _ options: SignInOptions, _ correlationID: UUID
  ) async throws -> (Provider, PendingSignIn) {
    if let retired = request.authority.retirement(for: policy) { throw retired.error }
    _ = try ReservedParameters.checked(options.extraParameters)
    if let claims = options.claimsRequest, !claims.isEmpty { try TokenSource.checkClaims(claims) }
    let provider = try await providers.provider(for: policy, correlationID: correlationID)
    let pending = try request.pending(
      provider, options, userID: options.user.map { completion.sessions.client.folded($0.id) },
      correlationID: correlationID, at: completion.sessions.now())
    return (provider, pending)
  }

  private func redeem(_ pending: PendingSignIn, _ url: URL) async throws -> SignInResult {
    let policy = try request.policy(of: pending, at: completion.sessions.now())
    let provider = try await providers.provider(for: policy, correlationID: pending.correlationID)
    do {
      let callback = try pending.validate(url, from: provider)
      let response = try await endpoint.redeem(
        code: callback.code, redirectURI: callback.redirectURI, verifier: pending.verifier,
        scopes: provider.sent(pending.scopes), at: provider.tokenRoute, correlationID: pending.correlationID)
      return try await completion.finish(
        response, from: provider, nonce: pending.nonce, userID: pending.userID, scopes: pending.scopes,
        correlationID: pending.correlationID)
    } catch var error as ConnectorError {
      error.correlationID = error.correlationID ?? provider.known(pending.correlationID)
      throw error
    }
  }

  private func show(
    _ pending: PendingSignIn, _ options: SignInOptions, _ provider: Provider, _ number: Int
  ) async throws -> URL {
    do {
      return try await presenter.present(
        PresentationRequest(
          purpose: .signIn, signIn: number, redirectURI: request.redirectURI, state: pending.state,
          prefersEphemeralSession: options.prefersEphemeralSession, prefersFullScreen: options.prefersFullScreen,
          makeURL: { pending.url(redirectURI: $0) }))
    } catch var error as ConnectorError where [.userClosedBrowser, .timedOut].contains(error.code) {
      // The page was open, so its server knows the id. With any other error it may not have opened.
      error.correlationID = error.correlationID ?? provider.known(pending.correlationID)
      throw error
    }
  }
}

extension SignInOptions {
  /// The options for the password-reset page, without the parameters that are meant for the sign-in page alone.
  fileprivate var forPasswordReset: SignInOptions {
    var copy = self
    copy.prompt = .automatic
    copy.domainHint = nil
    copy.extraParameters = [:]
    copy.claimsRequest = nil
    return copy
  }
}
