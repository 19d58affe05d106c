@_exported public import B2CCore

/// The reason why a text is not an authority, in the parts that a problem of the settings has.
///
/// Nothing in it is secret: the refused text is in none of them, and a suggestion is a text that is accepted.
package struct AuthorityFault: Error {
  /// The fault, in a sentence.
  package var message: String
  /// The corrected text, where it is known; usable as it is.
  package var suggestion: String?
  /// How to fix it, in a sentence.
  package var recoverySuggestion: String?
  var code = ErrorCode.configuration

  /// The error of a call that was given the text.
  package var error: ConnectorError {
    let advice = [suggestion.map { "Write \"\($0)\"." }, recoverySuggestion].compactMap(\.self).joined(separator: " ")
    return ConnectorError(own: code, message, recoverySuggestion: advice.isEmpty ? nil : advice)
  }
}
