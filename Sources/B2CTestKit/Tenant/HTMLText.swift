/// Text in HTML.
enum HTMLText {
  private static let entities: [Unicode.Scalar: String] = [
    "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;",
  ]

  /// Escapes a text for the content of an element or a quoted attribute.
  ///
  /// It goes by Unicode scalars: as a `Character`, `<` with a combining mark after it is not equal to `<`.
  static func escape(_ text: String) -> String { text.unicodeScalars.map { entities[$0] ?? String($0) }.joined() }
}
