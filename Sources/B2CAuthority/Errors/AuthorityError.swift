public import Foundation

/// Why a text is no authority or no policy, or why the two do not go together.
///
/// Two errors are equal when their codes are. Nothing in it is secret: user-info, fragments and every query parameter but
/// `p` are left out of ``value``.
public struct AuthorityError: Error, Sendable, Equatable {
  /// What is wrong.
  public var code: Code
  /// What is wrong and where, in words.
  public var message: String
  /// The refused text, as far as it may be shown.
  public var value: String?
  /// The corrected text, when it is known: it can be used as it stands.
  public var suggestion: String?
  /// What to do about it.
  public var recoverySuggestion: String?

  /// Makes an error.
  ///
  /// - Parameters:
  ///   - code: What is wrong.
  ///   - message: What is wrong and where, in words.
  ///   - value: The refused text, as far as it may be shown.
  ///   - suggestion: The corrected text, when it is known.
  ///   - recoverySuggestion: What to do about it.
  public init(
    _ code: Code, _ message: String, value: String? = nil, suggestion: String? = nil,
    recoverySuggestion: String? = nil
  ) {
    self.code = code
    self.message = message
    self.value = value
    self.suggestion = suggestion
    self.recoverySuggestion = recoverySuggestion
  }

  /// Compares the codes.
  ///
  /// - Parameters:
  ///   - left: One error.
  ///   - right: The other.
  /// - Returns: Whether the codes are the same.
  public static func == (left: AuthorityError, right: AuthorityError) -> Bool { left.code == right.code }
}

extension AuthorityError: CustomStringConvertible {
  /// Code, message, the refused text, the corrected text and what to do.
  public var description: String {
    var text = "\(code.rawValue): \(message)"
    if let value { text += " Given: \(value)" }
    if let suggestion { text += " Use: \(suggestion)" }
    if let recoverySuggestion { text += " \(recoverySuggestion)" }
    return text
  }
}

extension AuthorityError: LocalizedError {
  /// The message.
  public var errorDescription: String? { message }
}
