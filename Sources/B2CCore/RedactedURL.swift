package import Foundation

/// A URL as it may be shown: names of query parameters stay, values do not, except a few that are not secret.
package struct RedactedURL: CustomStringConvertible, Sendable {
  private static let harmless: Set<String> = [
    "p", "client_id", "redirect_uri", "response_type", "response_mode", "scope", "prompt", "code_challenge_method",
    "error", "ui_locales", "domain_hint",
  ]

  package let description: String

  /// Prepares a URL for showing; user-info and fragment are left out.
  package init(_ url: URL) {
    guard let components = URLComponents(url: url, resolvingAgainstBaseURL: true) else {
      description = "[url]"
      return
    }
    var text = (components.scheme.map { $0 + ":" } ?? "")
    if let host = components.encodedHost {
      text += "//" + host + (components.port.map { ":\($0)" } ?? "")
    }
    text += components.percentEncodedPath
    if let query = components.percentEncodedQuery, !query.isEmpty {
      text += "?" + query.split(separator: "&").map(Self.show).joined(separator: "&")
    }
    description = text
  }

  /// The description without the query.
  package var withoutQuery: String { String(description.prefix { $0 != "?" }) }

  private static func show(_ pair: Substring) -> String {
    let name = pair.prefix { $0 != "=" }
    return harmless.contains(FormEncoding.unescape(name)) ? String(pair) : name + "=…"
  }
}
