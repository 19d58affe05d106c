import B2CConnector
import Hummingbird

func redirect(to place: String, _ cookie: Cookie? = nil) -> Response {
  var response = Response(status: .seeOther, headers: [.location: place, .cacheControl: "no-store"])
  if let cookie { response.setCookie(cookie) }
  return response
}

func page(_ body: String, _ status: HTTPResponse.Status = .ok) -> Response {
  Response(
    status: status,
    headers: [
      .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
      .contentSecurityPolicy: "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    ],
    body: ResponseBody(byteBuffer: ByteBuffer(string: "<!DOCTYPE html><title>Tasks</title><body>\(body)</body>")))
}

/// The error's words are for developers: they go to the log, and the visitor sees its code.
func failure(_ error: ConnectorError, _ context: BasicRequestContext) -> Response {
  context.logger.warning("\(error)")
  let (text, status): (String, HTTPResponse.Status) =
    switch error.code {
    case _ where error.outcomeIsUnknown: ("It may have been saved. Look at the list.", .badGateway)
    case _ where error.needsInteraction: ("Please sign in again.", .unauthorized)
    case _ where error.isRetryable: ("The service is busy. Try again in a minute.", .serviceUnavailable)
    default: ("That did not work (\(error.code.rawValue)).", .badRequest)
    }
  return page("<p>\(text)</p><a href=\"/\">Back</a> <a href=\"/login\">Sign in</a>", status)
}

func form(_ action: String, _ title: String, _ fields: String = "") -> String {
  "<form method=\"post\" action=\"\(action)\">\(fields)<button>\(title)</button></form>"
}

/// Escapes each scalar: a character can be several, and hide a `<` among them.
func escaped(_ text: String) -> String {
  let names: [Unicode.Scalar: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;"]
  return text.unicodeScalars.reduce(into: "") { $0 += names[$1] ?? String($1) }
}
