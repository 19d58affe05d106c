internal import B2CCore
internal import B2CHTTP
internal import B2CLoopback
internal import Foundation

/// A page of a tenant, with a text and, unless the sign-in ends on it, a form.
///
/// A browser gets the page as HTML, and a ``ScriptedPresenter`` gets it as JSON.
struct LocalPage: Codable, Sendable {
  struct Field: Codable, Sendable {
    let name: String
    let label: String
    var type = "text"
    var value = ""
    var isRequired = true

    static func email(_ value: String?) -> Field {
      Field(name: "email", label: "Email address", type: "email", value: value ?? "")
    }

    static func password(_ label: String) -> Field { Field(name: "password", label: label, type: "password") }
  }

  struct Button: Codable, Sendable {
    let action: String
    let label: String
  }

  var title: String
  var text: String?
  /// What went wrong, for example in the last post of this page.
  var alert: String?
  /// The URL that the form is posted to, or `nil` if the page has no form.
  var target: String?
  /// The name of the page, which its form posts along, so that the tenant knows which page was posted.
  var stage: String?
  var fields: [Field] = []
  /// The buttons, of which only the first one requires the fields to be filled in.
  var buttons: [Button] = []

  /// Returns the page as HTML or JSON, depending on the request's `Accept` field.
  func response(to request: URLRequest, status: Int = 200) -> LocalResponse {
    let isJSON = request.value(forHTTPHeaderField: "Accept") == Self.json
    return LocalResponse(
      status: status,
      headers: ["Content-Type": isJSON ? Self.json : "text/html; charset=utf-8", "Cache-Control": "no-store"],
      body: isJSON ? LocalJSON.data(self) : Data(html.utf8))
  }

  /// The `Accept` value of a request that wants the page as JSON.
  static let json = "application/json"

  /// Escapes a text for the content of an element or a quoted attribute.
  ///
  /// The text is compared by Unicode scalars, because Swift's `Character` of `<` and a combining mark is not equal to
  /// `<`, but a browser would read it as one.
  private static func escape(_ text: String) -> String {
    text.unicodeScalars.map { "&<>\"'".unicodeScalars.contains($0) ? "&#\($0.value);" : String($0) }.joined()
  }

  private var html: String {
    let escape = Self.escape
    var lines: [String] = []
    if let text { lines.append("<p>\(escape(text))</p>") }
    if let alert { lines.append("<p role=\"alert\">\(escape(alert))</p>") }
    if let target {
      lines.append("<form method=\"post\" action=\"\(escape(target))\">")
      if let stage { lines.append("<input type=\"hidden\" name=\"stage\" value=\"\(escape(stage))\">") }
      for field in fields {
        lines.append("<label for=\"\(field.name)\">\(escape(field.label))</label>")
        let completion = ["email": "username", "password": "current-password"][field.type] ?? "off"
        lines.append(
          "<input autocomplete=\"\(completion)\" id=\"\(field.name)\" name=\"\(field.name)\" type=\"\(field.type)\" value=\"\(escape(field.value))\""
            + (field.isRequired ? " required>" : ">"))
      }
      for (index, button) in buttons.enumerated() {
        let look = index == 0 ? "" : " class=\"quiet\" formnovalidate"
        lines.append("<button name=\"action\" value=\"\(button.action)\"\(look)>\(escape(button.label))</button>")
      }
      lines.append("</form>")
    }
    lines.append("<footer>A local tenant for tests. Nothing typed here leaves this machine.</footer>")
    return StyledPage.html(title: escape(title), body: lines.joined(separator: "\n"))
  }
}
