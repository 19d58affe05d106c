package import B2CCore
package import Foundation

extension Connector {
  /// The parts of a connector that reach outside the process: network, token cache, sign-in page and log.
  ///
  /// Every part has a default, and you can replace each one.
  ///
  /// ```swift
  /// var environment = Connector.Environment()
  /// environment.cache = .memory()
  /// environment.onEvent = { print($0) }
  /// let connector = try Connector(settings: .main, environment: environment)
  /// ```
  public struct Environment: Sendable {
    /// The token cache; the keychain on Apple's platforms and a private file elsewhere when `nil`.
    public var cache: (any TokenCache)?
    /// The transport that sends every request.
    public var transport: any HTTPTransport = URLSessionTransport()
    /// The presenter of the sign-in page; when `nil`, a web authentication session on Apple's platforms and the system's
    /// browser with a loopback redirect elsewhere.
    public var presenter: (any SignInPresenter)?
    /// Receives an event for each step, without secrets.
    public var onEvent: @Sendable (Event) -> Void = { _ in }

    /// The clock of deadlines and pauses.
    package var clock: any Clock<Duration> = ContinuousClock()
    /// Returns the wall time that token lifetimes are measured by.
    package var now: @Sendable () -> Date = { Date() }
    /// Asks the system for time around each refresh.
    package var backgroundTime = BackgroundTime.ofSystem
    /// Whether this process is an app extension, which never refreshes.
    package var isAppExtension = Bundle.main.isAppExtension

    /// Creates an environment with the platform's defaults.
    public init() {}
  }
}

extension Connector.Environment: Redacted {
  /// The types of the parts: a cache holds tokens, and what an app supplies may hold anything.
  public var description: String {
    let parts: [Any?] = [cache, transport, presenter]
    return "Connector.Environment(\(parts.map { $0.map { "\(type(of: $0))" } ?? "default" }.joined(separator: ", ")))"
  }
}
