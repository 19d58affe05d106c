internal import Foundation

/// The first form of a page, read without a script: its action, method, fields and buttons.
struct HTMLForm: Sendable {
  struct Field: Sendable {
    let name: String
    let type: String
    let value: String
    let isRequired: Bool
  }

  struct Button: Sendable {
    let name: String
    let value: String
    let skipsValidation: Bool
  }

  /// The page's title.
  let title: String
  /// The page's error message, if any.
  let alert: String?
  /// The page's text, except for the error message.
  let paragraphs: [String]
  /// Whether the page has a form at all.
  let isPresent: Bool
  let action: String
  let fields: [Field]
  let buttons: [Button]

  /// Reads a page; what is longer than 256 KiB is cut off.
  init(html: Data) {
    var scanner = HTMLScanner(String(decoding: html.prefix(256 << 10), as: UTF8.self))
    var title = ""
    var alert: String?
    var paragraphs: [String] = []
    var action: String?
    var isOpen = false
    var fields: [Field] = []
    var buttons: [Button] = []
    while let tag = scanner.nextTag() {
      switch tag.name {
      case "title" where title.isEmpty: title = scanner.text()
      case _ where tag.attributes["role"] == "alert": alert = scanner.text()
      case "p":
        let text = scanner.text()
        if !text.isEmpty { paragraphs.append(text) }
      case "form" where action == nil:
        action = tag.attributes["action"] ?? ""
        isOpen = true
      case "/form": isOpen = false
      case "input" where isOpen:
        guard let name = tag.attributes["name"] else { continue }
        fields.append(
          Field(
            name: name, type: tag.attributes["type"]?.lowercased() ?? "text", value: tag.attributes["value"] ?? "",
            isRequired: tag.attributes["required"] != nil))
      case "button" where isOpen:
        buttons.append(
          Button(
            name: tag.attributes["name"] ?? "", value: tag.attributes["value"] ?? "",
            skipsValidation: tag.attributes["formnovalidate"] != nil))
      default: break
      }
    }
    self.title = title
    self.alert = alert
    self.paragraphs = paragraphs
    self.action = action ?? ""
    isPresent = action != nil
    self.fields = fields
    self.buttons = buttons
  }
}

/// Goes through a page tag by tag.
///
/// It reads the pages of this package, not the whole of HTML.
struct HTMLScanner {
  struct Tag {
    let name: String
    let attributes: [String: String]
  }

  private let characters: [Character]
  private var index = 0

  init(_ text: String) {
    characters = Array(text)
  }

  /// The next start or end tag; an end tag's name begins with a slash.
  mutating func nextTag() -> Tag? {
    while index < characters.count {
      guard characters[index] == "<" else {
        index += 1
        continue
      }
      index += 1
      let name = word { !$0.isWhitespace && $0 != ">" }.lowercased()
      if name == "style" || name == "script" { skip(past: "</" + name) }
      var attributes: [String: String] = [:]
      while let (key, value) = attribute() { attributes[key] = value }
      if index < characters.count { index += 1 }
      return Tag(name: name, attributes: attributes)
    }
    return nil
  }

  /// The text up to the next tag.
  mutating func text() -> String {
    Self.unescape(word { $0 != "<" })
  }

  private mutating func attribute() -> (String, String)? {
    _ = word { $0.isWhitespace || $0 == "/" }
    let name = word { !$0.isWhitespace && $0 != "=" && $0 != ">" }.lowercased()
    guard !name.isEmpty else { return nil }
    guard index < characters.count, characters[index] == "=" else { return (name, "") }
    index += 1
    guard index < characters.count, characters[index] == "\"" || characters[index] == "'" else {
      return (name, Self.unescape(word { !$0.isWhitespace && $0 != ">" }))
    }
    let quote = characters[index]
    index += 1
    let value = word { $0 != quote }
    if index < characters.count { index += 1 }
    return (name, Self.unescape(value))
  }

  private mutating func word(while matches: (Character) -> Bool) -> String {
    let start = index
    while index < characters.count, matches(characters[index]) { index += 1 }
    return String(characters[start..<index])
  }

  private mutating func skip(past end: String) {
    let end = Array(end)
    while index < characters.count, !characters[index...].starts(with: end) { index += 1 }
  }

  private static func unescape(_ text: String) -> String {
    guard text.contains("&") else { return text }
    var output = ""
    var rest = Substring(text)
    while let start = rest.firstIndex(of: "&") {
      output += rest[..<start]
      rest = rest[start...]
      guard let entity = entities.first(where: { rest.hasPrefix($0.key) }) else {
        output.append(rest.removeFirst())
        continue
      }
      output += entity.value
      rest = rest.dropFirst(entity.key.count)
    }
    return output + rest
  }

  private static let entities = [
    "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": "\"", "&#39;": "'", "&#x27;": "'", "&#34;": "\"",
  ]
}
