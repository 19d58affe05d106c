internal import Foundation

/// A refused text as an error may show it.
enum ShownText {
  private static let limit = 200

  /// Leaves out user-info, the fragment, and every query parameter except `p`: a pasted URL may carry tokens and names.
  static func show(_ text: String) -> String {
    var rest = text.unicodeScalars[...]
    var ending = ""
    if let hash = rest.firstIndex(of: "#") {
      rest = rest[..<hash]
      ending = "#…"
    }
    if let mark = rest.firstIndex(of: "?") {
      let query = FormEncoding.decode(String(rest[rest.index(after: mark)...]))
      let policies = query.filter { $0.name.lowercased() == "p" }
      ending = (policies.isEmpty ? "?…" : "?" + FormEncoding.encode(policies)) + ending
      rest = rest[..<mark]
    }
    var start = ""
    // Everything before the last @ may be a password, wherever the slashes are.
    if let at = rest.lastIndex(of: "@") {
      let hidden = String(rest[..<at]).lowercased()
      start = (["https://", "http://"].first { hidden.hasPrefix($0) } ?? "") + "…"
      rest = rest[at...]
    }
    let shown = PrintableText.plain(start + String(rest) + ending, limit: limit + 1)
    return shown.count > limit ? shown.prefix(limit) + "…" : shown
  }

  /// Returns whether a text may contain a password, so that nothing made of it may be shown.
  static func mayHaveUserInfo(_ text: String) -> Bool {
    text.prefix { $0 != "?" && $0 != "#" }.contains("@")
  }

  /// Returns whether a scalar is one that a reader sees, in the place where it is.
  static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
    default: !scalar.properties.isVariationSelector
    }
  }

  /// Returns the scalars of a text that pass a rule.
  static func filter(_ text: String, _ rule: (Unicode.Scalar) -> Bool) -> String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: text.unicodeScalars.filter(rule))
    return String(view)
  }
}
