internal import B2CCore
internal import Foundation

extension OAuthClient {
  /// Returns the provider's present answer about a user, without opening a page.
  ///
  /// It is asked for at the provider's userinfo endpoint (OpenID Connect Core section 5.3), with the user's access token.
  /// Microsoft's authorities have none for an app's tokens, since Entra ID's is an API of Microsoft Graph: there, and
  /// where a provider publishes none, the verified claims of the last id_token are returned.
  ///
  /// - Parameter account: The user to ask about; that of ``currentAccount(policy:)`` when `nil`.
  /// - Returns: The user; `subject` is always that of the verified id_token.
  /// - Throws: ``OAuthError``: `interactionRequired` when nobody is signed in; `invalidResponse` when the answer is not
  ///   JSON or is about another user; `server` and what a silent token call throws. `CancellationError` when the calling
  ///   task was cancelled.
  public func userInfo(account: Account? = nil) async throws -> UserInfo {
    guard let grant = try await services.grants.grant(accountID: account?.id, policy: nil) else {
      throw OAuthError(.interactionRequired, "Nobody is signed in.", recoverySuggestion: "Sign in first.")
    }
    let verified = UserInfo(claims: grant.record.claims, isMicrosoft: services.grants.isMicrosoft)
    guard !services.grants.isMicrosoft,
      let url = try await services.providers.provider(for: nil).metadata.userInfoEndpoint
    else { return verified }
    let person = Account(id: grant.key.accountID)
    let token = try await accessToken(account: person).token
    var response = try await ask(url, token)
    if response.status == 401 {
      response = try await ask(url, try await accessToken(account: person, options: TokenOptions(refused: token)).token)
    }
    let failed = FailedRequest(TransportRequest(url: url))
    guard response.status == 200 else {
      throw OAuthError(
        response.status == 429 ? .throttled : response.status >= 500 ? .serviceUnavailable : .server,
        "The userinfo endpoint answered \(response.status).",
        server: ServerAnswer(
          status: response.status,
          retryAfter: RetryAfter.seconds(in: response.headers, now: services.environment.now())), request: failed)
    }
    guard let claims = try? JSONReader.object(response.body), let subject = claims["sub"]?.string else {
      throw OAuthError(
        .invalidResponse, "The userinfo answer is not a JSON object with a sub.",
        recoverySuggestion: "Have the provider send userinfo as plain JSON for this client.", request: failed)
    }
    // Core 5.3.2: otherwise the answer may be about the owner of another token.
    guard ASCIIText.isSame(subject, verified.subject) else {
      throw OAuthError(
        .invalidResponse, "The userinfo answer is about another user than the id_token.", request: failed)
    }
    return UserInfo(claims: claims, isMicrosoft: false)
  }

  private func ask(_ url: URL, _ token: Secret) async throws -> TransportResponse {
    try await services.environment.transport.sendMappingErrors(
      TransportRequest(
        url: url, headers: ["Authorization": "Bearer " + token.value, "Accept": "application/json"],
        limits: configuration.limits))
  }
}
