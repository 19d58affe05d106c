internal import B2CCore
internal import Foundation

/// Runs one policy from the page to the stored record.
struct SignInFlow: Sendable {
  let services: OAuthServices

  private var configuration: OAuthConfiguration { services.configuration }

  func run(policy: Policy?, options: SignInOptions) async throws -> SignInResult {
    let correlationID = services.correlationID(options.correlationID)
    return try await services.reporting(
      .signInStarted, .signInFinished, policy: policy, correlationID: correlationID
    ) {
      do {
        return try await authorize(policy, options, correlationID)
      } catch let error as OAuthError where error.code == .passwordResetRequested && options.runsPasswordReset {
        guard let reset = configuration.passwordResetPolicy, reset != policy else { throw error }
        // Cancelling after it leaves the new password and no session.
        _ = try await authorize(reset, options.forPasswordReset, correlationID, isPasswordResetStep: true)
        return try await authorize(policy, options, correlationID)
      }
    }
  }

  private func authorize(
    _ policy: Policy?, _ options: SignInOptions, _ correlationID: UUID, isPasswordResetStep: Bool = false
  ) async throws -> SignInResult {
    // Whatever is wrong with the settings is found here, before a page opens.
    if let retired = configuration.authority.retirement(for: policy) { throw OAuthError(retired) }
    try services.environment.presenter.validate(redirectURI: configuration.redirectURI)
    _ = try ReservedParameters.checked(options.extraParameters)
    let provider = try await services.providers.provider(for: policy)
    let request = try AuthorizationRequest(
      provider: provider, configuration: configuration, policy: policy, options: options, correlationID: correlationID)
    // The keys are not needed before the answer comes: they are fetched while the user is at the page.
    async let _: Void = services.providers.prefetch(policy)
    let url = try await present(request)
    return try await OAuthError.echoing(request.sentCorrelationID) {
      let callback = try request.validate(url)
      let response = try await services.endpoint.redeem(callback, of: request)
      return try await finish(request, response, isPasswordResetStep: isPasswordResetStep)
    }
  }

  private func present(_ request: AuthorizationRequest) async throws -> URL {
    // Built here once so that a failure is thrown; another port of this machine changes nothing that could fail.
    let page = try request.url(redirectURI: configuration.redirectURI)
    do {
      return try await services.environment.presenter.present(
        PresentationRequest(
          purpose: .signIn, redirectURI: configuration.redirectURI, state: request.state,
          prefersEphemeralSession: request.options.prefersEphemeralSession,
          prefersFullScreen: request.options.prefersFullScreen,
          makeURL: { (try? request.url(redirectURI: $0)) ?? page }))
    } catch var error as OAuthError where [.userClosedBrowser, .timedOut].contains(error.code) {
      // The page was opened, so its server knows the id; other failures may have kept it from opening.
      error.correlationID = error.correlationID ?? request.sentCorrelationID
      throw error
    }
  }

  private func finish(
    _ request: AuthorizationRequest, _ response: TokenResponse, isPasswordResetStep: Bool
  ) async throws -> SignInResult {
    guard let idToken = response.idToken else {
      throw OAuthError(
        .invalidResponse, "The token answer has no id_token, though openid was asked for.",
        correlationID: request.sentCorrelationID)
    }
    let claims = try await IDTokenCheck(services: services).claims(
      of: idToken, provider: request.provider, nonce: request.nonce, accessToken: response.accessToken, previous: nil,
      maximumAge: request.maximumAge)
    return try await GrantWriter(services: services).write(
      response, claims: claims, provider: request.provider, scopes: request.scopes,
      sent: request.tokenScopes, correlationID: request.correlationID, isPasswordResetStep: isPasswordResetStep)
  }
}

extension SignInOptions {
  /// The options of the password-reset step: parameters for the sign-in page alone are removed.
  fileprivate var forPasswordReset: SignInOptions {
    var copy = self
    copy.prompt = nil
    copy.domainHint = nil
    copy.extraParameters = [:]
    return copy
  }
}
