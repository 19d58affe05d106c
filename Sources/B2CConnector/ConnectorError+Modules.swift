internal import B2CAuthority
internal import B2CCore
internal import B2CHTTP
internal import B2COAuth
internal import B2CSettings
internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

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
