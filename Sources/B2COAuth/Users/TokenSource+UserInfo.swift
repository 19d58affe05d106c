internal import B2CCore
internal import B2CIDToken
internal import Foundation

extension TokenSource {
  /// Returns the provider's present answer about a user, without opening a page.
  ///
  /// It is asked for at the provider's userinfo endpoint (OpenID Connect Core section 5.3), with the user's access token.
  /// Microsoft's authorities have none for an app's tokens, since Entra ID's is an API of Microsoft Graph: there, and
  /// where a provider publishes none, the verified claims of the last id_token are returned.
  ///
  /// - Parameter user: The user to ask about; the current one when `nil`.
  /// - Returns: The user; `subject` is always that of the verified id_token.
  /// - Throws: ``ConnectorError``: `interactionRequired` when no user is signed in; `invalidResponse` when the answer is not
  ///   JSON or is about another user; `unauthorized`, `insufficientScope` and `claimsRequired` when the endpoint wants
  ///   another token; `server` and what a silent token call throws. `CancellationError` when the calling task was
  ///   cancelled.
  package func userInfo(user: UserInfo? = nil) async throws -> UserInfo {
    guard let session = try await services.session(user?.id) else { throw Self.notSignedIn(user?.id) }
    let verified = services.user(session)
    guard !services.isMicrosoft, let url = try await services.providers.provider(for: nil).metadata.userInfoEndpoint
    else { return verified }
    let (claims, subject) = try await claims(at: url, user: verified)
    // Core 5.3.2: otherwise the answer may be about the owner of another token.
    guard ASCIIText.isSame(subject, verified.subject) else {
      throw ConnectorError(
        own: .invalidResponse, "The userinfo answer is about another user than the id_token."
      ).about(url)
    }
    return UserInfo(id: verified.id, claims: claims, hasSession: verified.hasSession, isMicrosoft: false)
  }

  /// Asks a userinfo endpoint about the owner of an access token.
  ///
  /// - Parameters:
  ///   - url: The endpoint.
  ///   - user: Whose stored tokens are sent.
  ///   - tokens: The tokens to send in place of those.
  /// - Returns: The claims, and the subject among them.
  /// - Throws: ``ConnectorError`` as ``userInfo(user:)``; `CancellationError`.
  func claims(
    at url: URL, user: UserInfo? = nil, tokens: BearerTokens? = nil
  ) async throws -> (all: [String: JSONValue], subject: String) {
    let request = URLRequest(method: "GET", url: url, headers: ["Accept": "application/json"])
    var history = RequestHistory()
    let (body, response) = try await transport(
      to: Set([Origin(url)].compactMap(\.self)), user: user, retry: .none, tokens: tokens
    ).send(request, limits: services.configuration.limits, noting: &history)
    let status = response.statusCode
    guard status == 200 else {
      var error = ConnectorError(
        own: ErrorCode(temporaryStatus: status) ?? .server, "The userinfo endpoint answered \(status).", status: status)
      error.retryAfter = RetryAfter.seconds(in: response)
      throw error.about(url)
    }
    guard let claims = try? JSONReader.object(body), let subject = IDTokenClaims.identifiers(in: claims)["sub"] else {
      throw ConnectorError(
        own: .invalidResponse, "The userinfo answer is not a JSON object with a sub.",
        recoverySuggestion: "Have the provider send userinfo as plain JSON for this client."
      ).about(url)
    }
    return (claims, subject)
  }

  /// The transport of the calls of an API, with the tokens of a user unless others are given; repeats are events.
  package func transport(
    to origins: Set<Origin>, for scopes: [String]? = nil, user: UserInfo?, retry: RetryPolicy,
    tokens: BearerTokens? = nil
  ) -> AuthorizedTransport {
    AuthorizedTransport(
      RetryingTransport(
        transport: services.environment.transport, policy: retry, clock: services.environment.clock
      ) { [services] code in
        let session = try? await services.session(user?.id)
        services.report(.retry, session?.record.policyID, error: code)
      },
      tokens: tokens ?? bearerTokens(for: scopes, user: user), allowedOrigins: origins)
  }
}
