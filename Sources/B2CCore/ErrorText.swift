package import Foundation

/// The pieces that the texts of all errors have in common.
package enum ErrorText {
  /// The text with a full stop, unless it ends in a mark that ends a sentence.
  package static func sentence(_ text: String) -> String {
    [".", "!", "?", "…"].contains { text.hasSuffix($0) } ? text : text + "."
  }

  /// The server's own words as a sentence of their own, with a space before it.
  package static func said(_ words: String) -> String { " The server said: " + sentence(words) }

  /// The correlation id in brackets, with a space before it; empty where the text, such as the server's words, has it already.
  package static func correlation(_ id: UUID?, after text: String) -> String {
    guard let id = id?.uuidString.lowercased(), !text.lowercased().contains(id) else { return "" }
    return " (correlation id \(id))"
  }
}
