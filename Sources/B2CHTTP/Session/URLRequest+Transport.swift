internal import B2CCore
package import Foundation

#if canImport(FoundationNetworking)
  package import FoundationNetworking
#endif

extension TransportRequest {
  /// Takes over a request made for `URLSession`; its idle timeout counts when it is shorter.
  ///
  /// - Throws: ``TransportError`` with `invalidRequest` when the request has no URL, or a stream for a body, which could
  ///   not be sent a second time.
  package init(_ request: URLRequest, limits: TransportLimits = .standard) throws {
    guard let url = request.url else { throw TransportError(.invalidRequest, "The request has no URL.") }
    guard request.httpBodyStream == nil else {
      throw TransportError(.invalidRequest, "The request's body is a stream; use data.")
    }
    var limits = limits
    if request.timeoutInterval > 0 {
      limits.idleTimeout = min(limits.idleTimeout, .seconds(min(request.timeoutInterval, 86_400)))
    }
    let headers = (request.allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key }
    self.init(
      method: TransportRequest.Method(rawValue: request.httpMethod ?? "GET"), url: url,
      headers: TransportRequest.Headers(headers.map { (name: $0.key, value: $0.value) }),
      body: request.httpBody,
      limits: limits)
  }
}

extension TransportResponse {
  /// The head of the answer as `URLSession` returns it, values of equal fields joined.
  package func urlResponse(for url: URL) -> HTTPURLResponse? {
    let fields = Dictionary(
      headers.fields, uniquingKeysWith: { $0 + ", " + $1 })
    return HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
  }
}

extension URLRequest {
  /// Makes the session's request from one that was validated.
  init(transporting request: TransportRequest) {
    self.init(url: request.url, cachePolicy: .reloadIgnoringLocalCacheData)
    httpMethod = request.method.rawValue
    httpShouldHandleCookies = false
    // The timer counts whole seconds on Linux and would never run with zero.
    timeoutInterval = max(1, request.limits.idleTimeout.inSeconds.rounded(.up))
    // Without one the system's own would name the program alone.
    if request.headers["User-Agent"] == nil { setValue(Library.userAgent, forHTTPHeaderField: "User-Agent") }
    for field in request.headers.fields { addValue(field.value, forHTTPHeaderField: field.name) }
    httpBody = request.body
  }
}
