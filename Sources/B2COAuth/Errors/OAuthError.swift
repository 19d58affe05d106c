public import B2CCore
internal import B2CIDToken
public import Foundation

/// Why a sign-in, a token request or a sign-out did not give what was asked.
///
/// Two errors are equal when their codes are. Nothing in it is secret: no token, code, verifier or Authorization header.
public struct OAuthError: Error, Sendable, Equatable {
  /// What went wrong.
  public var code: Code
  /// What happened, in words without secrets.
  public var message: String
  /// What to do about it, if anything is known to help.
  public var recoverySuggestion: String?
  /// What the server said, if it was the server that refused.
  public var server: ServerAnswer?
  /// The id under which the service logged the request; `nil` when no request with an id reached a server.
  public var correlationID: UUID?
  /// The request that the error is about, if it is about one.
  public var request: FailedRequest?
  /// The error of the layer below, if any.
  public var underlying: (any Error)?

  /// Makes an error.
  ///
  /// - Parameters:
  ///   - code: What went wrong.
  ///   - message: What happened, in words without secrets.
  ///   - recoverySuggestion: What to do about it.
  ///   - server: What the server said, if it was the server that refused.
  ///   - correlationID: The id under which the service logged the request.
  ///   - request: The request that the error is about.
  ///   - underlying: The error of the layer below, if any.
  public init(
    _ code: Code, _ message: String, recoverySuggestion: String? = nil, server: ServerAnswer? = nil,
    correlationID: UUID? = nil, request: FailedRequest? = nil, underlying: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.recoverySuggestion = recoverySuggestion
    self.server = server
    self.correlationID = correlationID
    self.request = request
    self.underlying = underlying
  }

  /// Whether the same call may succeed later without a change.
  public var isRetryable: Bool {
    switch underlying {
    case let error as TransportError: error.isRetryable
    case let error as TokenCacheError: error.code == .lockTimedOut
    case let error as IDTokenRejection: error.reason == .unknownKey
    default: code.isRetryable
    }
  }

  /// Whether only the user, at a sign-in page, can fix it.
  public var needsInteraction: Bool { code.needsInteraction }

  /// Compares the codes.
  ///
  /// - Parameters:
  ///   - left: One error.
  ///   - right: The other.
  /// - Returns: Whether the codes are the same.
  public static func == (left: OAuthError, right: OAuthError) -> Bool { left.code == right.code }
}

extension OAuthError: Redacted {
  /// Code, message, the server's code and description, the request, the correlation id and what to do.
  public var description: String {
    var text = "\(code.rawValue): \(message)"
    if let serverCode = server?.code { text += " [\(serverCode)]" }
    if let said = server?.description { text += " The server said: \(said)" + (said.hasSuffix(".") ? "" : ".") }
    if let request, !message.contains(request.url) {
      text += " (\(request)" + (server?.status.map { ", status \($0)" } ?? "") + ")"
    }
    if let correlationID { text += " (correlation id \(correlationID.uuidString.lowercased()))" }
    if let recoverySuggestion { text += " " + recoverySuggestion }
    return text
  }
}

extension OAuthError: LocalizedError {
  /// The message.
  public var errorDescription: String? { message }
}
