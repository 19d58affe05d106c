/// Values as messages may show them.
enum Shown {
  /// A value without control characters and of bounded length; nothing when it looks like a token or may be a URL with
  /// a password.
  static func value(_ text: String) -> String? {
    // Every JSON Web Token begins with these letters, the base64url form of `{"`.
    guard !text.contains("eyJ"), !(text.contains("@") && text.contains("://")) else { return nil }
    var shown = ""
    var count = 0
    for scalar in text.unicodeScalars {
      guard count < Limits.shownCharacters else { return shown + "…" }
      shown.unicodeScalars.append(isHarmless(scalar) ? scalar : "\u{FFFD}")
      count += 1
    }
    return shown
  }

  private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate: false
    default: true
    }
  }
}
