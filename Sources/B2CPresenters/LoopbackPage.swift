internal import B2CCore
internal import B2CLoopback
internal import Foundation

/// The page that the browser shows after a ``LoopbackPresenter`` has received the callback.
///
/// It is static. It contains nothing of the request, runs no script and loads nothing.
enum LoopbackPage {
  /// Returns the page that is shown if the app provides none.
  static func html(isSuccess: Bool) -> String {
    StyledPage.html(
      title: isSuccess ? "You can close this window" : "Not finished",
      body: #"<p role="status">Go back to the app to continue.</p>"#)
  }
}

extension LoopbackResponse {
  /// Returns a response that runs no script and loads nothing.
  ///
  /// Its own URL may contain the code, so browsers must not store it or send it as a referrer.
  static func page(_ text: String, type: String = "text/plain", status: Int = 200) -> LoopbackResponse {
    let policy =
      "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none';"
      + " frame-ancestors 'none'"
    let headers = [
      "Content-Type": "\(type); charset=utf-8", "Content-Security-Policy": policy, "Cache-Control": "no-store",
      "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
    ]
    return LoopbackResponse(status: status, headers: headers, body: Data(text.utf8))
  }
}
