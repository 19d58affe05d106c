package import B2CConnector
package import B2CHTTP
package import B2COAuth
package import B2CTokenCache
package import Foundation

extension Connector.Environment {
  /// An environment of given parts, with tokens in memory.
  package init(
    presenter: any SignInPresenter, cache: any TokenCache = .memory(),
    transport: any HTTPTransport = URLSessionTransport(), clock: any Clock<Duration> = ContinuousClock(),
    now: @escaping @Sendable () -> Date = { Date() }, onEvent: @escaping @Sendable (Connector.Event) -> Void = { _ in }
  ) {
    self.init()
    self.presenter = presenter
    self.cache = cache
    self.transport = transport
    self.clock = clock
    self.now = now
    self.onEvent = onEvent
  }
}

extension SignInOptions {
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
