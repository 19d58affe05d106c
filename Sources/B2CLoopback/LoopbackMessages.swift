package import Foundation

/// Header fields in order, looked up without regard to case.
package struct LoopbackHeaders: Sendable, ExpressibleByDictionaryLiteral {
  /// Names and values, in the order they were added or received.
  package private(set) var fields: [(name: String, value: String)]

  package init(_ fields: [(name: String, value: String)] = []) {
    self.fields = fields
  }

  package init(dictionaryLiteral elements: (String, String)...) {
    fields = elements.map { (name: $0.0, value: $0.1) }
  }

  /// The values of all fields of a name joined with `, `; setting replaces them.
  package subscript(name: String) -> String? {
    get {
      let values = self.values(of: name)
      return values.isEmpty ? nil : values.joined(separator: ", ")
    }
    set {
      fields.removeAll { $0.name.lowercased() == name.lowercased() }
      if let newValue { fields.append((name, newValue)) }
    }
  }

  /// Returns the values of all fields of a name, in order.
  package func values(of name: String) -> [String] {
    fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
  }
}

/// A whole request as received, nothing decoded.
package struct LoopbackRequest: Sendable {
  /// The method, as written.
  package let method: String
  /// The request target, as written: a path with an optional query.
  package let target: String
  package let headers: LoopbackHeaders
  package let body: Data

  package init(method: String, target: String, headers: LoopbackHeaders = [:], body: Data = Data()) {
    self.method = method
    self.target = target
    self.headers = headers
    self.body = body
  }

  /// The target's path, still percent-encoded.
  package var path: String { String(target.prefix { $0 != "?" }) }

  /// The part of the target after the first `?`, still percent-encoded.
  package var query: String? {
    target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) }
  }
}

/// An answer; `Content-Length` and `Connection: close` are added where they are missing.
package struct LoopbackResponse: Sendable {
  package var status: Int
  package var headers: LoopbackHeaders
  package var body: Data

  package init(status: Int, headers: LoopbackHeaders = [:], body: Data = Data()) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Returns an answer of plain text.
  package static func text(_ text: String, status: Int = 200) -> LoopbackResponse {
    LoopbackResponse(status: status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: Data(text.utf8))
  }
}

extension LoopbackResponse {
  /// Returns the bytes on the wire (RFC 9112 section 4).
  func bytes(omittingBody: Bool) -> [UInt8] {
    let hasNoContent = status == 204 || status == 304 || (100..<200).contains(status)
    var text = "HTTP/1.1 \(status) \(Self.reasons[status] ?? "Other")\r\n"
    for field in headers.fields where Self.isSafe(field) {
      text += "\(field.name): \(field.value)\r\n"
    }
    if !hasNoContent, headers["Content-Length"] == nil, headers["Transfer-Encoding"] == nil {
      text += "Content-Length: \(body.count)\r\n"
    }
    if headers["Connection"] == nil { text += "Connection: close\r\n" }
    return Array((text + "\r\n").utf8) + (omittingBody || hasNoContent ? [] : Array(body))
  }

  /// A line break in a field would start another field.
  private static func isSafe(_ field: (name: String, value: String)) -> Bool {
    !(field.name + field.value).utf8.contains { $0 == 0x0D || $0 == 0x0A || $0 == 0 }
  }

  private static let reasons: [Int: String] = [
    200: "OK", 201: "Created", 204: "No Content", 301: "Moved Permanently", 302: "Found", 303: "See Other",
    304: "Not Modified", 307: "Temporary Redirect", 308: "Permanent Redirect", 400: "Bad Request", 401: "Unauthorized",
    403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 408: "Request Timeout", 409: "Conflict",
    410: "Gone", 413: "Content Too Large", 415: "Unsupported Media Type", 429: "Too Many Requests",
    431: "Request Header Fields Too Large", 500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway",
    503: "Service Unavailable", 504: "Gateway Timeout", 505: "HTTP Version Not Supported",
  ]
}
