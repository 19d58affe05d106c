public import Foundation

/// Why a call to the task server did not give what was asked.
///
/// Two errors are equal when their codes are. Texts that come from the server are cut short, and whatever looks like a
/// token in them is replaced.
public struct TaskAPIError: Error, Sendable, Equatable {
  /// What went wrong.
  public var code: Code
  /// What happened, in words without secrets.
  public var message: String
  /// What to do about it, if anything is known to help.
  public var recoverySuggestion: String?
  /// The HTTP status, if there was an answer.
  public var status: Int?
  /// The server's own code, such as `MissingTask`.
  public var serverCode: String?
  /// The server's own message, at most 200 characters.
  public var serverMessage: String?
  /// The id under which the server logged the request.
  public var requestID: String?
  /// How many seconds the server asks to wait (`Retry-After`).
  public var retryAfter: Double?
  /// The beginning of the answer's body, at most 200 characters.
  public var excerpt: String?
  /// Whether a call that changes something may have done so although it failed, such as when the answer was lost.
  ///
  /// After a failed ``TaskAPIClient/add(_:)`` with this set, look at the list before adding the task again.
  public var outcomeIsUnknown: Bool
  /// The error of the layer below, if any.
  public var underlying: (any Error)?

  /// Makes an error.
  ///
  /// - Parameters:
  ///   - code: What went wrong.
  ///   - message: What happened, in words without secrets.
  ///   - recoverySuggestion: What to do about it.
  ///   - status: The HTTP status, if there was an answer.
  ///   - outcomeIsUnknown: Whether a change may have happened all the same.
  ///   - underlying: The error of the layer below, if any.
  public init(
    _ code: Code, _ message: String, recoverySuggestion: String? = nil, status: Int? = nil,
    outcomeIsUnknown: Bool = false, underlying: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.recoverySuggestion = recoverySuggestion
    self.status = status
    self.outcomeIsUnknown = outcomeIsUnknown
    self.underlying = underlying
  }

  /// Whether the same call may succeed later without a change.
  ///
  /// For ``TaskAPIClient/add(_:)`` see ``outcomeIsUnknown`` as well: a second call may store a second task.
  public var isRetryable: Bool {
    switch code {
    case .throttled, .timedOut: true
    case .server: status.map { [500, 502, 503, 504].contains($0) } ?? false
    case .network: (underlying as? TransportError)?.isRetryable ?? false
    default: false
    }
  }

  /// Compares the codes.
  ///
  /// - Parameters:
  ///   - left: One error.
  ///   - right: The other.
  /// - Returns: Whether the codes are the same.
  public static func == (left: TaskAPIError, right: TaskAPIError) -> Bool { left.code == right.code }
}

extension TaskAPIError: CustomStringConvertible {
  /// Code, message, status, the server's own code and message, the request id and what to do; never the body.
  public var description: String {
    var text = "\(code.rawValue): \(message)"
    if let status { text += " (HTTP \(status))" }
    let said = [serverCode, serverMessage].compactMap { $0 }.joined(separator: ": ")
    if !said.isEmpty { text += " [\(said)]" }
    if let requestID { text += " (request id \(requestID))" }
    if let recoverySuggestion { text += " " + recoverySuggestion }
    return text
  }
}

extension TaskAPIError: LocalizedError {
  /// The message.
  public var errorDescription: String? { message }
}
