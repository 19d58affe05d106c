public import Foundation

/// The one error of the facade: what happened, what to do, and everything the server said.
///
/// Nothing in it is secret.
public struct ConnectorError: LocalizedError, Sendable {
  /// The reason, as a code.
  public package(set) var code: ErrorCode
  /// A sentence about it, without secrets.
  public package(set) var message: String
  /// The advice, if anything is known to help.
  public package(set) var recoverySuggestion: String?
  /// Whether the same call may succeed later without a change.
  public package(set) var isRetryable: Bool
  /// Whether only the user, at a sign-in page, can fix it.
  public package(set) var needsInteraction: Bool
  /// Whether a call that changes something may have done so although it failed, such as when the answer was lost.
  ///
  /// After a failed `addTask` with this set, look at the list before adding the task again.
  public package(set) var outcomeIsUnknown = false
  /// The request's method, if the error is about a request.
  public package(set) var method: String?
  /// The request's URL without its query.
  public package(set) var url: String?
  /// The HTTP status, if there was one.
  public package(set) var status: Int?
  /// How many seconds the server asks to wait.
  public package(set) var retryAfter: Double?
  /// The OAuth `error`, such as `invalid_grant`.
  public package(set) var oauthError: String?
  /// The service's own code, such as `AADB2C90118`, `AADSTS50058` or the task server's `MissingTask`.
  public package(set) var serverCode: String?
  /// The service's own words (`error_description`, or the API's message), cut short and without secrets.
  public package(set) var serverDescription: String?
  /// The id under which the service logged the request.
  public package(set) var correlationID: UUID?
  /// The claims that the API or the service wants, as JSON text.
  ///
  /// Pass them to `accessToken(…, claims:)`; when that asks for a sign-in, to
  /// `SignInOptions.claimsRequest`.
  public package(set) var claims: String?
  /// Whether the service's answer says for certain that the refresh token will never work again.
  package var endsSession = false
  /// The position of the token record that the error is about, if it could be read although the record could not.
  package var recordPosition: Int64?
  /// The error below it: of the cache, the network, the settings, or of a part that the app supplied.
  public package(set) var underlying: (any Error)?

  /// Makes an error, in your own cache, presenter or transport or in a fake of your tests.
  ///
  /// Texts other than `claims` are cut to 500 characters, made printable, and cleared of what looks like a token.
  ///
  /// ```swift
  /// throw ConnectorError(.tokenCache, "The database is busy.", recoverySuggestion: "Try again.", isRetryable: true)
  /// ```
  ///
  /// - Parameters:
  ///   - code: The kind of failure.
  ///   - message: A sentence for developers that says what failed, without secrets.
  ///   - recoverySuggestion: A sentence that says what to do about it.
  ///   - isRetryable: Whether the same call may succeed later without a change; `nil` for what the code alone says.
  ///   - needsInteraction: Whether only the user, at a sign-in page, can fix it; `nil` for what the code alone says.
  ///   - outcomeIsUnknown: Whether a change may have happened although the call failed.
  ///   - method: The request's method.
  ///   - url: The request's URL; its query and its fragment are left out.
  ///   - status: The HTTP status.
  ///   - retryAfter: How many seconds the server asks to wait.
  ///   - oauthError: The OAuth `error`.
  ///   - serverCode: The service's own code.
  ///   - serverDescription: The service's own words.
  ///   - correlationID: The id under which the service logged the request.
  ///   - claims: The claims that the API or the service wants, as JSON text.
  ///   - underlying: The error below it.
  public init(
    _ code: ErrorCode, _ message: String, recoverySuggestion: String? = nil, isRetryable: Bool? = nil,
    needsInteraction: Bool? = nil, outcomeIsUnknown: Bool = false, method: String? = nil, url: URL? = nil,
    status: Int? = nil, retryAfter: Double? = nil, oauthError: String? = nil, serverCode: String? = nil,
    serverDescription: String? = nil, correlationID: UUID? = nil, claims: String? = nil, underlying: (any Error)? = nil
  ) {
    // A custom part may repeat the words of a database or a server.
    let shown = { (text: String?) in text.map(PrintableText.ofCustomPart) }
    self.init(
      own: code, PrintableText.ofCustomPart(message), recoverySuggestion: shown(recoverySuggestion),
      isRetryable: isRetryable, needsInteraction: needsInteraction, status: status, correlationID: correlationID,
      underlying: underlying)
    self.outcomeIsUnknown = outcomeIsUnknown
    self.method = shown(method)
    self.url = url?.redacted
    self.retryAfter = retryAfter
    (self.oauthError, self.serverCode) = (shown(oauthError), shown(serverCode))
    self.serverDescription = shown(serverDescription)
    self.claims = claims
  }

  /// Makes an error in the package's own words.
  package init(
    own code: ErrorCode, _ message: String, recoverySuggestion: String? = nil, isRetryable: Bool? = nil,
    needsInteraction: Bool? = nil, status: Int? = nil, correlationID: UUID? = nil, underlying: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.recoverySuggestion = recoverySuggestion
    self.isRetryable = isRetryable ?? code.isRetryable
    self.needsInteraction = needsInteraction ?? code.needsInteraction
    self.status = status
    self.correlationID = correlationID
    self.underlying = underlying
  }

  /// Wraps what a token cache, presenter or transport of the app threw; its text is not repeated, for it may hold anything.
  package init(ofCustomPart error: any Error) {
    self.init(
      own: .other, "A part that your app supplied, for example its cache or a closure, threw \(type(of: error)).",
      recoverySuggestion: "Look at the error's `underlying`.", underlying: error)
  }

  /// Returns the error with the request that it is about.
  package func about(_ url: URL, method: String = "GET") -> ConnectorError {
    var copy = self
    copy.method = method
    copy.url = url.redacted
    return copy
  }
}

extension ConnectorError: Redacted {
  /// The message, which `localizedDescription` returns.
  public var errorDescription: String? { message }

  /// Code, message, the server's code, the request, the correlation id and what to do.
  public var description: String {
    var text = "\(code.rawValue): \(message)"
    if let serverCode { text += " [\(serverCode)]" }
    if let method, let url, !message.contains(url) {
      text += " (\(method) \(url)" + (status.map { ", status \($0)" } ?? "") + ")"
    }
    if let said = serverDescription, !message.contains(said) { text += ErrorText.said(said) }
    text += ErrorText.correlation(correlationID, after: text)
    if let recoverySuggestion { text += " " + recoverySuggestion }
    return text
  }
}

extension ErrorCode {
  /// Matches an error by its code, as in `catch ErrorCode.userClosedBrowser`.
  ///
  /// - Parameters:
  ///   - code: The code of the pattern.
  ///   - error: The error that was thrown.
  /// - Returns: Whether the error is one of this package and has that code; `false` for any other error.
  public static func ~= (code: ErrorCode, error: any Error) -> Bool { (error as? ConnectorError)?.code == code }
}
