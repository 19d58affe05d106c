internal import B2CCore

extension Connector {
  /// Runs a call of the connector, and turns its error into a ``ConnectorError`` unless the task was cancelled.
  ///
  /// If the error names a key of the settings that has a warning, its recovery suggestion ends with the warning.
  ///
  /// - Parameters:
  ///   - code: The code of the errors that a cancelled task also gets, because they say that something was not done.
  ///   - body: The call.
  /// - Returns: The result of the call.
  /// - Throws: ``ConnectorError``; `CancellationError` if the calling task was cancelled.
  func asConnectorError<Result>(
    evenIfCancelled code: ErrorCode? = nil, _ body: () async throws -> Result
  ) async throws -> Result {
    do {
      return try await body()
    } catch {
      // In a cancelled task, the app's presenter, cache or transport may throw anything, for example
      // `URLError.cancelled`. In any other task, a `CancellationError` is an error of one of these parts.
      let isPassed = code != nil && (error as? ConnectorError)?.code == code
      guard !Task.isCancelled || isPassed else { throw CancellationError() }
      var mapped = ConnectorError(mapping: error)
      let warnings = settings.warnings(about: "\(mapped.message) \(mapped.recoverySuggestion ?? "")")
      let advice = [mapped.recoverySuggestion] + warnings.map { "The settings have a warning: \($0)" }
      if !warnings.isEmpty { mapped.recoverySuggestion = advice.compactMap(\.self).joined(separator: " ") }
      throw mapped
    }
  }
}

extension ConnectorError {
  /// Converts an error of this package, of the settings or of a part of the app.
  init(mapping error: any Error) {
    switch error {
    case let error as ConnectorError: self = error
    case let error as SettingsError:
      // The error needs no advice of its own, because each problem in the list has one.
      self.init(own: .settings, error.description, underlying: error)
    default: self.init(ofCustomPart: error)
    }
  }
}
