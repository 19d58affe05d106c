import B2CConnector
import Hummingbird

/// Gives an error its page, and every answer, a refusal too, the headers that keep what is on a page there.
struct Answers: RouterMiddleware {
  private static let headers = [
    ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"),
    // With `no-referrer` a browser would send `Origin: null` with this server's own forms.
    ("Referrer-Policy", "same-origin"),
    (
      "Content-Security-Policy",
      "default-src 'none'; style-src '\(Style.hash)'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
  ]

  func handle(
    _ request: Request, context: BasicRequestContext, next: (Request, BasicRequestContext) async throws -> Response
  ) async throws -> Response {
    var response: Response
    do {
      response = try await next(request, context)
    } catch let error as ConnectorError {
      response = failure(error, context)
    } catch let error as any HTTPResponseError {
      response = page(alert(error.status.reasonPhrase, "<a href=\"/\">Back</a>"), error.status)
    }
    for (name, value) in Self.headers {
      if let name = HTTPFields.Element.Name(name) { response.headers[name] = value }
    }
    return response
  }
}

func redirect(to place: String) -> Response { Response(status: .seeOther, headers: [.location: place]) }

/// Returns a page from HTML for its title, which is also its heading, and for its body.
func page(
  _ body: String, _ status: HTTPResponse.Status = .ok, title: String = "Tasks", head: String = ""
) -> Response {
  let html = """
    <!DOCTYPE html>
    <html lang="en">
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>\(title)</title>
    <style>\(Style.css)</style>
    \(head)
    <main>
    <h1>\(title)</h1>
    \(body)
    </main>

    """
  return Response(
    status: status, headers: [.contentType: "text/html; charset=utf-8"],
    body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
}

/// Returns what went wrong, which screen readers announce, and the links that lead on.
func alert(_ text: String, _ links: String) -> String { "<p role=\"alert\">\(escaped(text))</p>\(links)" }

/// Logs an error and returns a page about it.
///
/// The error's message is for developers, so the visitor sees only the code, or what the provider says to them.
func failure(_ error: ConnectorError, _ context: BasicRequestContext) -> Response {
  context.logger.warning("\(error)")
  let (text, status): (String, HTTPResponse.Status) =
    switch error.code {
    case .accessDenied, .wrongUser: (error.serverDescription ?? "You may not sign in here.", .forbidden)
    case _ where error.outcomeIsUnknown: ("It may have been saved. Look at the list.", .badGateway)
    case _ where error.needsInteraction: ("Please sign in again.", .unauthorized)
    case _ where error.isRetryable: ("The service is busy. Try again in a minute.", .serviceUnavailable)
    default: ("That did not work (\(error.code.rawValue)).", .badRequest)
    }
  return page(alert(text, "<a class=\"primary\" href=\"/login\">Sign in</a><a href=\"/\">Back</a>"), status)
}

/// Returns a form with one button, which is quiet unless the form is the main thing to do on its page.
func form(_ action: String, _ title: String, _ fields: String = "", isMain: Bool = false) -> String {
  "<form method=\"post\" action=\"\(action)\">\(fields)<button\(isMain ? "" : " class=\"quiet\"")>\(title)</button></form>"
}

/// Escapes each scalar, because a character can consist of several and hide a `<` among them.
func escaped(_ text: String) -> String {
  let names: [Unicode.Scalar: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;"]
  return text.unicodeScalars.reduce(into: "") { $0 += names[$1] ?? String($1) }
}
