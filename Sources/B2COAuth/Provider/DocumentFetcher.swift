internal import B2CCore
internal import Foundation

/// Gets the documents a provider publishes: JSON, bounded, without following redirects.
struct DocumentFetcher: Sendable {
  let transport: any HTTPTransport
  let limits: TransportLimits
  let serverClock: ServerClock

  /// Gets a JSON document.
  ///
  /// - Throws: ``OAuthError``: `network`, `timedOut`, `serviceUnavailable`, `throttled`, `configuration` for a 4xx, or
  ///   `invalidResponse`.
  func json(at url: URL, what: String) async throws -> Data {
    let request = TransportRequest(url: url, headers: ["Accept": "application/json"], limits: limits)
    let response = try await transport.sendMappingErrors(request)
    serverClock.note(response)
    switch response.status {
    case 200: return response.body
    case 408: throw failure(.timedOut, what, response, "Try again later.")
    case 429: throw failure(.throttled, what, response, "Wait, then try again.")
    case 500...: throw failure(.serviceUnavailable, what, response, "Try again later.")
    case 400..<500:
      throw failure(
        .configuration, what, response, "Check the authority, the tenant and the policy's name in the settings.")
    default:
      throw failure(.invalidResponse, what, response, "Check the authority in the settings.")
    }
  }

  private func failure(
    _ code: OAuthError.Code, _ what: String, _ response: TransportResponse, _ suggestion: String
  ) -> OAuthError {
    OAuthError(
      code, "The server answered \(response.status) to the request for its \(what).", recoverySuggestion: suggestion,
      server: ServerAnswer(
        status: response.status, retryAfter: RetryAfter.seconds(in: response.headers, now: serverClock.localNow())))
  }
}
