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
  /// What the page says is wrong, if anything.
  let alert: String?
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
    var action: String?
    var isOpen = false
    var fields: [Field] = []
    var buttons: [Button] = []
    while let tag = scanner.nextTag() {
      switch tag.name {
      case "title" where title.isEmpty: title = scanner.text()
      case _ where tag.attributes["role"] == "alert": alert = scanner.text()
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
    self.action = action ?? ""
    isPresent = action != nil
    self.fields = fields
    self.buttons = buttons
  }
}
