internal import B2CCore
internal import Foundation

/// The last step of a sign-in, with a page or a device code: verifies the id_token and stores the record.
struct SignInCompletion: Sendable {
  let sessions: UserSessions
  let providers: ProviderDirectory
  let userInfo: UserInfoEndpoint
  let serverClock: ServerClock
  let clockSkew: Duration

  /// Verifies the id_token of a token response and stores the record of its user.
  ///
  /// After a device code, an OpenID Connect provider may send no id_token. Its userinfo endpoint then names the user.
  ///
  /// Storing the record is the last step that can fail, so a failed sign-in changes nothing. After a profile edit or a
  /// password reset, the new claims update the record of the user who finished the page, even if another user is
  /// current, and no session begins.
  ///
  /// - Parameters:
  ///   - response: The response to the authorization code or device code.
  ///   - provider: The provider that sent it.
  ///   - nonce: The nonce of the authorization request, or `nil` for a device code, whose id_token has none.
  ///   - userID: The id of the user who must sign in, or `nil` if any user may.
  ///   - scopes: The requested scopes of the API.
  ///   - correlationID: The correlation id of the sign-in.
  /// - Returns: The result, as it is stored.
  /// - Throws: ``ConnectorError`` with code `invalidResponse` if the response does not say who signed in, or
  ///   `wrongUser` if another user did; the errors of the id_token check, the userinfo endpoint and the store.
  func finish(
    _ response: TokenResponse, from provider: Provider, nonce: Secret?, userID: String? = nil, scopes: [String],
    correlationID: UUID
  ) async throws -> SignInResult {
    let claims: [String: JSONValue]
    if let idToken = response.idToken {
      claims = try await self.claims(
        of: idToken, provider: provider, nonce: nonce, accessToken: response.accessToken, correlationID: correlationID)
    } else if nonce == nil, !provider.isMicrosoft, let url = provider.metadata.userInfoEndpoint,
      let accessToken = response.accessToken
    {
      // RFC 8628 does not promise an id_token, so the userinfo endpoint names the user.
      claims = try await userInfo.claims(at: url) { _ in (accessToken, nil) }.all
    } else {
      throw ConnectorError(
        own: .invalidResponse, "The token response has no id_token, although openid was requested.",
        correlationID: provider.known(correlationID)
      ).about(provider.tokenRoute.url, method: "POST")
    }
    let isMicrosoft = sessions.client.isMicrosoft
    let id = UserIdentity.userID(claims, issuer: provider.metadata.issuer, isMicrosoft: isMicrosoft)
    try checkUser(UserInfo(id: id, claims: claims, hasSession: true, isMicrosoft: isMicrosoft), meant: userID)
    if let error = response.unusableAccessToken { throw error }
    let now = sessions.now()
    let answer = GrantedTokens(
      response: response, requested: scopes, sent: provider.sent(scopes), at: now, claims: claims)
    let key = sessions.client.key(id)
    var record = TokenRecord(signedInAt: now, policyID: provider.policy?.id, claims: claims).taking(answer)
    record.requiredUser = sessions.client.requiredUser
    var hasSession = record.hasSession(now: now)
    // The settings or the caller say what a policy is for. The SDK never guesses it from the policy's name.
    if let kind = provider.policy?.kind, [.profileEdit, .passwordReset].contains(kind) {
      hasSession = await layOver(claims, key)
    } else {
      try await sessions.store.signIn(record, key, of: sessions.client, sessions.wait)
    }
    return SignInResult(
      user: UserInfo(id: id, claims: claims, hasSession: hasSession, isMicrosoft: isMicrosoft),
      accessToken: record.accessTokens.first.map { AccessToken($0, userID: id) },
      idToken: response.idToken, policy: provider.policy)
  }

  /// Updates the claims in a user's record after a profile edit or a password reset.
  ///
  /// If the cache refuses the change, the next refresh returns the new claims.
  ///
  /// - Returns: Whether the user has a session.
  private func layOver(_ claims: [String: JSONValue], _ key: TokenCacheKey) async -> Bool {
    guard let record = try? await sessions.record(key) else { return false }
    _ = try? await sessions.store.update(SessionStore.Session(key: key, record: record), sessions.wait) {
      $0.adopting(claims)
    }
    return record.hasSession(now: sessions.now())
  }

  private func checkUser(_ user: UserInfo, meant userID: String?) throws(ConnectorError) {
    guard userID.map({ ASCIIText.isSame($0, user.id) }) ?? true else {
      throw ConnectorError(
        own: .wrongUser, "Another user signed in than the one in `options.user`.",
        recoverySuggestion: "Sign in as that user. With `prompt: .login` the page ignores the browser's session.")
    }
    guard let required = sessions.client.requiredUser, !user.isUser(required, isMicrosoft: sessions.client.isMicrosoft)
    else { return }
    let advice = user.adviceToCompare(with: required, isMicrosoft: sessions.client.isMicrosoft)
    throw ConnectorError(
      own: .wrongUser,
      advice == nil
        ? "Another user signed in than the `userId` of the settings."
        : "The id_token has no address or user name that can be compared with the `userId` of the settings.",
      recoverySuggestion: (advice ?? "Sign in as that user, or remove `userId` from the settings.")
        + (sessions.client.isMicrosoft ? "" : " An address counts only if the provider sends email_verified."))
  }
}
