import B2CCore

/// Values as messages may show them.
enum Shown {
  private static let limit = 100

  /// Returns a value on one line, cut to 100 characters and without a URL's query.
  ///
  /// Returns `nil` for what looks like a token or may be a URL with a password.
  static func value(_ text: String) -> String? {
    // Every JSON Web Token begins with these letters, the base64url form of `{"`.
    guard !text.contains("eyJ"), !(text.contains("@") && text.contains("://")) else { return nil }
    let start = queryStart(text)
    let shown = PrintableText.plain(start.map { String(text[...$0]) } ?? text, limit: limit + 1)
    return shown.count > limit || start != nil ? shown.prefix(limit) + "…" : shown
  }

  /// Returns the place of the `?` of a URL's query, which may hold a key; `nil` without one, or for a policy's.
  static func queryStart(_ text: String) -> String.Index? {
    guard let mark = text.firstIndex(of: "?"), text[..<mark].contains(where: { $0 == ":" || $0 == "/" }),
      !text[mark...].lowercased().hasPrefix("?p=")
    else { return nil }
    return mark
  }
}
