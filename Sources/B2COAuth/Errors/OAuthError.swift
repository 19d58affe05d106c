public import B2CCore
internal import B2CIDToken
package import Foundation

/// The error of a sign-in, a token request or a sign-out.
///
/// Nothing in it is secret: no token, code, verifier or Authorization header.
package struct OAuthError: CodedError, Sendable {
  /// The reason, as a code.
  package var code: ErrorCode
  /// A sentence about it, without secrets.
  package var message: String
  /// The advice, if anything is known to help.
  package var recoverySuggestion: String?
  /// The server's answer, if it was the server that refused.
  package var server: ServerAnswer?
  /// The id under which the service logged the request; `nil` when no request with an id reached a server.
  package var correlationID: UUID?
  /// The request that the error is about, if it is about one.
  package var request: FailedRequest?
  /// The error of the layer below, if any.
  package var underlying: (any Error)?

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
  package init(
    _ code: ErrorCode, _ message: String, recoverySuggestion: String? = nil, server: ServerAnswer? = nil,
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

  /// Whether the same call may succeed later without a change, and without the user.
  package var isRetryable: Bool {
    switch underlying {
    case let error as TransportError: error.isRetryable
    case let error as TokenCacheError: error.isRetryable
    case let error as IDTokenRejection: error.mayHaveStaleKeys
    // A page or a device code that timed out: the same call would show the user another one.
    default: code.isRetryable && (code != .timedOut || server != nil)
    }
  }

  /// Whether only the user, at a sign-in page, can fix it.
  package var needsInteraction: Bool { code.needsInteraction }
}

extension OAuthError: Redacted {
  /// Code, message, the server's code and description, the request, the correlation id and what to do.
  package var description: String {
    var text = "\(code.rawValue): \(message)"
    if let serverCode = server?.code { text += " [\(serverCode)]" }
    if let said = server?.description { text += ErrorText.said(said) }
    if let request, !message.contains(request.url) {
      text += " (\(request)" + (server?.status.map { ", status \($0)" } ?? "") + ")"
    }
    text += ErrorText.correlation(correlationID, after: text)
    if let recoverySuggestion { text += " " + recoverySuggestion }
    return text
  }
}

extension OAuthError: ExplainedError {
  /// Runs code of an app's presenter; an error of the facade becomes one of the engine, with the same code.
  static func mapping<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
      return try await body()
    } catch let error as any ExplainedError where !(error is OAuthError) {
      throw OAuthError(
        error.code, error.message, recoverySuggestion: error.recoverySuggestion, underlying: error)
    }
  }
}

extension OAuthError {
  /// Adds a sentence to what helps, if there is one.
  mutating func advise(_ advice: String?) {
    let sentences = [recoverySuggestion, advice].compactMap(\.self)
    recoverySuggestion = sentences.isEmpty ? nil : sentences.joined(separator: " ")
  }

  /// Runs a step after a request with a correlation id; an error that names none gets it.
  static func addingCorrelationID<Value>(_ correlationID: UUID?, _ body: () async throws -> Value) async throws -> Value
  {
    do {
      return try await body()
    } catch var error as OAuthError where error.correlationID == nil {
      error.correlationID = correlationID
      throw error
    }
  }
}
