internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

extension URLRequest {
  /// Makes the session's request from one that was validated.
  init(transporting request: TransportRequest) {
    self.init(url: request.url, cachePolicy: .reloadIgnoringLocalCacheData)
    httpMethod = request.method.rawValue
    httpShouldHandleCookies = false
    // The timer counts whole seconds on Linux and would never run with zero.
    timeoutInterval = max(1, request.limits.idleTimeout.inSeconds.rounded(.up))
    for field in request.headers.fields { addValue(field.value, forHTTPHeaderField: field.name) }
    httpBody = request.body
  }
}
