package import B2CCore
internal import B2CIDToken
package import Foundation

extension PendingSignIn {
  /// Checks the place, state and issuer of a callback URL, and only then reads its error or code.
  ///
  /// - Returns: The code, and the redirect URI that the token request must repeat.
  /// - Throws: ``ConnectorError`` with code `invalidResponse` if a check fails, or the error that the provider sent.
  package func validate(
    _ callback: URL, from provider: Provider
  ) throws(ConnectorError) -> (code: Secret, redirectURI: URL) {
    let redirectURI = try RedirectMatch.redirectURI(of: callback, registered: redirectURI)
    let parameters = try CallbackParameters(callback)
    // An error needs the state like a code does, because without it the callback does not belong to this request.
    guard let answered = parameters["state"], state.isEqualInConstantTime(to: Secret(answered)) else {
      throw ConnectorError(
        own: .invalidResponse, "The callback does not contain the state of this sign-in.",
        recoverySuggestion: "Start the sign-in again, and use each callback only once.")
    }
    // Some providers leave the issuer out of an error, and an error gives no tokens, so it may be missing there.
    if parameters["error"] == nil || parameters["iss"] != nil { try checkIssuer(parameters["iss"], provider) }
    if let error = refusal(parameters, provider) { throw error }
    guard let code = parameters["code"], !code.isEmpty else {
      throw ConnectorError(own: .invalidResponse, "The callback contains neither a code nor an error.")
    }
    return (Secret(code), redirectURI)
  }

  /// Returns the error in a callback, if there is one.
  private func refusal(_ parameters: CallbackParameters, _ provider: Provider) -> ConnectorError? {
    parameters["error"].map { _ in
      error(of: ErrorResponse(callback: { parameters[$0] }, at: provider.tokenRoute.service, hiding: secrets), provider)
    }
  }

  private func error(of answer: ErrorResponse, _ provider: Provider) -> ConnectorError {
    answer.asError(
      scopes: provider.sent(scopes), policy: provider.policy, correlationID: provider.known(correlationID)
    ).about(provider.authorizationEndpoint)
  }

  /// Sends this request once, without a user, and reads the response of the sign-in page.
  ///
  /// Only a redirect to the app with a code, or with an error about the user, shows that client ID and redirect URI are
  /// accepted. With `prompt=none` a provider must not show a page (OpenID Connect Core section 3.1.2.1), so a page
  /// without an error shows nothing. State and issuer are not checked, because no sign-in uses the response.
  ///
  /// - Returns: A description of anything that arrived instead of an answer, or `nil` if the provider accepts the app.
  /// - Throws: ``ConnectorError`` if the provider refuses the request or cannot be reached; `CancellationError`.
  func ask(_ provider: Provider, over transport: RetryingTransport, limits: TransportLimits) async throws -> String? {
    var history = RequestHistory()
    let (body, response) = try await transport.send(
      URLRequest(method: "GET", url: url), limits: limits, noting: &history)
    let target = response.value(forHTTPHeaderField: "Location").flatMap {
      URL(string: $0, relativeTo: url)?.absoluteURL
    }
    let text = PrintableText(hiding: secrets)
    if (300..<400).contains(response.statusCode), let target {
      guard CallbackState.isAtRedirect(target, redirectURI) else {
        return "the provider redirected the browser to \(text.show(target.redacted) ?? "another page")"
      }
      let parameters = try CallbackParameters(target)
      guard let refusal = refusal(parameters, provider) else {
        return parameters["code"] == nil ? "the browser came back without a code and without an error" : nil
      }
      // These errors say that no user is signed in (OpenID Connect Core section 3.1.2.6), so the rest is accepted.
      guard [.interactionRequired, .userCancelledInPage].contains(refusal.code) else { throw refusal }
      return nil
    }
    if let refusal = ErrorResponse(page: body, response, at: provider.tokenRoute.service, hiding: secrets) {
      throw error(of: refusal, provider)
    }
    let title = ErrorResponse.shown(PageText.words(of: body), text).map { " (“\($0)”)" } ?? ""
    return ErrorCode(temporaryStatus: response.statusCode) == nil
      ? "the provider showed a page\(title) instead of a redirect"
      : "the provider could not be asked (status \(response.statusCode))\(title)"
  }

  private var secrets: [Secret] { [state, nonce, verifier] }

  private func checkIssuer(_ issuer: String?, _ provider: Provider) throws(ConnectorError) {
    let expected = IssuerExpectation(published: provider.metadata.issuer)
    let isRight = issuer.map(expected.accepts(callbackIssuer:)) ?? !provider.metadata.sendsIssuerInCallback
    guard isRight else {
      let fault =
        issuer == nil ? "has no iss, although the issuer promises one" : "comes from an issuer that was not asked"
      throw ConnectorError(own: .invalidResponse, "The callback \(fault) (RFC 9207 section 2.4).")
    }
  }
}
