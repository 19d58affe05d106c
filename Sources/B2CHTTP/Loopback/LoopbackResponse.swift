package import Foundation

/// An answer; its `Content-Length` is added where it is missing.
package struct LoopbackResponse: Sendable {
  package var status: Int
  package var headers: HTTPHeaders
  package var body: Data
  /// Whether the connection ends after the answer.
  package var closesConnection: Bool

  package init(status: Int, headers: HTTPHeaders = [:], body: Data = Data(), closesConnection: Bool = false) {
    self.status = status
    self.headers = headers
    self.body = body
    self.closesConnection = closesConnection
  }

  /// Makes an answer of plain text.
  package static func text(_ text: String, status: Int = 200) -> LoopbackResponse {
    LoopbackResponse(
      status: status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: Data(text.utf8))
  }
}

extension LoopbackResponse {
  /// The bytes on the wire (RFC 9112 section 4).
  func bytes(omittingBody: Bool, closing: Bool) -> [UInt8] {
    let hasNoContent = status == 204 || status == 304 || (100..<200).contains(status)
    var text = "HTTP/1.1 \(status) \(Self.reasons[status] ?? "Other")\r\n"
    for field in headers.fields where Self.isSafe(field) {
      text += "\(field.name): \(field.value)\r\n"
    }
    if !hasNoContent, headers["Content-Length"] == nil, headers["Transfer-Encoding"] == nil {
      text += "Content-Length: \(body.count)\r\n"
    }
    if closing, headers["Connection"] == nil {
      text += "Connection: close\r\n"
    }
    return Array((text + "\r\n").utf8) + (omittingBody || hasNoContent ? [] : Array(body))
  }

  /// A line break in a field would start another one.
  private static func isSafe(_ field: HTTPHeaders.Field) -> Bool {
    !(field.name + field.value).utf8.contains { $0 == 0x0D || $0 == 0x0A || $0 == 0 }
  }

  private static let reasons: [Int: String] = [
    200: "OK", 201: "Created", 204: "No Content", 301: "Moved Permanently", 302: "Found", 303: "See Other",
    304: "Not Modified", 307: "Temporary Redirect", 308: "Permanent Redirect", 400: "Bad Request", 401: "Unauthorized",
    403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 408: "Request Timeout", 409: "Conflict",
    413: "Content Too Large", 415: "Unsupported Media Type", 429: "Too Many Requests",
    431: "Request Header Fields Too Large", 500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway",
    503: "Service Unavailable", 504: "Gateway Timeout", 505: "HTTP Version Not Supported",
  ]
}
