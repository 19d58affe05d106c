package import B2COAuth
package import Foundation

extension SignInOptions {
  /// Options with some values, in one expression.
  package init(
    prompt: Prompt = .automatic, loginHint: String? = nil, domainHint: String? = nil, uiLocales: [String] = [],
    extraScopesToConsent: [String] = [], scopes: [String]? = nil, extraParameters: [String: String] = [:],
    claimsRequest: String? = nil, correlationID: UUID? = nil, prefersEphemeralSession: Bool = false,
    prefersFullScreen: Bool = false
  ) {
    self.init(prompt: prompt)
    self.loginHint = loginHint
    self.domainHint = domainHint
    self.uiLocales = uiLocales
    self.extraScopesToConsent = extraScopesToConsent
    self.scopes = scopes
    self.extraParameters = extraParameters
    self.claimsRequest = claimsRequest
    self.correlationID = correlationID
    self.prefersEphemeralSession = prefersEphemeralSession
    self.prefersFullScreen = prefersFullScreen
  }
}
