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

  /// Returns the error of a request to an API, with what is known of its outcome.
  ///
  /// Errors of the request itself get its name; those of a token are about another request.
  static func naming(_ request: URLRequest, _ history: RequestHistory, _ error: any Error) -> any Error {
    guard var named = mapped(error) as? ConnectorError else { return error }
    if named.url == nil, error is TransportError || error is APIAuthorizationError {
      named = named.about(request)
    }
    named.outcomeIsUnknown = history.outcomeIsUnknown
    return named
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
    case let error as APIAuthorizationError: ConnectorError(error)
    case let error as SettingsError:
      // Each problem in the list has its own advice.
      ConnectorError(own: .settings, error.description, underlying: error)
    case let error as AuthorityError: ConnectorError(error)
    case let error as TransportError where error.code == .responseTooLarge:
      ConnectorError(
        own: .tooLarge, error.message,
        recoverySuggestion: "Raise limits.maximumBodyBytes, or let the server send less.",
        underlying: error)
    case let error as TransportError:
      ConnectorError(
        own: ErrorCode(error), error.message, recoverySuggestion: error.recoverySuggestion,
        isRetryable: error.isRetryable,
        underlying: error)
    // The text of an error of the app's own is not repeated, for it may hold anything.
    default:
      ConnectorError(
        own: .other, "A token cache, presenter or transport supplied by the app failed with \(type(of: error)).",
        recoverySuggestion: "Look at the underlying error.", underlying: error)
    }
  }

  private init(_ error: APIAuthorizationError) {
    self.init(
      own: error.code, error.message, recoverySuggestion: error.recoverySuggestion,
      underlying: error)
    status = error.status
    oauthError = error.serverError
    claims = error.claims
  }
}
