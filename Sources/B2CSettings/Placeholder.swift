import B2CAuthority
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
    let text = text.trimmed
    let folded = text.lowercased()
    return hasPair("<", ">", in: text) || hasPair("{", "}", in: text) || text.contains("$(") || text.contains("${")
      || (folded.hasPrefix("[") && folded.hasSuffix("]") && hasPair("[", "]", in: text))
      || beginnings.contains { folded.hasPrefix($0) } || words.contains(folded)
      || stems.contains { folded.filter { !"-_ ".contains($0) }.contains($0) }
      || isEmptyGUID(folded)
  }

  /// Something in brackets that begins with a letter and is neither a GUID nor an XML element.
  private static func hasPair(_ open: Character, _ close: Character, in text: String) -> Bool {
    guard let start = text.firstIndex(of: open) else { return false }
    let inside = text[text.index(after: start)...]
    guard let end = inside.lastIndex(of: close), let first = inside[..<end].first else { return false }
    guard open != "<" || !text.contains("</") else { return false }
    return (first.isLetter || first == " " || first == "_") && !GUID.isGUID(inside[..<end])
  }

  /// A GUID of zeros or of the letter x.
  private static func isEmptyGUID(_ folded: String) -> Bool {
    let digits = folded.filter { $0 != "-" }
    guard folded.utf8.count == 36, digits.utf8.count == 32 else { return false }
    return digits.allSatisfy { $0 == "0" } || digits.allSatisfy { $0 == "x" }
  }
}
