public import Foundation

extension Connector {
  /// Checks everything between the settings and the task API, without signing anybody in.
  ///
  /// - Returns: What was checked and found, in the order to mend it.
  /// - Throws: `CancellationError` when the calling task was cancelled.
  public func diagnose() async throws -> Diagnosis {
    try await Doctor(
      settings: settings, presenter: environment.presenter, cache: .success(environment.cache),
      transport: environment.transport, connector: .success(self)
    ).diagnosis()
  }

  /// Checks settings that may be beyond use, and everything behind them as far as it goes.
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
    let read: Settings
    do {
      read = try ConnectorError.mapping { try settings() }
    } catch let error as ConnectorError {
      return Diagnosis(Doctor.findings(ofUnreadable: error))
    }
    let presenter = presenter ?? DefaultPresenter.make()
    let store = Result { try ConnectorError.mapping { try cache ?? DefaultTokenCache.make() } }
    let connector = Result {
      // A presenter that takes every redirect URI, and a cache that is always to be had: both are checked by themselves,
      // and shall not keep the rest from being checked.
      try Connector(
        settings: read, presenter: ManualPresenter(), cache: (try? store.get()) ?? InMemoryTokenCache(),
        transport: transport, now: now)
    }
    return try await Doctor(
      settings: read, presenter: presenter, cache: store, transport: transport, connector: connector
    ).diagnosis()
  }
}
