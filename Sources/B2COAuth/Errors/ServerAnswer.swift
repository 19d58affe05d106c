public import Foundation

/// The error that an authorization server sent (RFC 6749 sections 4.1.2.1 and 5.2).
///
/// Every text in it is printable, on one line and cut; what looks like a token, or was sent, is replaced.
public struct ServerAnswer: Sendable, Hashable {
  /// The OAuth `error`, such as `invalid_grant`.
  public var error: String?
  /// The `error_description`, at most 200 characters.
  public var description: String?
  /// The service's own code, such as `AADB2C90118` or `AADSTS50058`.
  public var code: String?
  /// The `suberror`, such as `bad_token`.
  public var suberror: String?
  /// The `trace_id`.
  public var traceID: String?
  /// The time the service gives, as it wrote it.
  public var timestamp: String?
  /// The HTTP status; `nil` when the answer came by redirect.
  public var status: Int?
  /// How many seconds the server asks to wait (`Retry-After`).
  public var retryAfter: Double?
  /// The `claims` the server wants satisfied, as JSON text.
  public var claims: String?
  /// The `correlation_id` of the answer.
  public var correlationID: UUID?

  /// Makes an answer.
  ///
  /// - Parameters:
  ///   - error: The OAuth `error`.
  ///   - description: The `error_description`.
  ///   - code: The service's own code.
  ///   - suberror: The `suberror`.
  ///   - traceID: The `trace_id`.
  ///   - timestamp: The time the service gives.
  ///   - status: The HTTP status.
  ///   - retryAfter: How many seconds the server asks to wait.
  ///   - claims: The `claims` the server wants satisfied, as JSON text.
  public init(
    error: String? = nil, description: String? = nil, code: String? = nil, suberror: String? = nil,
    traceID: String? = nil, timestamp: String? = nil, status: Int? = nil, retryAfter: Double? = nil,
    claims: String? = nil
  ) {
    self.error = error
    self.description = description
    self.code = code
    self.suberror = suberror
    self.traceID = traceID
    self.timestamp = timestamp
    self.status = status
    self.retryAfter = retryAfter
    self.claims = claims
  }
}
