public import Foundation

extension Connector {
  /// Checks everything between the settings and the task API, without signing anybody in.
  ///
  /// - Returns: What was checked and found, in the order to mend it.
  /// - Throws: `CancellationError` when the calling task was cancelled.
  public func diagnose() async throws -> Diagnosis {
    let doctor = Doctor(connector: self)
    var findings = doctor.settings() + [doctor.authority(), doctor.redirect()]
    findings += try await doctor.provider()
    findings.append(try await doctor.cache())
    findings.append(try await doctor.taskAPI())
    return Diagnosis(findings)
  }

  /// Checks settings that may be beyond use, and everything behind them if they are not.
  ///
  /// - Parameters:
  ///   - settings: The settings to check; reading them may throw.
  ///   - presenter: The presenter the app uses; the default one when `nil`.
  ///   - cache: The token cache the app uses; the default one when `nil`.
  ///   - transport: How requests are sent.
  ///   - now: The wall time.
  /// - Returns: What was checked and found, in the order to mend it; every problem of the settings when they are beyond
  ///   use.
  /// - Throws: `CancellationError` when the calling task was cancelled.
  public static func diagnose(
    settings: @autoclosure () throws -> Settings, presenter: (any SignInPresenter)? = nil,
    cache: (any TokenCache)? = nil, transport: any HTTPTransport = URLSessionTransport(),
    now: @escaping @Sendable () -> Date = { Date() }
  ) async throws -> Diagnosis {
    let connector: Connector
    do {
      connector = try Connector(
        settings: try settings(), presenter: presenter, cache: cache, transport: transport, now: now)
    } catch let error as ConnectorError {
      return Diagnosis(Doctor.findings(of: error))
    }
    return try await connector.diagnose()
  }
}
