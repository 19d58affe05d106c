package import B2CConnector
package import B2CHTTP
internal import B2COAuth
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
