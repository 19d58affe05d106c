public import Foundation

/// Why an API refused the token it was sent, or why none was sent.
///
/// Two errors are equal when their codes are.
public struct APIAuthorizationError: LocalizedError, Sendable, Equatable {
  /// What went wrong, as an open set of codes.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The code's stable name.
    public var rawValue: String

    /// Makes a code from its stable name.
    ///
    /// - Parameter rawValue: The name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// The API refused a token, and the new one that took its place too.
    public static let unauthorized = Code(rawValue: "unauthorized")
    /// The token is good but lacks a scope; ``APIAuthorizationError/scope`` says which, if the API does.
    public static let insufficientScope = Code(rawValue: "insufficientScope")
    /// The API wants a token with the claims in ``APIAuthorizationError/claims``: the user has to sign in with them.
    public static let claimsRequired = Code(rawValue: "claimsRequired")
    /// The request leads to an origin that tokens may not be sent to.
    ///
    /// Nothing was sent, and no token was asked for.
    public static let originNotAllowed = Code(rawValue: "originNotAllowed")
  }

  /// What went wrong.
  public var code: Code
  /// What happened, in words without secrets.
  public var message: String
  /// What to do about it.
  public var recoverySuggestion: String?
  /// The challenge that the API answered with, if any.
  public var challenge: AuthenticationChallenge?
  /// The API's answer, if there was one; its description shows neither headers nor body.
  public var response: TransportResponse?

  /// Makes an error.
  ///
  /// - Parameters:
  ///   - code: What went wrong.
  ///   - message: What happened, in words without secrets.
  ///   - recoverySuggestion: What to do about it.
  ///   - challenge: The challenge that the API answered with.
  ///   - response: The API's answer.
  public init(
    _ code: Code, _ message: String, recoverySuggestion: String? = nil, challenge: AuthenticationChallenge? = nil,
    response: TransportResponse? = nil
  ) {
    self.code = code
    self.message = message
    self.recoverySuggestion = recoverySuggestion
    self.challenge = challenge
    self.response = response
  }

  /// The message.
  public var errorDescription: String? { message }
  /// The answer's status, if there was an answer.
  public var status: Int? { response?.status }
  /// The part of the server that asked for a token.
  public var realm: String? { challenge?.realm }
  /// The API's own code, such as `invalid_token`.
  public var serverError: String? { challenge?.error }
  /// The scopes that the API wants, separated by spaces.
  public var scope: String? { challenge?.scope }
  /// The claims that the API wants, as JSON for the `claims` parameter of the next sign-in.
  public var claims: String? { challenge?.claims }
  /// Whether a sign-in by the user can mend it.
  public var needsInteraction: Bool { code != .originNotAllowed }

  /// Compares the codes.
  ///
  /// - Parameters:
  ///   - left: One error.
  ///   - right: The other.
  /// - Returns: Whether the codes are the same.
  public static func == (left: APIAuthorizationError, right: APIAuthorizationError) -> Bool { left.code == right.code }
}

extension APIAuthorizationError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Code, message and what to do; neither the challenge nor the answer.
  public var description: String {
    "\(code.rawValue): \(message)" + (recoverySuggestion.map { " " + $0 } ?? "")
  }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror that shows the description only: an API may give back, in its challenge, the token it was sent.
  public var customMirror: Mirror { Mirror(self, children: ["error": description]) }
}
