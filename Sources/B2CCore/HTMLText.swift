/// Text in HTML.
package enum HTMLText {
  /// Escapes a text for the content of an element or a quoted attribute.
  ///
  /// It goes by Unicode scalars: as a `Character`, `<` with a combining mark after it is not equal to `<`.
  package static func escape(_ text: String) -> String {
    var escaped = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;".unicodeScalars
      case "<": escaped += "&lt;".unicodeScalars
      case ">": escaped += "&gt;".unicodeScalars
      case "\"": escaped += "&quot;".unicodeScalars
      case "'": escaped += "&#39;".unicodeScalars
      default: escaped.append(scalar)
      }
    }
    return String(escaped)
  }
}
