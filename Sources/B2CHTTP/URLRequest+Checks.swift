package import B2CCore
package import Foundation

#if canImport(FoundationNetworking)
  package import FoundationNetworking
#endif

extension URLRequest {
  /// Makes a request with header fields and a body.
  package init(method: String, url: URL, headers: [String: String] = [:], body: Data? = nil) {
    self.init(url: url)
    httpMethod = method
    allHTTPHeaderFields = headers
    httpBody = body
  }

  /// The method on the wire.
  package var method: String { httpMethod ?? "GET" }

  /// Whether it may change something at the server: any method but the safe `GET`, `HEAD` and `OPTIONS` (RFC 9110 section
  /// 9.2.1).
  package var mayChangeSomething: Bool { !["GET", "HEAD", "OPTIONS"].contains(method) }

  /// Method and URL without its query, for messages: Foundation's own description has the whole URL.
  package var summary: String { "\(method) \(url.map { RedactedURL($0).withoutQuery } ?? "without a URL")" }

  /// Returns where the request goes, after checks of what must not be sent or HTTP cannot carry.
  ///
  /// The URL must be https, or http to this machine, and lead to the same place for every reader. A body must be data, which
  /// can be sent a second time.
  ///
  /// - Throws: ``ConnectorError`` with code `configuration`.
  @discardableResult
  func validatedOrigin() throws(ConnectorError) -> Origin {
    guard let url else { throw ConnectorError(own: .configuration, "The request has no URL.") }
    guard let origin = Origin(url), Loopback.isAllowed(url) else {
      throw ConnectorError(
        own: .configuration,
        "The URL \(RedactedURL(url)) is neither https nor http to this machine, or has no plain host.")
    }
    guard !method.isEmpty, method.utf8.allSatisfy(ASCIIText.isTokenCharacter) else {
      throw ConnectorError(own: .configuration, "The request's method is not one that HTTP can carry.")
    }
    guard httpBodyStream == nil else {
      throw ConnectorError(own: .configuration, "The request's body is a stream; use data.")
    }
    // In any case of letters: Apple's systems send `get` as `GET`, and fail with a body as if the answer were too large.
    guard httpBody == nil || !["GET", "HEAD"].contains(method.uppercased()) else {
      throw ConnectorError(
        own: .configuration, "A \(method) request cannot carry a body.",
        recoverySuggestion: "Use another method, or put the values into the URL's query.")
    }
    for (name, value) in allHTTPHeaderFields ?? [:] {
      guard !name.isEmpty, name.utf8.allSatisfy(ASCIIText.isTokenCharacter),
        !value.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F })
      else {
        throw ConnectorError(own: .configuration, "The request has a header field with characters that HTTP forbids.")
      }
    }
    return origin
  }
}

extension ConnectorError {
  /// Returns the error with the request that it is about.
  package func about(_ request: URLRequest) -> ConnectorError {
    request.url.map { about($0, method: request.method) } ?? self
  }
}
