internal import B2CCore
package import Foundation

/// A complete request as it arrived, with nothing decoded.
package struct LoopbackRequest: Sendable {
  /// The method, as written.
  package let method: String
  /// The request target, as written: a path with an optional query.
  package let target: String
  /// The header fields by lower-case name, with the values of repeated fields joined by `, `.
  package let headers: [String: String]
  package fileprivate(set) var body = Data()

  /// The target's path, still percent-encoded.
  package var path: String { String(target.prefix { $0 != "?" }) }

  /// The part of the target after the first `?`, still percent-encoded.
  package var query: String? { target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) } }
}

/// A response, to which `Content-Length` and `Connection: close` are added if they are missing.
package struct LoopbackResponse: Sendable {
  package var status: Int
  package var headers: [String: String]
  package var body: Data

  package init(status: Int, headers: [String: String] = [:], body: Data = Data()) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Returns a response of plain text.
  package static func text(_ text: String, status: Int = 200) -> LoopbackResponse {
    LoopbackResponse(status: status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: Data(text.utf8))
  }
}

extension LoopbackResponse {
  /// Returns the response as it is sent (RFC 9112 section 4).
  func bytes(omittingBody: Bool) -> [UInt8] {
    let hasNoContent = status == 204 || status == 304 || (100..<200).contains(status)
    // The reason phrase may be empty, because clients ignore it.
    var text = "HTTP/1.1 \(status) \((200..<300).contains(status) ? "OK" : "")\r\n"
    for (name, value) in headers.sorted(by: { $0.key < $1.key }) where Self.isSafe(name + value) {
      text += "\(name): \(value)\r\n"
    }
    let names = Set(headers.keys.map { $0.lowercased() })
    if !hasNoContent, names.isDisjoint(with: ["content-length", "transfer-encoding"]) {
      text += "Content-Length: \(body.count)\r\n"
    }
    if !names.contains("connection") { text += "Connection: close\r\n" }
    return Array((text + "\r\n").utf8) + (omittingBody || hasNoContent ? [] : Array(body))
  }

  /// Whether a field contains no line break, which would start another field.
  private static func isSafe(_ field: String) -> Bool { !field.utf8.contains { $0 == 0x0D || $0 == 0x0A || $0 == 0 } }
}

/// The reason why a request is refused, with the status of the response.
package struct RequestRefusal: Error {
  /// The HTTP status, for example 400.
  package let status: Int
  let reason: String

  static func malformed(_ reason: String) -> RequestRefusal { RequestRefusal(status: 400, reason: reason) }
  static let timedOut = RequestRefusal(status: 408, reason: "The request took too long.")
  static let bodyTooLarge = RequestRefusal(status: 413, reason: "The body is too large.")
  static let headTooLarge = RequestRefusal(status: 431, reason: "The header fields are too large.")
  static let transferCoding = RequestRefusal(status: 501, reason: "Transfer codings are not supported.")
  static let version = RequestRefusal(status: 505, reason: "Only HTTP/1.1 is supported.")
}

/// The parser for the one request of a connection (RFC 9112).
///
/// It refuses everything that two parsers could read in different ways. A body needs a `Content-Length`. Bytes after
/// the request are ignored, because the connection ends with its response.
package struct RequestParser {
  /// A request whose body is not complete.
  private typealias Head = (request: LoopbackRequest, bodyLength: Int)

  private let limits: LoopbackLimits
  private var buffer: [UInt8] = []
  private var searched = 0
  private var head: Head?

  /// Creates the parser of a new connection.
  package init(limits: LoopbackLimits) { self.limits = limits }

  /// Whether no byte has arrived.
  var isEmpty: Bool { head == nil && buffer.isEmpty }

  /// Whether the client waits for `100 Continue` before it sends the body (RFC 9110 section 10.1.1).
  var awaitsContinue: Bool {
    guard let head, buffer.isEmpty, head.bodyLength > 0 else { return false }
    return head.request.headers["expect"]?.lowercased() == "100-continue"
  }

  /// Adds bytes that have arrived, and returns the request when it is complete.
  package mutating func parse(_ bytes: [UInt8]) throws(RequestRefusal) -> LoopbackRequest? {
    buffer += bytes
    if head == nil {
      guard let end = try headEnd() else { return nil }
      let head = try Self.head(buffer[..<end])
      guard head.bodyLength <= limits.bodyBytes else { throw .bodyTooLarge }
      self.head = head
      buffer.removeFirst(end)
    }
    guard var head, buffer.count >= head.bodyLength else { return nil }
    head.request.body = Data(buffer.prefix(head.bodyLength))
    return head.request
  }

  /// Returns the position after the empty line, or `nil` if that line has not arrived.
  private mutating func headEnd() throws(RequestRefusal) -> Int? {
    // A client of another protocol, for example TLS, is refused immediately, because it may never end a line.
    if let first = buffer.first, !ASCIIText.isToken([first]) { throw .malformed("This is not HTTP.") }
    while searched < min(buffer.count, limits.headBytes) {
      if buffer[searched] == 0x0A {
        guard searched > 0, buffer[searched - 1] == 0x0D else { throw .malformed("A line ends without CR.") }
        if searched >= 3, buffer[searched - 2] == 0x0A { return searched + 1 }
      }
      searched += 1
    }
    if buffer.count >= limits.headBytes { throw .headTooLarge }
    return nil
  }

  private static func head(_ bytes: ArraySlice<UInt8>) throws(RequestRefusal) -> Head {
    var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { $0.dropLast() }
    let line = lines.removeFirst().split(separator: 0x20, omittingEmptySubsequences: false)
    guard line.count == 3, ASCIIText.isToken(line[0]) else { throw .malformed("The request line is malformed.") }
    let version = String(decoding: line[2], as: UTF8.self)
    guard version == "HTTP/1.1" else {
      throw version.hasPrefix("HTTP/") ? .version : .malformed("The request line is malformed.")
    }
    // Browsers send only the origin form. In any other form, the host would have to be compared with the `Host` field.
    guard line[1].first == UInt8(ascii: "/"), line[1].allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw .malformed("The request target is not a path.")
    }
    var fields: [String: [String]] = [:]
    for line in lines where !line.isEmpty {
      let (name, value) = try field(line)
      fields[name.lowercased(), default: []].append(value)
    }
    guard fields["host"]?.count == 1 else { throw .malformed("There must be one Host field.") }
    let request = LoopbackRequest(
      method: String(decoding: line[0], as: UTF8.self), target: String(decoding: line[1], as: UTF8.self),
      headers: fields.mapValues { $0.filter { !$0.isEmpty }.joined(separator: ", ") })
    return (request, try bodyLength(fields))
  }

  private static func field(_ line: ArraySlice<UInt8>) throws(RequestRefusal) -> (name: String, value: String) {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), ASCIIText.isToken(line[..<colon]) else {
      throw .malformed("A header field is malformed.")
    }
    let value = line[(colon + 1)...]
    guard value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
      throw .malformed("A header field contains a control character.")
    }
    let text = String(decoding: value, as: UTF8.self).trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
    return (String(decoding: line[..<colon], as: UTF8.self), text)
  }

  /// Returns the body's length, which a single `Content-Length` of digits gives (RFC 9112 section 6.3).
  private static func bodyLength(_ fields: [String: [String]]) throws(RequestRefusal) -> Int {
    let lengths = fields["content-length"] ?? []
    if fields["transfer-encoding"] != nil {
      throw lengths.isEmpty ? .transferCoding : .malformed("The body's length is given in two ways.")
    }
    guard let length = lengths.first else { return 0 }
    guard lengths.count == 1, !length.isEmpty, length.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      throw .malformed("The body's length is malformed.")
    }
    // A number that does not fit is larger than any limit.
    return Int(length) ?? .max
  }
}
