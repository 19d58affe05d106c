import B2CCore

/// A refused text as an error may show it.
enum ShownText {
  private static let limit = 200

  /// Leaves out user-info, the fragment, and every query parameter but `p`: a pasted URL may carry tokens and names.
  static func show(_ text: String) -> String {
    var scalars = Array(text.unicodeScalars)
    var ending = ""
    if let hash = scalars.firstIndex(of: "#") {
      scalars = Array(scalars[..<hash])
      ending = "#…"
    }
    if let mark = scalars.firstIndex(of: "?") {
      let policies = FormEncoding.decode(string(scalars[(mark + 1)...])).filter { $0.name.lowercased() == "p" }
      ending = (policies.isEmpty ? "?…" : "?" + FormEncoding.encode(policies)) + ending
      scalars = Array(scalars[..<mark])
    }
    // Whatever stands before the last @ may be a password, wherever the slashes are.
    if let at = scalars.lastIndex(of: "@") {
      let scheme = ["https://", "http://"].first { string(scalars[..<at]).lowercased().hasPrefix($0) } ?? ""
      scalars = Array((scheme + "…").unicodeScalars) + scalars[at...]
    }
    let shown = scalars.map { isVisible($0) ? String($0) : "\\u{\(String($0.value, radix: 16, uppercase: true))}" }
    let whole = shown.joined() + ending
    return whole.count > limit ? String(whole.prefix(limit)) + "…" : whole
  }

  /// Whether a text may have a password in it, so that nothing made of it may be shown.
  static func mayHaveUserInfo(_ text: String) -> Bool {
    text.prefix { $0 != "?" && $0 != "#" }.contains("@")
  }

  /// Whether a scalar is neither a control character, nor one that shows nothing or turns the reading order.
  static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
    default: !scalar.properties.isVariationSelector
    }
  }

  private static func string(_ scalars: some Sequence<Unicode.Scalar>) -> String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars)
    return String(view)
  }
}
