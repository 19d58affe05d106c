public import Foundation

/// The one error of the facade: what happened, what to do, and everything the server said.
///
/// Two errors are equal when their codes are. Nothing in it is secret.
public struct ConnectorError: Error, Sendable, Equatable {
  /// What went wrong.
  public var code: Code
  /// What happened, in words without secrets.
  public var message: String
  /// What to do about it, if anything is known to help.
  public var recoverySuggestion: String?
  /// Whether the same call may succeed later without a change.
  public var isRetryable: Bool
  /// Whether only the user, at a sign-in page, can mend it.
  public var needsInteraction: Bool
  /// The OAuth `error`, such as `invalid_grant`.
  public var oauthError: String?
  /// The service's own code, such as `AADB2C90118`, `AADSTS50058` or the task server's `MissingTask`.
  public var serverCode: String?
  /// The `suberror` of Entra ID.
  public var suberror: String?
  /// The id under which the service logged the request.
  public var correlationID: UUID?
  /// The `trace_id` of the service, or the request id of the API.
  public var traceID: String?
  /// The time the service gives, as it wrote it.
  public var timestamp: String?
  /// The HTTP status, if there was one.
  public var status: Int?
  /// How many seconds the server asks to wait.
  public var retryAfter: Double?
  /// The claims that the API or the service wants, as JSON text for ``SignInOptions/claimsRequest`` of the next sign-in.
  public var claims: String?
  /// The error of the room it comes from.
  public var underlying: (any Error)?

  /// Makes an error.
  ///
  /// - Parameters:
  ///   - code: What went wrong.
  ///   - message: What happened, in words without secrets.
  ///   - recoverySuggestion: What to do about it.
  ///   - isRetryable: Whether the same call may succeed later without a change.
  ///   - needsInteraction: Whether only the user, at a sign-in page, can mend it.
  ///   - underlying: The error of the room it comes from.
  public init(
    _ code: Code, _ message: String, recoverySuggestion: String? = nil, isRetryable: Bool = false,
    needsInteraction: Bool = false, underlying: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.recoverySuggestion = recoverySuggestion
    self.isRetryable = isRetryable
    self.needsInteraction = needsInteraction
    self.underlying = underlying
  }

  /// Compares the codes.
  ///
  /// - Parameters:
  ///   - left: One error.
  ///   - right: The other.
  /// - Returns: Whether the codes are the same.
  public static func == (left: ConnectorError, right: ConnectorError) -> Bool { left.code == right.code }
}

extension ConnectorError: CustomStringConvertible {
  /// Code, message, the server's code, the correlation id and what to do.
  public var description: String {
    var text = "\(code.rawValue): \(message)"
    if let serverCode { text += " [\(serverCode)]" }
    if let correlationID { text += " (correlation id \(correlationID.uuidString.lowercased()))" }
    if let recoverySuggestion { text += " " + recoverySuggestion }
    return text
  }
}

extension ConnectorError: LocalizedError {
  /// The message.
  public var errorDescription: String? { message }
}
