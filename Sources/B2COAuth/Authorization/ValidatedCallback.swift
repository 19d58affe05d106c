internal import B2CCore
internal import B2CIDToken
internal import Foundation

/// The answer to one authorization request, after every check; only ``AuthorizationRequest/validate(_:)`` makes one.
struct ValidatedCallback: Sendable {
  let code: Secret
  let redirectURI: URL

  fileprivate init(code: Secret, redirectURI: URL) {
    self.code = code
    self.redirectURI = redirectURI
  }
}

extension AuthorizationRequest {
  /// Checks a callback URL: right place, our state, the right issuer, and only then what it says.
  ///
  /// - Throws: ``OAuthError``: `invalidCallback`, `stateMismatch`, `issuerMismatch`, or what the server refused.
  func validate(_ callback: URL) throws(OAuthError) -> ValidatedCallback {
    let redirectURI = try RedirectMatch.redirectURI(of: callback, registered: configuration.redirectURI)
    let parameters = try CallbackParameters(callback)
    // An error is believed no sooner than a code: whoever does not know the state did not answer this request.
    guard let answered = parameters["state"], state.isEqualInConstantTime(to: Secret(answered)) else {
      throw OAuthError(
        .stateMismatch, "The callback does not carry the state of this sign-in.",
        recoverySuggestion: "Start the sign-in again; use each callback once.", correlationID: sentCorrelationID)
    }
    try checkIssuer(parameters["iss"])
    if let error = parameters["error"] {
      throw ServerAnswer(
        callbackError: error, description: parameters["error_description"],
        hiding: [state, nonce, proofKey.verifier]
      )
      .asError(
        ServerAnswer.Refused(
          isCallback: true, scopes: tokenScopes, policy: policy,
          request: FailedRequest(TransportRequest(url: provider.authorizationEndpoint)),
          correlationID: sentCorrelationID))
    }
    guard let code = parameters["code"], !code.isEmpty else {
      throw OAuthError(
        .invalidCallback, "The callback has neither a code nor an error.", correlationID: sentCorrelationID)
    }
    return ValidatedCallback(code: Secret(code), redirectURI: redirectURI)
  }

  private func checkIssuer(_ issuer: String?) throws(OAuthError) {
    guard let issuer else {
      guard !provider.metadata.sendsIssuerInCallback else {
        throw OAuthError(
          .issuerMismatch, "The callback has no iss, though the issuer promises one (RFC 9207 section 2.4).",
          correlationID: sentCorrelationID)
      }
      return
    }
    guard IssuerExpectation(published: provider.metadata.issuer).accepts(callbackIssuer: issuer) else {
      throw OAuthError(
        .issuerMismatch, "The callback comes from another issuer than the one asked (RFC 9207 section 2.4).",
        correlationID: sentCorrelationID)
    }
  }
}
