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

/// An error that an app's presenter may throw, and whose code and message the engine keeps: its own or the facade's.
package protocol ExplainedError: CodedError<ErrorCode> {}

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

// MARK: - Codes

/// Outcomes of the user's actions.
extension ErrorCode {
  /// The user pressed Cancel in the page (AADB2C90091).
  public static let userCancelledInPage = Self(rawValue: "userCancelledInPage")
  /// The user closed the browser sheet or window.
  public static let userClosedBrowser = Self(rawValue: "userClosedBrowser")
  /// The user asked for a new password (AADB2C90118).
  public static let passwordResetRequested = Self(rawValue: "passwordResetRequested")
  /// No user is signed in, or the session has expired: show a sign-in page.
  public static let interactionRequired = Self(rawValue: "interactionRequired")
  /// Another user signed in than the required one.
  public static let wrongUser = Self(rawValue: "wrongUser")
  /// The user exists already (sign-up).
  public static let userAlreadyExists = Self(rawValue: "userAlreadyExists")
  /// A federated identity provider, such as Facebook, failed.
  public static let identityProviderFailed = Self(rawValue: "identityProviderFailed")
}

/// Configuration errors.
extension ErrorCode {
  /// The chosen presenter cannot serve the redirect URI.
  public static let unsupportedRedirectURI = Self(rawValue: "unsupportedRedirectURI")
  /// An extra parameter would override one of the protocol's own, or its name is not of visible ASCII characters.
  public static let reservedParameter = Self(rawValue: "reservedParameter")
  /// The answer has no access token, because no API scope was asked for.
  public static let missingAPIScope = Self(rawValue: "missingAPIScope")
}

/// Protocol errors.
extension ErrorCode {
  /// The callback belongs to no request of ours, or was used before.
  public static let stateMismatch = Self(rawValue: "stateMismatch")
  /// The callback URL is not one the protocol allows.
  public static let invalidCallback = Self(rawValue: "invalidCallback")
  /// The callback comes from another issuer (RFC 9207).
  public static let issuerMismatch = Self(rawValue: "issuerMismatch")
  /// The id_token is refused; the message says by which rule.
  public static let invalidIDToken = Self(rawValue: "invalidIDToken")
  /// Server and client disagree on the protocol, such as PKCE.
  public static let protocolViolation = Self(rawValue: "protocolViolation")
}

/// Failures on this device.
extension ErrorCode {
  /// The token cache failed; the `underlying` error is its own.
  public static let tokenCache = Self(rawValue: "tokenCache")
  /// The sign-in page could not be shown.
  public static let presentationFailed = Self(rawValue: "presentationFailed")
  /// The port of the redirect URI is in use.
  public static let portInUse = Self(rawValue: "portInUse")
  /// The system is about to suspend the app: no token was requested, and it may be when the app is active again.
  public static let suspended = Self(rawValue: "suspended")
  /// The access token has expired, and this process must not refresh it: the options say so, or it is an app extension.
  public static let refreshNotAllowed = Self(rawValue: "refreshNotAllowed")
}

extension ErrorCode {
  /// Whether an error with this code is retryable where nothing more is known about it.
  package var isRetryable: Bool {
    [.network, .serviceUnavailable, .throttled, .timedOut, .suspended].contains(self)
  }

  /// Whether only the user, at a sign-in page, can fix an error with this code.
  package var needsInteraction: Bool {
    self == .interactionRequired
  }
}
