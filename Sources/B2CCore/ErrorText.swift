package import Foundation

/// The parts of texts that all errors have in common.
package enum ErrorText {
  /// Returns a text with a full stop, unless it already ends like a sentence.
  package static func sentence(_ text: String) -> String {
    [".", "!", "?", "…"].contains { text.hasSuffix($0) } ? text : text + "."
  }

  /// Returns the server's own text as a sentence, with a space before it.
  package static func said(_ words: String) -> String { " The server said: " + sentence(words) }

  /// Returns the correlation id in brackets, or nothing if the text, for example the server's, already contains it.
  package static func correlation(_ id: UUID?, after text: String) -> String {
    guard let id = id?.uuidString.lowercased(), !text.lowercased().contains(id) else { return "" }
    return " (correlation id \(id))"
  }
}
