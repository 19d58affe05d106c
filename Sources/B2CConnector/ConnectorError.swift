public import B2CCore
public import Foundation

/// The one error of the facade: what happened, what to do, and everything the server said.
///
/// Nothing in it is secret.
public struct ConnectorError: CodedError, Sendable {
  /// The reason, as a code.
  public var code: ErrorCode
  /// A sentence about it, without secrets.
  public package(set) var message: String
  /// The advice, if anything is known to help.
  public package(set) var recoverySuggestion: String?
  /// Whether the same call may succeed later without a change.
  public var isRetryable: Bool
  /// Whether only the user, at a sign-in page, can fix it.
  public var needsInteraction: Bool
  /// Whether a call that changes something may have done so although it failed, such as when the answer was lost.
  ///
  /// After a failed ``Connector/addTask(_:account:)`` with this set, look at the list before adding the task again.
  public var outcomeIsUnknown = false
  /// The request that the error is about, if it is about one.
  package var request: FailedRequest?
  /// The HTTP status, if there was one.
  public var status: Int?
  /// How many seconds the server asks to wait.
  public var retryAfter: Double?
  /// The OAuth `error`, such as `invalid_grant`.
  public var oauthError: String?
  /// The service's own code, such as `AADB2C90118`, `AADSTS50058` or the task server's `MissingTask`.
  public var serverCode: String?
  /// The service's own words (`error_description`, or the API's message), cut short and without secrets.
  public var serverDescription: String?
  /// The id under which the service logged the request.
  public var correlationID: UUID?
  /// The claims that the API or the service wants, as JSON text.
  ///
  /// Pass them to ``Connector/accessToken(scopes:account:policy:forceRefresh:claims:)``; when that asks for a sign-in, to
  /// ``SignInOptions/claimsRequest``.
  public var claims: String?
  /// The error below it: of the cache, the network, the settings, or of a part that the app supplied.
  public var underlying: (any Error)?

  /// Makes an error; texts are cut to 500 characters, made printable, and cleared of what looks like a token.
  ///
  /// - Parameters:
  ///   - code: What went wrong.
  ///   - message: What happened, in words without secrets.
  ///   - recoverySuggestion: What to do about it.
  ///   - isRetryable: Whether the same call may succeed later without a change; `nil` for what the code alone says.
  ///   - needsInteraction: Whether only the user, at a sign-in page, can fix it; `nil` for what the code alone says.
  ///   - underlying: The error below it.
  public init(
    _ code: ErrorCode, _ message: String, recoverySuggestion: String? = nil, isRetryable: Bool? = nil,
    needsInteraction: Bool? = nil, underlying: (any Error)? = nil
  ) {
    // A custom part may repeat the words of a database or a server.
    self.init(
      own: code, PrintableText.ofCustomPart(message),
      recoverySuggestion: recoverySuggestion.map(PrintableText.ofCustomPart), isRetryable: isRetryable,
      needsInteraction: needsInteraction, underlying: underlying)
  }

  /// Makes an error in the package's own words.
  init(
    own code: ErrorCode, _ message: String, recoverySuggestion: String? = nil, isRetryable: Bool? = nil,
    needsInteraction: Bool? = nil, underlying: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.recoverySuggestion = recoverySuggestion
    self.isRetryable = isRetryable ?? code.isRetryable
    self.needsInteraction = needsInteraction ?? code.needsInteraction
    self.underlying = underlying
  }

  /// The request's method, if the error is about a request.
  public var method: String? { request?.method }
  /// The request's URL without its query.
  public var url: String? { request?.url }
}

/// The facade's own codes.
extension ErrorCode {
  /// The settings cannot be used; ``ConnectorError/underlying`` is a ``SettingsError`` with every problem.
  public static let settings = Self(rawValue: "settings")
  /// The settings have no policy of the wanted kind.
  public static let policyNotConfigured = Self(rawValue: "policyNotConfigured")
  /// The settings have no task API.
  public static let taskAPINotConfigured = Self(rawValue: "taskAPINotConfigured")
}

extension ConnectorError: ExplainedError {}

extension ConnectorError: Redacted {
  /// Code, message, the server's code, the request, the correlation id and what to do.
  public var description: String {
    var text = "\(code.rawValue): \(message)"
    if let serverCode { text += " [\(serverCode)]" }
    if let request, !message.contains(request.url) {
      text += " (\(request)" + (status.map { ", status \($0)" } ?? "") + ")"
    }
    if let said = serverDescription, !message.contains(said) { text += ErrorText.said(said) }
    text += ErrorText.correlation(correlationID, after: text)
    if let recoverySuggestion { text += " " + recoverySuggestion }
    return text
  }
}

// MARK: - From the errors of the modules

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
  static func naming(_ request: TransportRequest, _ history: RequestHistory, _ error: any Error) -> any Error {
    guard var named = mapped(error) as? ConnectorError else { return error }
    if named.request == nil, error is TransportError || error is APIAuthorizationError {
      named.request = FailedRequest(request)
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
    case let error as OAuthError: ConnectorError(error)
    case let error as TaskAPIError: ConnectorError(error)
    case let error as APIAuthorizationError: ConnectorError(error)
    case let error as SettingsError:
      // Each problem in the list has its own advice.
      ConnectorError(own: .settings, error.description, underlying: error)
    case let error as AuthorityError: ConnectorError(OAuthError(error))
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
    case let error as TokenCacheError:
      ConnectorError(
        own: .tokenCache, error.message, recoverySuggestion: error.recoverySuggestion,
        isRetryable: error.isRetryable, underlying: error)
    // The text of an error of the app's own is not repeated, for it may hold anything.
    default:
      ConnectorError(
        own: .other, "A token cache, presenter or transport supplied by the app failed with \(type(of: error)).",
        recoverySuggestion: "Look at the underlying error.", underlying: error)
    }
  }

  private init(_ error: OAuthError) {
    self.init(
      own: error.code, error.message, recoverySuggestion: error.recoverySuggestion, isRetryable: error.isRetryable,
      needsInteraction: error.needsInteraction, underlying: error.underlying)
    correlationID = error.correlationID
    request = error.request
    status = error.server?.status
    retryAfter = error.server?.retryAfter
    oauthError = error.server?.error
    serverCode = error.server?.code
    serverDescription = error.server?.description
    claims = error.server?.claims
  }

  private init(_ error: TaskAPIError) {
    // Where no token was available, the engine's own error says why.
    if let engine = error.underlying as? OAuthError {
      self.init(engine)
      outcomeIsUnknown = error.outcomeIsUnknown
      return
    }
    let authorization = error.underlying as? APIAuthorizationError
    self.init(
      own: error.code, error.message, recoverySuggestion: error.recoverySuggestion, isRetryable: error.isRetryable,
      underlying: error.code == .other ? error.underlying : error)
    outcomeIsUnknown = error.outcomeIsUnknown
    if let method = error.method, let url = error.url {
      request = FailedRequest(method: method, url: url)
    }
    status = error.status
    retryAfter = error.retryAfter
    serverCode = error.serverCode
    serverDescription = error.serverMessage
    oauthError = authorization?.serverError
    claims = authorization?.claims
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
