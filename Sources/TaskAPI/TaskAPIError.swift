public import B2CCore
internal import Foundation

/// The error of a call to the task server.
///
/// Texts from the server are cut, and whatever looks like a token in them is
/// replaced.
public struct TaskAPIError: CodedError, Sendable {
  /// The reason, as a code.
  public var code: ErrorCode
  /// The request and what happened to it, in words without secrets.
  ///
  /// For example "GET https://api.example.com/tasks failed with status 503."
  public var message: String
  /// A sentence on how to fix it, if anything is known to help.
  public var recoverySuggestion: String?
  /// The request's method, if the error concerns a request.
  public var method: String?
  /// The request's URL without its query.
  public var url: String?
  /// The HTTP status, if there was an answer.
  public var status: Int?
  /// The server's own code, such as `MissingTask`.
  public var serverCode: String?
  /// The server's own message, at most 200 characters.
  public var serverMessage: String?
  /// The id under which the server logged the request.
  public var requestID: String?
  /// The scopes that the server wants, separated by spaces (RFC 6750 section 3).
  public var scope: String?
  /// The claims that the server wants, as JSON text for the `claims` parameter of the next sign-in.
  public var claims: String?
  /// The seconds that the server asks to wait (`Retry-After`).
  public var retryAfter: Double?
  /// The beginning of the answer's body, at most 200 characters.
  public var excerpt: String?
  /// Whether a change may have happened although the call failed, such as when the answer was lost.
  ///
  /// After a failed ``TaskAPIClient/add(_:)`` with this set, look at the list before adding the task again.
  public var outcomeIsUnknown = false
  /// The error of the layer below, if any.
  public var underlying: (any Error)?

  /// Makes an error.
  ///
  /// - Parameters:
  ///   - code: What went wrong.
  ///   - message: What happened, in words without secrets.
  ///   - recoverySuggestion: A sentence on how to fix it.
  ///   - status: The HTTP status, if there was an answer.
  ///   - underlying: The error of the layer below, if any.
  package init(
    _ code: ErrorCode, _ message: String, recoverySuggestion: String? = nil, status: Int? = nil,
    underlying: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.recoverySuggestion = recoverySuggestion
    self.status = status
    self.underlying = underlying
  }

  /// Whether the same call may succeed later without a change.
  ///
  /// For ``TaskAPIClient/add(_:)`` see ``outcomeIsUnknown`` as well: a second call may store a second task.
  public var isRetryable: Bool {
    switch code {
    case .throttled, .timedOut: true
    case .serviceUnavailable: status.map { [500, 502, 503, 504].contains($0) } ?? false
    case .network: (underlying as? TransportError)?.isRetryable ?? false
    default: false
    }
  }
}

extension TaskAPIError: CustomStringConvertible {
  /// Code, message, the server's own code and message, the request id and what to do; never the body.
  public var description: String {
    var text = "\(code.rawValue): \(message)"
    let said = [serverCode, serverMessage].compactMap { $0 }.joined(separator: ": ")
    if !said.isEmpty { text += " [\(said)]" }
    if let requestID { text += " (request id \(requestID))" }
    if let recoverySuggestion { text += " " + recoverySuggestion }
    return text
  }
}
