internal import B2CCore
internal import Foundation

/// The end of a sign-in, by page or by device code: verifies the id_token and stores the result.
struct SignInCompletion: Sendable {
  let sessions: UserSessions
  let providers: ProviderDirectory
  let userInfo: UserInfoEndpoint
  let serverClock: ServerClock
  let clockSkew: Duration

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
  ///   - correlationID: The correlation id of the sign-in.
  /// - Returns: The result, as it is stored.
  /// - Throws: ``ConnectorError`` with code `invalidResponse` when nothing tells who signed in; what the check, the userinfo
  ///   endpoint and the store throw.
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
      // RFC 8628 promises no id_token.
      claims = try await userInfo.claims(at: url) { _ in (accessToken, nil) }.all
    } else {
      throw ConnectorError(
        own: .invalidResponse, "The token answer has no id_token, though openid was asked for.",
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
    // The settings' key or the caller says what a policy is for; the words of its name say nothing.
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

  /// Lays new claims over those of a user's record; where the cache refuses that, they come with the next refresh.
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
        own: .wrongUser, "Another user signed in than the one who was asked to.",
        recoverySuggestion: "Sign in as that user; `prompt` with `login` or `selectAccount` offers another account.")
    }
    guard let required = sessions.client.requiredUser, !user.isUser(required, isMicrosoft: sessions.client.isMicrosoft)
    else { return }
    let advice = user.adviceToCompare(with: required, isMicrosoft: sessions.client.isMicrosoft)
    throw ConnectorError(
      own: .wrongUser,
      advice == nil
        ? "Another user signed in than the one the settings require."
        : "The id_token has no address or user name that can be compared with userId of the settings.",
      recoverySuggestion: (advice ?? "Sign in as the user that userId names, or remove userId from the settings.")
        + (sessions.client.isMicrosoft ? "" : " An address counts only if the provider sends email_verified."))
  }
}
