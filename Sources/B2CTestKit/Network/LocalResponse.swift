internal import B2CCore
public import Foundation

#if canImport(FoundationNetworking)
  package import FoundationNetworking
#endif

/// An answer of a local server; a fault gives it, or changes it.
///
/// It prints without header fields and body.
public struct LocalResponse: Sendable, Hashable {
  /// The status code.
  public var status: Int
  /// The header fields by their usual names, such as `Content-Type`.
  public var headers: [String: String]
  /// The body, not compressed.
  public var body: Data

  /// Makes an answer.
  ///
  /// - Parameters:
  ///   - status: The status code.
  ///   - headers: The header fields.
  ///   - body: The body.
  public init(status: Int, headers: [String: String] = [:], body: Data = Data()) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Returns what a transport returns for this answer.
  ///
  /// - Throws: `URLError` with code `badServerResponse` where Foundation has no such answer.
  package func answer(to url: URL?) throws -> (Data, HTTPURLResponse) {
    guard let url,
      let head = HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers)
    else { throw URLError(.badServerResponse) }
    return (body, head)
  }
}

extension LocalResponse: Redacted {
  /// Status and size.
  public var description: String { "\(status) (\(headers.count) headers, \(body.count) bytes)" }
}
