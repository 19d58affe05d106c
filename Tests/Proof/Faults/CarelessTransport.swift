import B2CConnector
import B2CCore
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What `--broken` puts in the transport's place: an ordinary session that follows redirects and keeps no limit.
struct CarelessTransport: HTTPTransport {
  func send(_ request: TransportRequest) async throws -> TransportResponse {
    var call = URLRequest(url: request.url, timeoutInterval: 6)
    call.httpMethod = request.method.rawValue
    call.httpBody = request.body
    for field in request.headers.fields { call.addValue(field.value, forHTTPHeaderField: field.name) }
    let (body, response): (Data, URLResponse)
    do {
      (body, response) = try await URLSession.shared.data(for: call)
    } catch let error as URLError {
      throw TransportError(error.code == .timedOut ? .timedOut : .connectionLost, "No answer.")
    }
    guard let head = response as? HTTPURLResponse else { throw TransportError(.invalidResponse, "Not HTTP.") }
    let fields = head.allHeaderFields.map { TransportRequest.Headers.Field(name: "\($0.key)", value: "\($0.value)") }
    return TransportResponse(status: head.statusCode, headers: TransportRequest.Headers(fields), body: body)
  }
}
