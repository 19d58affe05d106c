internal import B2CCore

extension ConnectorError {
  /// Runs a call of the facade; whatever it throws becomes a ``ConnectorError``, except a cancellation.
  static func mapping<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
      return try await body()
    } catch {
      // An app's presenter, cache or transport may throw anything then, such as `URLError.cancelled`.
      throw Task.isCancelled ? CancellationError() : mapped(error)
    }
  }

  /// As ``mapping(_:)`` for a call that does not wait.
  static func mapping<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch {
      throw mapped(error)
    }
  }

  private static func mapped(_ error: any Error) -> any Error {
    switch error {
    case is CancellationError, is ConnectorError: error
    case let error as SettingsError:
      // Each problem in the list has its own advice.
      ConnectorError(own: .settings, error.description, underlying: error)
    default: ConnectorError(ofCustomPart: error)
    }
  }
}
