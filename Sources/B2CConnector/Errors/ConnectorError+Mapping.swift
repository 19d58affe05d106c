internal import B2CCore
internal import Foundation

extension ConnectorError {
  /// Runs a call of the facade; whatever it throws becomes a ``ConnectorError``, but for a cancellation.
  static func mapping<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
      return try await body()
    } catch {
      throw Self.mapped(error)
    }
  }

  /// The same for a call that does not wait.
  static func mapping<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch {
      throw Self.mapped(error)
    }
  }

  private static func mapped(_ error: any Error) -> any Error {
    switch error {
    case is CancellationError, is ConnectorError: error
    case let error as OAuthError: ConnectorError(error)
    case let error as TaskAPIError: ConnectorError(error)
    case let error as APIAuthorizationError: ConnectorError(error)
    case let error as SettingsError: ConnectorError(error)
    case let error as AuthorityError: ConnectorError(OAuthError(error))
    case let error as TransportError: ConnectorError(error)
    case let error as TokenCacheError:
      ConnectorError(
        .tokenCache, error.message, recoverySuggestion: error.recoverySuggestion,
        isRetryable: error.code == .lockTimedOut, underlying: error)
    // A cache, presenter or transport of the app's own: its text is not repeated, for it may hold anything.
    default:
      ConnectorError(
        .other, "A part that the app brought failed with \(type(of: error)).",
        recoverySuggestion: "Look at the underlying error.", underlying: error)
    }
  }

  init(_ error: OAuthError) {
    self.init(
      Code(error.code), error.message, recoverySuggestion: error.recoverySuggestion, isRetryable: error.isRetryable,
      needsInteraction: error.needsInteraction, underlying: error)
    correlationID = error.correlationID
    oauthError = error.server?.error
    serverCode = error.server?.code
    suberror = error.server?.suberror
    traceID = error.server?.traceID
    timestamp = error.server?.timestamp
    status = error.server?.status
    retryAfter = error.server?.retryAfter
    claims = error.server?.claims
  }

  init(_ error: TaskAPIError) {
    // The engine's own error is the better one to show when it was the token that could not be had.
    if let engine = error.underlying as? OAuthError {
      self.init(engine)
      return
    }
    let authorization = error.underlying as? APIAuthorizationError
    self.init(
      Code(error.code), error.message, recoverySuggestion: error.recoverySuggestion, isRetryable: error.isRetryable,
      needsInteraction: authorization?.needsInteraction ?? false, underlying: error)
    status = error.status
    serverCode = error.serverCode
    traceID = error.requestID
    retryAfter = error.retryAfter
    oauthError = authorization?.serverError
    claims = authorization?.claims
  }

  init(_ error: APIAuthorizationError) {
    self.init(
      Code(rawValue: error.code.rawValue), error.message, recoverySuggestion: error.recoverySuggestion,
      needsInteraction: error.needsInteraction, underlying: error)
    status = error.status
    oauthError = error.serverError
    claims = error.claims
  }

  init(_ error: SettingsError) {
    self.init(.settings, error.description, recoverySuggestion: "Mend the settings file.", underlying: error)
  }

  init(_ error: TransportError) {
    self.init(Code(OAuthError.Code(error)), error.message, isRetryable: error.isRetryable, underlying: error)
  }
}
