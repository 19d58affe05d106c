package import B2CCore
package import Foundation

extension Connector {
  /// The parts of a connector that reach outside the process: network, token cache, sign-in page and log.
  ///
  /// Every part has a default, and you can replace each one. See <doc:Calls>.
  ///
  /// ```swift
  /// var environment = Connector.Environment()
  /// environment.cache = .memory()
  /// environment.onEvent = { print($0) }
  /// let connector = try Connector(settings: .main, environment: environment)
  /// ```
  public struct Environment: Sendable {
    /// The token cache.
    ///
    /// With `nil`, the default, it is the keychain on Apple's platforms and private files elsewhere.
    public var cache: (any TokenCache)?
    /// The transport that sends every request, by default a `URLSessionTransport`.
    public var transport: any HTTPTransport = URLSessionTransport()
    /// The presenter of the sign-in page, by default the one that suits the platform.
    ///
    /// With `nil`, it is a web authentication session on Apple's platforms and the system's browser with a loopback
    /// redirect elsewhere.
    public var presenter: (any SignInPresenter)?
    /// Receives an event for each step, without secrets, and by default ignores it.
    public var onEvent: @Sendable (Event) -> Void = { _ in }

    /// The clock for deadlines and pauses.
    package var clock: any Clock<Duration> = ContinuousClock()
    /// Returns the current time, which decides whether a token has expired.
    package var now: @Sendable () -> Date = { Date() }
    /// Asks the system for time during each refresh.
    package var backgroundTime = BackgroundTime.ofSystem
    /// Whether this process is an app extension, which never refreshes.
    package var isAppExtension = Bundle.main.isAppExtension

    /// Creates an environment with the platform's defaults.
    public init() {}
  }
}

extension Connector.Environment: Redacted {
  /// The types of the parts, but not their contents, because a cache holds tokens and your own parts may hold anything.
  public var description: String {
    let parts: [Any?] = [cache, transport, presenter]
    return "Connector.Environment(\(parts.map { $0.map { "\(type(of: $0))" } ?? "default" }.joined(separator: ", ")))"
  }
}
