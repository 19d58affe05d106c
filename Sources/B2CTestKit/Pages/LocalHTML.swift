internal import B2CHTTP
internal import Foundation

/// Pages as HTML: readable without a script, in light and dark, on any width, with labels for every field.
enum LocalHTML {
  static func response(_ page: LocalPage, status: Int = 200) -> TransportResponse {
    TransportResponse(
      status: status,
      headers: [
        "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store", "X-Frame-Options": "DENY",
        "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
        "Content-Security-Policy":
          "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
      ],
      body: Data(text(page).utf8))
  }

  static func text(_ page: LocalPage) -> String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>\(escape(page.title))</title>
    <style>
    \(LocalStyle.sheet)
    </style>
    </head>
    <body>
    <main>
    <h1>\(escape(page.title))</h1>
    \(body(page))
    </main>
    <footer>A local tenant for tests. Nothing typed here leaves this machine.</footer>
    </body>
    </html>

    """
  }

  static func escape(_ text: String) -> String {
    var output = ""
    for character in text.unicodeScalars {
      switch character {
      case "&": output += "&amp;"
      case "<": output += "&lt;"
      case ">": output += "&gt;"
      case "\"": output += "&quot;"
      case "'": output += "&#39;"
      default: output.unicodeScalars.append(character)
      }
    }
    return output
  }

  private static func body(_ page: LocalPage) -> String {
    var lines = page.text.map { "<p>\(escape($0))</p>" }
    if let alert = page.alert { lines.append("<p class=\"alert\" role=\"alert\" id=\"alert\">\(escape(alert))</p>") }
    guard let action = page.formAction else { return lines.joined(separator: "\n") }
    lines.append("<form method=\"post\" action=\"\(escape(action))\">")
    lines += page.hidden.map {
      "<input type=\"hidden\" name=\"\(escape($0.name))\" value=\"\(escape($0.value))\">"
    }
    lines += page.fields.map { field($0, hasAlert: page.alert != nil) }
    lines.append("<div class=\"buttons\">")
    lines += page.buttons.map { button in
      let extra = button.isSecondary ? " class=\"secondary\" formnovalidate" : ""
      // A button without an action only posts the hidden fields.
      let name = button.action.isEmpty ? "" : " name=\"action\" value=\"\(escape(button.action))\""
      return "<button type=\"submit\"\(name)\(extra)>\(escape(button.label))</button>"
    }
    lines += ["</div>", "</form>"]
    return lines.joined(separator: "\n")
  }

  private static func field(_ field: LocalPage.Field, hasAlert: Bool) -> String {
    let name = escape(field.name)
    let required = field.isRequired ? " required" : ""
    let described = hasAlert ? " aria-describedby=\"alert\"" : ""
    return "<label for=\"\(name)\">\(escape(field.label))</label>\n"
      + "<input id=\"\(name)\" name=\"\(name)\" type=\"\(escape(field.type))\" value=\"\(escape(field.value))\" "
      + "autocomplete=\"\(escape(field.autocomplete))\" spellcheck=\"false\" autocapitalize=\"none\""
      + "\(required)\(described)>"
  }
}
