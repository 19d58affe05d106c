internal import B2CCore
internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// Gets the documents a provider publishes: JSON, bounded, without following redirects.
struct DocumentFetcher: Sendable {
  let transport: RetryingTransport
  let limits: TransportLimits
  let serverClock: ServerClock

  /// Gets a JSON document.
  ///
  /// - Throws: ``ConnectorError``: `network`, `timedOut`, `serviceUnavailable`, `throttled`, `configuration` for a 4xx, or
  ///   `invalidResponse`.
  func json(at url: URL, what: String, policy: Policy?, retries: Bool = true) async throws -> Data {
    let request = URLRequest(method: "GET", url: url, headers: ["Accept": "application/json"])
    var history = RequestHistory()
    let (body, response) = try await transport.send(
      request, limits: limits, isIdempotent: retries, noting: &history)
    serverClock.update(from: response)
    let status = response.statusCode
    guard status != 200 else { return body }
    let temporary = ErrorCode(temporaryStatus: status)
    let policyAdvice = policy.map { ", the tenant and the name of the policy \($0.id)" } ?? ""
    let place = policy.map { " of the policy \($0.id)" } ?? ""
    var error = ConnectorError(
      own: temporary ?? ((400..<500).contains(status) ? .configuration : .invalidResponse),
      "The request for the \(what)\(place) failed with status \(status): GET \(RedactedURL(url).withoutQuery).",
      recoverySuggestion: temporary == nil ? "Check the authority\(policyAdvice) in the settings." : "Try again later.",
      status: status)
    error.retryAfter = RetryAfter.seconds(in: response)
    throw error.about(url)
  }
}
