internal import B2CCore
internal import B2CIDToken
internal import Foundation

extension PendingSignIn {
  /// Checks a callback URL: right place, our state, the right issuer, and only then what it says.
  ///
  /// - Returns: The code, and the redirect URI that the token request has to repeat.
  /// - Throws: ``ConnectorError`` with code `invalidResponse`, or what the server refused.
  func validate(
    _ callback: URL, from provider: Provider
  ) throws(ConnectorError) -> (code: Secret, redirectURI: URL) {
    let redirectURI = try RedirectMatch.redirectURI(of: callback, registered: redirectURI)
    let parameters = try CallbackParameters(callback)
    // An error is accepted under the same rule as a code: only an answer with the state belongs to this request.
    guard let answered = parameters["state"], state.isEqualInConstantTime(to: Secret(answered)) else {
      throw ConnectorError(
        own: .invalidResponse, "The callback does not carry the state of this sign-in.",
        recoverySuggestion: "Start the sign-in again; use each callback once.")
    }
    // Some providers leave the issuer out of an error, and an error brings no tokens.
    if parameters["error"] == nil || parameters["iss"] != nil { try checkIssuer(parameters["iss"], provider) }
    if let error = refusal(parameters, provider) { throw error }
    guard let code = parameters["code"], !code.isEmpty else {
      throw ConnectorError(own: .invalidResponse, "The callback has neither a code nor an error.")
    }
    return (Secret(code), redirectURI)
  }

  /// Returns the error of a callback, if it has one.
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

  /// Sends this request once, without a user, and reads what the sign-in page answers.
  ///
  /// Only a redirect to the app with a code, or with an error about the user, says that client ID and redirect URI are right.
  /// OpenID Connect Core section 3.1.2.1 allows no page here, so a page without a refusal is no answer. Nothing that comes
  /// back is trusted, so neither state nor issuer is checked.
  ///
  /// - Returns: What came instead of an answer; `nil` for an answer that accepts the app.
  /// - Throws: ``ConnectorError`` for what is refused, and for what keeps the page from answering; `CancellationError`.
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
        return "it sent the browser on to \(text.show(target.redacted) ?? "another page")"
      }
      let parameters = try CallbackParameters(target)
      guard let refusal = refusal(parameters, provider) else {
        return parameters["code"] == nil ? "it came back without a code and without an error" : nil
      }
      // There is no user to sign in (OpenID Connect Core section 3.1.2.6), so the rest was accepted.
      guard [.interactionRequired, .userCancelledInPage].contains(refusal.code) else { throw refusal }
      return nil
    }
    if let refusal = ErrorResponse(page: body, response, at: provider.tokenRoute.service, hiding: secrets) {
      throw error(of: refusal, provider)
    }
    let title = ErrorResponse.shown(PageText.words(of: body), text).map { " (“\($0)”)" } ?? ""
    return ErrorCode(temporaryStatus: response.statusCode) == nil
      ? "it showed a page\(title) instead of an answer"
      : "it could not be asked (status \(response.statusCode))\(title)"
  }

  private var secrets: [Secret] { [state, nonce, verifier] }

  private func checkIssuer(_ issuer: String?, _ provider: Provider) throws(ConnectorError) {
    let expected = IssuerExpectation(published: provider.metadata.issuer)
    let isRight = issuer.map(expected.accepts(callbackIssuer:)) ?? !provider.metadata.sendsIssuerInCallback
    guard isRight else {
      let fault =
        issuer == nil ? "has no iss, though the issuer promises one" : "comes from another issuer than the one asked"
      throw ConnectorError(own: .invalidResponse, "The callback \(fault) (RFC 9207 section 2.4).")
    }
  }
}
