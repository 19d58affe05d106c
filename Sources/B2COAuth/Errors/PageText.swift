internal import Foundation

/// The words that a reader sees first in an HTML page that arrived instead of a response.
enum PageText {
  /// Returns the title and the first heading of a page, or else its visible text, with entities not yet decoded.
  ///
  /// Only the first 64 KB are read, and each byte a fixed number of times, because anyone may have written the page.
  /// Scripts, styles, comments and hidden elements are left out.
  static func words(of page: Data) -> String {
    var (title, heading, rest) = ("", "", "")
    var (isInHeading, hasHeading) = (false, false)
    // The text that ends the current comment, or the end tag of the current element, in which tags are plain text.
    var end: String?
    // The element that hides its content, and the number of open elements with its name.
    var hidden: (name: Substring, depth: Int)?
    let html = (">" + CombiningMarks.cut(String(decoding: page.prefix(65_536), as: UTF8.self))).utf8
    for piece in html.split(separator: UInt8(ascii: "<"), omittingEmptySubsequences: false) {
      let whole = String(decoding: piece, as: UTF8.self)
      let close = whole.firstIndex(of: ">") ?? whole.endIndex
      var (tag, text) = (whole[..<close].prefix(512).lowercased(), String(whole[close...].dropFirst()))
      if end == "-->" || end == nil && tag.hasPrefix("!--") {
        let after = whole.range(of: "-->").map { String(whole[$0.upperBound...]) }
        (end, tag, text) = (after == nil ? "-->" : nil, "", after ?? "")
      } else if end.map(tag.hasPrefix) == false {
        continue
      } else {
        end = nil
        let isTag = tag.utf8.first.map { (0x61...0x7A).contains($0) || "/!?".utf8.contains($0) } ?? true
        if !isTag { (tag, text) = ("", "<" + whole) }
      }
      let isEnd = tag.hasPrefix("/")
      let name = tag.drop { $0 == "/" }.prefix { $0.isASCII && ($0.isLetter || $0.isNumber) }
      if !isEnd, ["title", "script", "style"].contains(name) {
        if name == "title", hidden == nil, title.isEmpty { title = text }
        end = "/" + name
        continue
      }
      if let element = hidden {
        let depth = element.depth + (name != element.name ? 0 : isEnd ? -1 : 1)
        hidden = depth == 0 ? nil : (element.name, depth)
      } else if !isEnd, hides(tag, name) {
        hidden = (name, 1)
      } else if name.count == 2, name.hasPrefix("h"), name != "hr" {
        if isInHeading { hasHeading = !collapsed(heading).isEmpty }
        isInHeading = !isEnd && !hasHeading
        if isInHeading { heading = "" }
      }
      if hidden == nil { rest += " " + text }
      if hidden == nil, isInHeading { heading += " " + text }
    }
    let named = [collapsed(title), collapsed(heading)].filter { !$0.isEmpty }
    return named.isEmpty ? collapsed(rest) : named.prefix(named.first == named.last ? 1 : 2).joined(separator: ": ")
  }

  /// Whether an element hides its content, which a void element, for example a hidden input, does not have.
  private static func hides(_ tag: String, _ name: Substring) -> Bool {
    guard !tag.hasSuffix("/"), !["br", "hr", "img", "input", "link", "meta"].contains(name) else { return false }
    let words = tag.replacing(": ", with: ":").split { " \t\r\n\"'".contains($0) }
    return ["template", "noscript", "svg"].contains(name) || words.contains { $0 == "hidden" || $0 == "hidden=" }
      || ["display:none", "visibility:hidden", "aria-hidden=true"].contains(where: words.joined().contains)
  }

  /// Returns a text with single spaces, cut at 4 KB because no error shows more.
  private static func collapsed(_ text: String) -> String {
    String(decoding: text.utf8.prefix(4_096), as: UTF8.self).split { $0.isWhitespace }.joined(separator: " ")
  }

  private static let entities = [
    "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": " ", "ndash": "–", "mdash": "—",
    "hellip": "…", "lsquo": "‘", "rsquo": "’", "ldquo": "“", "rdquo": "”", "auml": "ä", "ouml": "ö", "uuml": "ü",
    "Auml": "Ä", "Ouml": "Ö", "Uuml": "Ü", "szlig": "ß", "agrave": "à", "egrave": "è", "eacute": "é", "ccedil": "ç",
  ]

  /// Decodes the common HTML entities once, so that `&amp;lt;` becomes `&lt;` and not `<`.
  static func decoded(_ text: String) -> String {
    let start = String(decoding: text.utf8.prefix(8_192), as: UTF8.self)
    let pieces = start.split(separator: "&", omittingEmptySubsequences: false)
    return pieces.dropFirst().reduce(into: String(pieces[0])) { decoded, piece in
      let parts = piece.split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false)
      let character = parts.count == 2 ? character(String(parts[0])) : nil
      decoded += character.map { $0 + parts[1] } ?? "&" + piece
    }
  }

  private static func character(_ entity: String) -> String? {
    guard entity.hasPrefix("#") else { return entities[entity] ?? entities[entity.lowercased()] }
    let digits = entity.dropFirst()
    let number = digits.first?.lowercased() == "x" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    return number.flatMap(Unicode.Scalar.init).map { String($0) }
  }
}
