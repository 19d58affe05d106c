internal import B2CCore
internal import B2CHTTP
internal import Foundation

extension LoopbackPages {
  /// Gives the answer that ends the browser's part.
  func response(isSuccess: Bool, acceptLanguage: String?) -> LoopbackResponse {
    let texts = texts(accepting: acceptLanguage)
    // The one thing that differs between two answers: with it the policy allows this style sheet and no other.
    let nonce = RandomToken.make(bytes: 16).value
    let body = Self.html(
      texts, appName: appName, accent: Self.color(accentColor), isSuccess: isSuccess, nonce: nonce)
    var headers = Self.headers
    headers["Content-Type"] = "text/html; charset=utf-8"
    headers["Content-Language"] = Self.safeLanguage(texts.language)
    headers["Content-Security-Policy"] =
      "default-src 'none'; style-src 'nonce-\(nonce)'; img-src data:; base-uri 'none'; form-action 'none';"
      + " frame-ancestors 'none'"
    return LoopbackResponse(status: 200, headers: headers, body: Data(body.utf8), closesConnection: true)
  }

  /// Gives the answer to everything that is not the awaited redirect.
  static var notFound: LoopbackResponse {
    var headers = headers
    headers["Content-Type"] = "text/plain; charset=utf-8"
    headers["Content-Security-Policy"] = "default-src 'none'; frame-ancestors 'none'"
    return LoopbackResponse(status: 404, headers: headers, body: Data("Not found.\n".utf8))
  }

  // The page's own URL holds the code: it may neither be kept nor be told to anybody as a referrer.
  private static let headers: HTTPHeaders = [
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
  ]

  private static func html(
    _ texts: Texts, appName: String, accent: String, isSuccess: Bool, nonce: String
  ) -> String {
    let heading = escape(isSuccess ? texts.successHeading : texts.failureHeading)
    let message = escape(isSuccess ? texts.successMessage : texts.failureMessage)
    let name = appName.isEmpty ? "" : "<p class=\"app\" dir=\"auto\">\(escape(appName))</p>\n"
    let title = appName.isEmpty ? heading : "\(heading) · \(escape(appName))"
    let mark = isSuccess ? "M9 16.2 4.8 12l-1.4 1.4L9 19 21 7l-1.4-1.4z" : "M11 6h2v8h-2zm0 10h2v2h-2z"
    return """
      <!DOCTYPE html>
      <html lang="\(safeLanguage(texts.language))">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>\(title)</title>
      <link rel="icon" href="data:,">
      <style nonce="\(nonce)">
      \(style(accent: isSuccess ? accent : "8A5A00"))
      </style>
      </head>
      <body>
      <main>
      \(name)<svg viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="\(mark)"/></svg>
      <h1 dir="auto">\(heading)</h1>
      <p dir="auto" role="status">\(message)</p>
      </main>
      </body>
      </html>

      """
  }

  private static func style(accent: String) -> String {
    """
    :root { color-scheme: light dark; --back: #f3f4f6; --card: #fff; --text: #1b1f24; --soft: #4b5563; }
    @media (prefers-color-scheme: dark) {
      :root { --back: #111418; --card: #1c2127; --text: #f2f4f7; --soft: #b6bec9; }
    }
    * { box-sizing: border-box; }
    body { margin: 0; min-height: 100vh; display: flex; align-items: center; justify-content: center; padding: 1.5rem;
      background: var(--back); color: var(--text); font: 1.0625rem/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; }
    main { width: 100%; max-width: 28rem; padding: 2.5rem 2rem; border-radius: 1rem; background: var(--card);
      text-align: center; box-shadow: 0 1px 3px rgba(0, 0, 0, .12), 0 8px 24px rgba(0, 0, 0, .08); }
    svg { width: 3.5rem; height: 3.5rem; padding: .75rem; border-radius: 50%; background: #\(accent); fill: #fff; }
    h1 { margin: 1.25rem 0 .5rem; font-size: 1.5rem; line-height: 1.25; overflow-wrap: anywhere; }
    p { margin: 0; color: var(--soft); overflow-wrap: anywhere; text-wrap: balance; }
    .app { margin-bottom: 1.5rem; font-weight: 600; }
    @media (forced-colors: active) { svg { forced-color-adjust: none; } main { border: 1px solid; } }
    """
  }

  private static func escape(_ text: String) -> String {
    var escaped = ""
    for character in text {
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      default: escaped.append(character)
      }
    }
    return escaped
  }

  private static func color(_ text: String) -> String {
    let digits = text.hasPrefix("#") ? String(text.dropFirst()) : text
    let isColor = digits.utf8.count == 6 && digits.allSatisfy { $0.isASCII && $0.isHexDigit }
    return isColor ? digits : "0B6BCB"
  }

  private static func safeLanguage(_ tag: String) -> String {
    let isTag = tag.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
    return isTag && (1...35).contains(tag.utf8.count) ? tag : "en"
  }
}
