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
      "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
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
      response = page("<p>\(error.status.reasonPhrase)</p><a href=\"/\">Back</a>", error.status)
    }
    for (name, value) in Self.headers {
      if let name = HTTPFields.Element.Name(name) { response.headers[name] = value }
    }
    return response
  }
}

func redirect(to place: String) -> Response { Response(status: .seeOther, headers: [.location: place]) }

func page(_ body: String, _ status: HTTPResponse.Status = .ok, head: String = "") -> Response {
  let start = "<!DOCTYPE html><html lang=\"en\"><meta name=\"viewport\" content=\"width=device-width\">"
  return Response(
    status: status, headers: [.contentType: "text/html; charset=utf-8"],
    body: ResponseBody(
      byteBuffer: ByteBuffer(string: "\(start)<title>Tasks</title>\(head)<body>\(body)</body></html>")))
}

/// The error's words are for developers: they go to the log, and the visitor sees its code, or what the service says to them.
func failure(_ error: ConnectorError, _ context: BasicRequestContext) -> Response {
  context.logger.warning("\(error)")
  let (text, status): (String, HTTPResponse.Status) =
    switch error.code {
    case .accessDenied: (error.serverDescription ?? "You may not sign in here.", .forbidden)
    case _ where error.outcomeIsUnknown: ("It may have been saved. Look at the list.", .badGateway)
    case _ where error.needsInteraction: ("Please sign in again.", .unauthorized)
    case _ where error.isRetryable: ("The service is busy. Try again in a minute.", .serviceUnavailable)
    default: ("That did not work (\(error.code.rawValue)).", .badRequest)
    }
  return page("<p>\(escaped(text))</p><a href=\"/\">Back</a> <a href=\"/login\">Sign in</a>", status)
}

func form(_ action: String, _ title: String, _ fields: String = "") -> String {
  "<form method=\"post\" action=\"\(action)\">\(fields)<button>\(title)</button></form>"
}

/// Escapes each scalar: a character can be several, and hide a `<` among them.
func escaped(_ text: String) -> String {
  let names: [Unicode.Scalar: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;"]
  return text.unicodeScalars.reduce(into: "") { $0 += names[$1] ?? String($1) }
}
