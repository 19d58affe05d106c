public import Foundation

/// The error that the SDK throws, which says what failed, what to do, and what the server said.
///
/// It contains no secrets.
public struct ConnectorError: LocalizedError, Sendable {
  /// The code of the failure.
  public package(set) var code: ErrorCode
  /// A sentence about what failed, without secrets.
  public package(set) var message: String
  /// A sentence about what to do, if anything is known to help.
  public package(set) var recoverySuggestion: String?
  /// Whether the same call may succeed later without any change.
  public package(set) var isRetryable: Bool
  /// Whether only the user can resolve the error, on a sign-in page.
  public package(set) var needsInteraction: Bool
  /// Whether a change may have happened although the call failed, for example because the response was lost.
  ///
  /// If `addTask` fails with this set, look at the list before you add the task again.
  public package(set) var outcomeIsUnknown = false
  /// The method of the request, if the error is about one.
  public package(set) var method: String?
  /// The URL of the request without its query.
  public package(set) var url: String?
  /// The HTTP status of the response, if there was one.
  public package(set) var status: Int?
  /// The time that the server asks to wait before the next try, in seconds.
  public package(set) var retryAfter: Double?
  /// The OAuth `error` of the provider, for example `invalid_grant`.
  public package(set) var oauthError: String?
  /// The server's own code, for example `AADB2C90118`, `AADSTS50058` or the task server's `MissingTask`.
  public package(set) var serverCode: String?
  /// The server's own text (`error_description`, or the API's message), shortened and without secrets.
  public package(set) var serverDescription: String?
  /// The id with which the server logged the request.
  public package(set) var correlationID: UUID?
  /// The claims that the API or the provider requires in a token, as JSON.
  ///
  /// Pass them to `accessToken(…, claims:)`. If that throws an error with ``needsInteraction``, pass them to
  /// `SignInOptions.claimsRequest`.
  public package(set) var claims: String?
  /// Whether the provider's response means that the refresh token will never work again.
  package var endsSession = false
  /// The position of the token record that could not be read, if at least its position could be.
  package var recordPosition: Int64?
  /// The error that caused this one, from the cache, the network, the settings, or a part that the app supplies.
  public package(set) var underlying: (any Error)?

  /// Creates an error, for your own cache, presenter or transport, or for fakes in your tests.
  ///
  /// Texts other than `claims` are shortened to 500 characters, made printable, and cleared of what looks like a token.
  ///
  /// ```swift
  /// throw ConnectorError(.tokenCache, "The database is busy.", recoverySuggestion: "Try again.", isRetryable: true)
  /// ```
  ///
  /// - Parameters:
  ///   - code: The code of the failure.
  ///   - message: A sentence for developers about what failed, without secrets.
  ///   - recoverySuggestion: A sentence about what to do, or `nil`, the default.
  ///   - isRetryable: Whether the same call may succeed later. With `nil`, the default, the code decides.
  ///   - needsInteraction: Whether only the user can resolve it, on a sign-in page. With `nil`, the default, the code
  ///     decides.
  ///   - outcomeIsUnknown: Whether a change may have happened although the call failed, by default false.
  ///   - method: The method of the request.
  ///   - url: The URL of the request, whose query and fragment are removed.
  ///   - status: The HTTP status of the response.
  ///   - retryAfter: The time that the server asks to wait, in seconds.
  ///   - oauthError: The OAuth `error` of the provider.
  ///   - serverCode: The server's own code.
  ///   - serverDescription: The server's own text.
  ///   - correlationID: The id with which the server logged the request.
  ///   - claims: The claims that the API or the provider requires in a token, as JSON.
  ///   - underlying: The error that caused this one.
  public init(
    _ code: ErrorCode, _ message: String, recoverySuggestion: String? = nil, isRetryable: Bool? = nil,
    needsInteraction: Bool? = nil, outcomeIsUnknown: Bool = false, method: String? = nil, url: URL? = nil,
    status: Int? = nil, retryAfter: Double? = nil, oauthError: String? = nil, serverCode: String? = nil,
    serverDescription: String? = nil, correlationID: UUID? = nil, claims: String? = nil, underlying: (any Error)? = nil
  ) {
    // An app's cache or transport may quote a database or a server here, whose text may contain secrets.
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

  /// Creates an error with a text of the SDK itself, which contains no secrets.
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

  /// Wraps an error of a part that the app supplies, whose text is left out because it may contain secrets.
  package init(ofCustomPart error: any Error) {
    self.init(
      own: .other, "A part that your app supplied, for example its cache or a closure, threw \(type(of: error)).",
      recoverySuggestion: "Look at the error's `underlying`.", underlying: error)
  }

  /// Returns the error with the method and URL of the request that it is about.
  package func about(_ url: URL, method: String = "GET") -> ConnectorError {
    var copy = self
    copy.method = method
    copy.url = url.redacted
    return copy
  }
}

extension ConnectorError: Redacted {
  /// The message, which is also the `localizedDescription`.
  public var errorDescription: String? { message }

  /// The code, the message, the server's code, the request, the correlation id and the recovery suggestion.
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
  /// Returns whether an error has a code, so that you can write `catch ErrorCode.userClosedBrowser`.
  ///
  /// - Parameters:
  ///   - code: The code of the pattern.
  ///   - error: The error that was thrown.
  /// - Returns: Whether the error is a ``ConnectorError`` with that code.
  public static func ~= (code: ErrorCode, error: any Error) -> Bool { (error as? ConnectorError)?.code == code }
}
