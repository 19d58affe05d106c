internal import B2CCore
internal import B2CLoopback
internal import Foundation

/// The page that the browser shows when a ``LoopbackPresenter`` has its answer.
///
/// It is static: nothing of the request is in it, it runs no script and loads nothing. Every text can be replaced.
public struct LoopbackPage: Sendable {
  /// The name of the app, shown above the heading; none when empty.
  public var appName = ""
  /// The language of the texts as a BCP 47 tag, such as `de`.
  public var language = "en"
  /// The heading after an answer of the server.
  public var successHeading = "You can close this window"
  /// The line below ``successHeading``.
  public var successMessage = "The browser's part is done. Go back to the app to continue."
  /// The heading after a refusal of the server, or when the user has pressed Cancel.
  public var failureHeading = "Not finished"
  /// The line below ``failureHeading``.
  public var failureMessage = "The page ended without a result. Go back to the app to continue."

  /// Creates a page with English texts.
  public init() {}

  // The page's own URL holds the code: it is neither stored nor sent as a referrer.
  static let commonHeaders: TransportRequest.Headers = [
    "Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
  ]

  /// Returns the answer to the redirect.
  func response(isSuccess: Bool) -> LoopbackResponse {
    // The policy allows the style sheet with this nonce and no other.
    let nonce = RandomToken.make(bytes: 16).value
    var headers = Self.commonHeaders
    headers["Content-Type"] = "text/html; charset=utf-8"
    headers["Content-Security-Policy"] =
      "default-src 'none'; style-src 'nonce-\(nonce)'; img-src data:; base-uri 'none'; form-action 'none';"
      + " frame-ancestors 'none'"
    return LoopbackResponse(
      status: 200, headers: headers, body: Data(html(isSuccess: isSuccess, nonce: nonce).utf8))
  }

  private func html(isSuccess: Bool, nonce: String) -> String {
    let heading = HTMLText.escape(isSuccess ? successHeading : failureHeading)
    let message = HTMLText.escape(isSuccess ? successMessage : failureMessage)
    let name = HTMLText.escape(appName)
    return """
      <!DOCTYPE html>
      <html lang="\(HTMLText.escape(language))">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(name.isEmpty ? heading : "\(heading) · \(name)")</title>
      <link rel="icon" href="data:,">
      <style nonce="\(nonce)">
      :root { color-scheme: light dark; background: Canvas; color: CanvasText; }
      body { margin: 0; min-height: 100vh; display: grid; place-items: center; text-align: center; }
      main { max-width: 28rem; padding: 1.5rem; font: 1.0625rem/1.5 system-ui, sans-serif; }
      h1 { font-size: 1.5rem; line-height: 1.25; }
      h1, p { overflow-wrap: anywhere; }
      .app { font-weight: 600; }
      </style>
      </head>
      <body>
      <main>
      \(name.isEmpty ? "" : "<p class=\"app\" dir=\"auto\">\(name)</p>\n")<h1 dir="auto">\(heading)</h1>
      <p dir="auto" role="status">\(message)</p>
      </main>
      </body>
      </html>

      """
  }
}
