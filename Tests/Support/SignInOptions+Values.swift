package import B2COAuth

extension SignInOptions {
  /// Options with some values, in one expression.
  package init(
    prompt: Prompt = .automatic, loginHint: String? = nil, domainHint: String? = nil, uiLocales: [String] = [],
    scopes: [String]? = nil, extraParameters: [String: String] = [:],
    claimsRequest: String? = nil, prefersEphemeralSession: Bool = false
  ) {
    self.init(prompt: prompt)
    self.loginHint = loginHint
    self.domainHint = domainHint
    self.uiLocales = uiLocales
    self.scopes = scopes
    self.extraParameters = extraParameters
    self.claimsRequest = claimsRequest
    self.prefersEphemeralSession = prefersEphemeralSession
  }
}
