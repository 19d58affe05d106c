internal import B2CCore
package import Foundation

/// The parts of the engine that reach outside the process.
package struct OAuthEnvironment: Sendable {
  /// The token cache; the platform's default if `nil`.
  package var cache: (any TokenCache)?
  /// The transport that sends every request.
  package var transport: any HTTPTransport = URLSessionTransport()
  /// The presenter of the sign-in page; the platform's default if `nil`.
  package var presenter: (any SignInPresenter)?
  /// The clock of deadlines and pauses.
  package var clock: any Clock<Duration> = ContinuousClock()
  /// Returns the wall time that token lifetimes are measured by.
  package var now: @Sendable () -> Date = { Date() }
  /// Receives each step, without secrets.
  package var report: OAuthReport = { _, _, _, _ in }
  /// Asks the system for time around each refresh.
  package var backgroundTime = BackgroundTime.ofSystem
  /// Whether this process is an app extension, which never refreshes.
  package var isAppExtension = Bundle.main.isAppExtension

  /// Creates an environment with the platform's defaults.
  package init() {}
}
