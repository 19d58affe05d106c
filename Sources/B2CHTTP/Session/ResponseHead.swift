internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// Status and header fields of an answer, and the size of the body as far as it is announced.
struct ResponseHead: Sendable {
  let status: Int
  let headers: HTTPHeaders
  let announcedBytes: Int64

  /// Takes what the session gives; `nil` when it is not HTTP.
  init?(_ response: URLResponse?) {
    guard let response = response as? HTTPURLResponse else { return nil }
    status = response.statusCode
    announcedBytes = response.expectedContentLength
    headers = HTTPHeaders(
      response.allHeaderFields.compactMap { name, value in
        guard let name = name as? String, let value = value as? String else { return nil }
        return HTTPHeaders.Field(name: name, value: value)
      })
  }

  /// The answer with a body.
  func response(with body: Data) -> TransportResponse {
    TransportResponse(status: status, headers: headers, body: body)
  }
}
