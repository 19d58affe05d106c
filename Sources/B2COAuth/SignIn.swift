internal import B2CCore
internal import Foundation

/// Signs in by one policy: request, page, validated callback, tokens, verified claims, stored record.
struct SignIn: Sendable {
  let services: OAuthServices
  let tokens: TokenSource

  private var configuration: OAuthConfiguration { services.configuration }

  func run(policy: Policy?, options: SignInOptions) async throws -> SignInResult {
    let correlationID = services.correlationID(nil)
    return try await services.reporting(
      .signInStarted, .signInFinished, policy: policy, correlationID: correlationID
    ) {
      do {
        return try await authorize(policy, options, correlationID)
      } catch let error as ConnectorError where error.code == .passwordResetRequested {
        guard let reset = configuration.passwordResetPolicy, reset.key != policy?.key else { throw error }
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
    if let retired = configuration.authority.retirement(for: policy) { throw ConnectorError(retired) }
    try services.presenter.validate(redirectURI: configuration.redirectURI)
    _ = try ReservedParameters.checked(options.extraParameters)
    if let claims = options.claimsRequest, !claims.isEmpty { _ = try ClaimsRequest.checked(claims) }
    let provider = try await services.providers.provider(for: policy)
    let request = try AuthorizationRequest(
      provider: provider, configuration: configuration, policy: policy, options: options, correlationID: correlationID)
    // The keys are not needed before the answer comes: they are fetched while the user is at the page.
    async let _: Void = services.providers.prefetch(policy)
    let url = try await present(request)
    do {
      let callback = try request.validate(url)
      let response = try await services.endpoint.redeem(callback, of: request)
      return try await SignInWriter(services: services, tokens: tokens).finish(
        response, from: request.provider, request: request, scopes: request.scopes, sent: request.tokenScopes,
        correlationID: request.correlationID, isPasswordResetStep: isPasswordResetStep)
    } catch var error as ConnectorError {
      error.correlationID = error.correlationID ?? request.sentCorrelationID
      throw error
    }
  }

  private func present(_ request: AuthorizationRequest) async throws -> URL {
    // Built here once so that a failure is thrown; another port of this machine changes nothing that could fail.
    let page = try request.url(redirectURI: configuration.redirectURI)
    do {
      return try await services.presenter.present(
        PresentationRequest(
          purpose: .signIn, redirectURI: configuration.redirectURI, state: request.state,
          prefersEphemeralSession: request.options.prefersEphemeralSession,
          prefersFullScreen: request.options.prefersFullScreen,
          makeURL: { (try? request.url(redirectURI: $0)) ?? page }))
    } catch var error as ConnectorError where [.userClosedBrowser, .timedOut].contains(error.code) {
      // The page was opened, so its server knows the id; other failures may have kept it from opening.
      error.correlationID = error.correlationID ?? request.sentCorrelationID
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
struct SignInWriter: Sendable {
  let services: OAuthServices
  let tokens: TokenSource

  // Claims that belong to one token and not to the person.
  private static let claimsOfToken: Set<String> = [
    "iss", "aud", "exp", "nbf", "iat", "nonce", "tfp", "acr", "azp", "at_hash", "c_hash", "ver", "auth_time", "sub",
  ]

  /// Verifies the id_token of a token answer, and writes the result.
  ///
  /// - Parameters:
  ///   - response: The answer to the code.
  ///   - provider: Who gave it.
  ///   - request: The authorization request; `nil` for a device code, whose id_token has no nonce.
  ///   - scopes: The scopes of the API that were requested.
  ///   - sent: All scopes that were sent.
  ///   - correlationID: The correlation id of the sign-in.
  ///   - isPasswordResetStep: Whether it is the password-reset step of a sign-in.
  /// - Returns: The result, as it is stored.
  /// - Throws: ``ConnectorError`` with code `invalidResponse` without an id_token; what the check and the store throw.
  func finish(
    _ response: TokenResponse, from provider: Provider, request: AuthorizationRequest?, scopes: [String],
    sent: [String], correlationID: UUID, isPasswordResetStep: Bool = false
  ) async throws -> SignInResult {
    guard let idToken = response.idToken else {
      throw ConnectorError(
        own: .invalidResponse, "The token answer has no id_token, though openid was asked for.",
        correlationID: provider.isMicrosoft ? correlationID : nil
      ).about(provider.tokenRoute.url, method: "POST")
    }
    let claims = try await IDTokenCheck(services: services).claims(
      of: idToken, provider: provider, nonce: request?.nonce, accessToken: response.accessToken, previous: nil)
    return try await write(
      response, claims: claims, provider: provider, scopes: scopes, sent: sent, correlationID: correlationID,
      isPasswordResetStep: isPasswordResetStep)
  }

  /// Writes the result of a sign-in; nothing that can fail comes after the store, so a sign-in that fails changes nothing.
  ///
  /// A policy that edits the profile or resets the password changes the claims of the person who is signed in, and leaves
  /// no session. So does the password-reset step of a sign-in, for whomever it is: the sign-in itself follows.
  private func write(
    _ response: TokenResponse, claims: [String: JSONValue], provider: Provider, scopes: [String], sent: [String],
    correlationID: UUID, isPasswordResetStep: Bool
  ) async throws -> SignInResult {
    let isMicrosoft = services.users.isMicrosoft
    let identity = UserIdentity(
      claims: claims, issuer: provider.metadata.issuer, isMicrosoft: isMicrosoft)
    var user = UserInfo(id: identity.userID, claims: claims, hasSession: false, isMicrosoft: isMicrosoft)
    try checkRequiredUser(user)
    if let error = response.unusableAccessToken { throw error }
    let now = services.environment.now()
    let record = { (signedInAt: Date) in
      TokenRecord(
        claims: claims, signedInAt: signedInAt, policyID: provider.policy?.id
      ).merging(response, requested: scopes, sent: sent, now: now)
    }
    let new: TokenRecord
    if isPasswordResetStep || updatesUserOnly(provider.policy) {
      if !isPasswordResetStep { try await checkIsCurrent(identity) }
      new = record(now)
      let records = try await update(user.id, claims, after: isPasswordResetStep ? nil : provider.policy)
      user.hasSession = records.first?.record.hasSession(now: now) ?? false
    } else {
      let key = services.users.key(userID: user.id, policy: provider.policy)
      let dates = services.users.nextSignInDates(serverTime: services.serverClock.now, keeps: true)
      var signedIn = record(dates.device)
      if dates.server != dates.device { signedIn.serverSignedInAt = dates.server }
      new = signedIn
      try await services.cache.store(new, for: key)
      services.users.signedIn(key, at: new.signedInAt)
      user.hasSession = new.hasSession(now: now)
    }
    services.sessions.changed()
    return SignInResult(
      user: user, accessToken: new.accessTokens.first.map { AccessToken($0, userID: user.id) },
      idToken: response.idToken, policy: provider.policy, correlationID: correlationID,
      unknownFields: response.unknownFields)
  }

  /// Lays new claims over those of a user's records, and refreshes each at its own policy.
  ///
  /// The refresh brings all claims as that policy gives them; until then, or if it fails, the new ones are right. After a
  /// password reset it is waited for: where the service has ended the older tokens, the session is known to have expired.
  ///
  /// - Returns: The user's records as they are then.
  private func update(
    _ userID: String, _ claims: [String: JSONValue], after policy: Policy?
  ) async throws -> [StoredRecord] {
    var records = try await services.users.records(userID: userID)
    for index in records.indices {
      try await services.cache.update(records[index].key) { Self.adopting(claims, in: $0) }
      records[index].record = Self.adopting(claims, in: records[index].record)
    }
    guard let policy else { return records }
    let renewable = records.filter { $0.record.refreshToken != nil }
    guard resetsPassword(policy) else {
      for stored in renewable {
        services.adoptions.start(for: userID) { await tokens.renew(stored) }
      }
      return records
    }
    for stored in renewable { await tokens.renew(stored) }
    return (try? await services.users.records(userID: userID)) ?? records
  }

  /// Whether the caller asked for a policy that changes a user and does not sign in.
  ///
  /// The settings' key or the caller says so; the words of a policy's name say nothing.
  private func updatesUserOnly(_ policy: Policy?) -> Bool {
    guard let policy else { return false }
    return policy.kind == .profileEdit || resetsPassword(policy)
  }

  private func resetsPassword(_ policy: Policy) -> Bool {
    policy.kind == .passwordReset
      || (policy.key == services.configuration.passwordResetPolicy?.key
        && policy.key != services.configuration.defaultPolicy?.key)
  }

  /// Refuses an edit or a reset that another person finished than the one who is signed in.
  private func checkIsCurrent(_ identity: UserIdentity) async throws {
    guard let current = try await services.users.record(userID: nil, policy: nil),
      current.key.userID != identity.userID
    else { return }
    throw ConnectorError(
      own: .wrongUser, "Another person finished the page than the one who is signed in.",
      recoverySuggestion: "Sign out first, or run the policy as the user who is signed in.")
  }

  private func checkRequiredUser(_ user: UserInfo) throws(ConnectorError) {
    let isMicrosoft = services.users.isMicrosoft
    guard let required = services.configuration.requiredUser, !required.isEmpty,
      !user.isUser(required, isMicrosoft: isMicrosoft)
    else { return }
    throw ConnectorError(
      own: .wrongUser, "Another user signed in than the one the settings require.",
      recoverySuggestion: "Sign in as the user that userId names, or remove userId from the settings."
        + (isMicrosoft ? "" : " An address counts only where the provider sends email_verified."))
  }

  private static func adopting(_ claims: [String: JSONValue], in record: TokenRecord) -> TokenRecord {
    var copy = record
    copy.claims.merge(claims.filter { !claimsOfToken.contains($0.key) }) { _, new in new }
    return copy
  }
}
