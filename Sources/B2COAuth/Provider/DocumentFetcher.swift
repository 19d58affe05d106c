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
    let (body, response) = try await (retries ? transport : transport.once).sendMappingErrors(request, limits: limits)
    serverClock.update(from: response)
    let status = response.statusCode
    guard status != 200 else { return body }
    let temporary = ErrorCode(temporaryStatus: status)
    let code = temporary ?? ((400..<500).contains(status) ? .configuration : .invalidResponse)
    let suggestion =
      switch code {
      case .throttled: "Wait, then try again."
      case _ where temporary != nil: "Try again later."
      case .configuration:
        policy.map { "Check the authority, the tenant and the name of the policy \($0.id) in the settings." }
          ?? "Check the authority in the settings."
      default: "Check the authority in the settings."
      }
    let place = policy.map { " of the policy \($0.id)" } ?? ""
    var error = ConnectorError(
      own: code,
      "The request for the \(what)\(place) failed with status \(status): GET \(RedactedURL(url).withoutQuery).",
      recoverySuggestion: suggestion, status: status)
    error.retryAfter = RetryAfter.seconds(in: response, now: serverClock.localNow())
    throw error.about(url)
  }
}

extension HTTPTransport {
  /// Sends a request; the transport's own error becomes the engine's.
  func sendMappingErrors(
    _ request: URLRequest, limits: TransportLimits, correlationID: UUID? = nil
  ) async throws -> (Data, HTTPURLResponse) {
    do {
      return try await send(request, limits: limits)
    } catch let error as TransportError {
      let advice = [error.isRetryable ? "Check the connection, then try again." : nil, error.recoverySuggestion]
        .compactMap(\.self)
      throw ConnectorError(
        own: ErrorCode(error),
        "No answer to \(request.summary): \(error.message)",
        recoverySuggestion: advice.isEmpty ? nil : advice.joined(separator: " "), isRetryable: error.isRetryable,
        // What certainly reached no server is in no server's log.
        correlationID: error.mayHaveReachedServer ? correlationID : nil, underlying: error
      ).about(request)
    }
  }
}

extension TransportError {
  /// Whether a server may have seen the request.
  fileprivate var mayHaveReachedServer: Bool {
    [.timedOut, .connectionLost, .closedDuringRequest, .responseTooLarge, .invalidResponse].contains(code)
  }
}

extension ConnectorError {
  /// Wraps what the authority's rules refuse.
  package init(_ error: AuthorityError) {
    self.init(
      own: error.code, error.message,
      recoverySuggestion: [error.suggestion.map { "Write \"\($0)\"." }, error.recoverySuggestion].compactMap(\.self)
        .joined(separator: " "), underlying: error)
  }
}
