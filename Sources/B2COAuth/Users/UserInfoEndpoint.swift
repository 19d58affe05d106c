internal import B2CCore
internal import B2CIDToken
internal import Foundation

/// The provider's userinfo endpoint (OpenID Connect Core section 5.3).
package struct UserInfoEndpoint: Sendable {
  let sessions: UserSessions
  let calls: APICalls
  let providers: ProviderDirectory
  let limits: TransportLimits

  /// Returns the user as the provider describes it now; `Connector.fetchUserInfo(user:)` documents it.
  package func fetch(user: UserInfo? = nil) async throws -> UserInfo {
    guard let session = try await sessions.session(user?.id) else { throw TokenSource.notSignedIn(user?.id) }
    let verified = sessions.user(session)
    guard !sessions.client.isMicrosoft, let url = try await providers.provider(for: nil).metadata.userInfoEndpoint
    else { return verified }
    let (claims, subject) = try await claims(at: url, user: verified)
    // A response with another subject may be about the owner of another token (OpenID Connect Core section 5.3.2).
    guard ASCIIText.isSame(subject, verified.subject) else {
      throw ConnectorError(
        own: .invalidResponse, "The userinfo response is about another user than the id_token."
      ).about(url)
    }
    return UserInfo(id: verified.id, claims: claims, hasSession: verified.hasSession, isMicrosoft: false)
  }

  /// Asks a userinfo endpoint about the owner of an access token.
  ///
  /// - Parameters:
  ///   - url: The endpoint.
  ///   - user: The user whose stored tokens are sent.
  ///   - tokens: The tokens to send instead of the stored ones.
  /// - Returns: The claims, and the subject among them.
  /// - Throws: ``ConnectorError``, as ``fetch(user:)`` does; `CancellationError`.
  func claims(
    at url: URL, user: UserInfo? = nil, tokens: BearerTokens? = nil
  ) async throws -> (all: [String: JSONValue], subject: String) {
    let request = URLRequest(method: "GET", url: url, headers: ["Accept": "application/json"])
    var history = RequestHistory()
    let (body, response) = try await calls.transport(
      to: Set([Origin(url)].compactMap(\.self)), user: user, retry: .none, tokens: tokens
    ).send(request, limits: limits, noting: &history)
    let status = response.statusCode
    guard status == 200 else {
      var error = ConnectorError(
        own: ErrorCode(temporaryStatus: status) ?? .server, "The userinfo endpoint answered \(status).", status: status)
      error.retryAfter = RetryAfter.seconds(in: response)
      throw error.about(url)
    }
    guard let claims = try? JSONReader.object(body), let subject = IDTokenClaims.identifiers(in: claims)["sub"] else {
      throw ConnectorError(
        own: .invalidResponse, "The userinfo response is not a JSON object with a sub.",
        recoverySuggestion: "Have the provider send userinfo as plain JSON for this client."
      ).about(url)
    }
    return (claims, subject)
  }
}
