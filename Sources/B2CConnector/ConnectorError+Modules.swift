internal import B2CCore

extension Connector {
  /// Runs a call of the facade; whatever it throws becomes a ``ConnectorError``, unless the calling task was cancelled.
  ///
  /// The error ends with the warnings of the settings about the keys that it names.
  ///
  /// - Parameters:
  ///   - code: The code of the errors that a cancelled task gets as well, because they say what is left undone.
  ///   - body: The call.
  /// - Returns: What the call returns.
  /// - Throws: ``ConnectorError``; `CancellationError` when the calling task was cancelled.
  func asConnectorError<Result>(
    evenIfCancelled code: ErrorCode? = nil, _ body: () async throws -> Result
  ) async throws -> Result {
    do {
      return try await body()
    } catch {
      // In a cancelled task the app's presenter, cache or transport may throw anything, such as `URLError.cancelled`. In any
      // other task a `CancellationError` is an error of such a part.
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
  /// Takes an error of a call: of this package, of the settings, or of a part of the app.
  init(mapping error: any Error) {
    switch error {
    case let error as ConnectorError: self = error
    case let error as SettingsError:
      // Each problem in the list has its own advice.
      self.init(own: .settings, error.description, underlying: error)
    default: self.init(ofCustomPart: error)
    }
  }
}
