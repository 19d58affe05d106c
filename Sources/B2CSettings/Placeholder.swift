import B2CCore

/// Values that a template left to be filled in.
///
/// No setting contains `<…>`, `{…}` or a build variable, so such a value was never filled in.
enum Placeholder {
  static let message = "The value is still a template's placeholder."

  private static let beginnings = ["enter ", "enter_", "insert ", "replace ", "your ", "your_", "your-"]
  private static let words: Set<String> = [
    "todo", "tbd", "changeme", "change_me", "change-me", "xxx", "...", "replaceme", "replace_me", "replace-me",
  ]
  private static let stems = [
    "yourtenant", "yourclientid", "yourappid", "yourapplicationid", "yourpolicy", "yourdomain", "yourb2ctenant",
    "yourbundleid", "yourredirect",
  ]

  /// Returns whether a value is or contains a placeholder.
  static func isPlaceholder(_ text: String) -> Bool {
    let folded = text.trimmed.lowercased()
    let letters = folded.filter { !"-_ ".contains($0) }
    return hasPair("<", ">", in: folded) || hasPair("{", "}", in: folded) || folded.contains("$(")
      || (folded.hasPrefix("[") && folded.hasSuffix("]") && hasPair("[", "]", in: folded))
      || beginnings.contains { folded.hasPrefix($0) } || words.contains(folded)
      || stems.contains { letters.contains($0) }
      // A GUID of zeros or of the letter x.
      || (folded.count == 36 && letters.count == 32 && ["0", "x"].contains { Set(letters) == [$0] })
  }

  /// Something in brackets that begins with a letter and is neither a GUID nor an XML element.
  private static func hasPair(_ open: Character, _ close: Character, in text: String) -> Bool {
    guard let start = text.firstIndex(of: open) else { return false }
    let inside = text[text.index(after: start)...]
    guard let end = inside.lastIndex(of: close), let first = inside[..<end].first else { return false }
    guard open != "<" || !text.contains("</") else { return false }
    return (first.isLetter || first == " " || first == "_") && !GUID.isGUID(inside[..<end])
  }
}
