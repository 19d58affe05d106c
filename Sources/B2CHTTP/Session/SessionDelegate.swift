internal import B2CCore
internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// Forwards the session's callbacks to their exchanges; follows no redirect.
final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
  /// The app's own check of a server's certificate, where the platform lets it have one.
  let trust: TrustEvaluation?

  private let exchanges = Locked<[Int: SessionExchange]>([:])
  private let isClosed = Locked(false)

  init(trust: TrustEvaluation? = nil) {
    self.trust = trust
  }

  func register(_ exchange: SessionExchange, for task: URLSessionTask) {
    exchanges.withLock { $0[task.taskIdentifier] = exchange }
  }

  /// Answers no redirect any more; to be called before the session is invalidated, which cancels all tasks.
  func close() {
    isClosed.withLock { $0 = true }
  }

  @discardableResult
  func forget(_ task: URLSessionTask) -> SessionExchange? {
    exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }
  }

  /// A redirect is an answer like any other: following it would carry the token, and every other header field, along.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    // Under the lock: a cancellation removes the task first, so this answer comes before it or not at all.
    isClosed.withLock { isClosed in
      exchanges.withLock { exchanges in
        let isWanted = exchanges[task.taskIdentifier] != nil && !isClosed
        if isWanted || SessionTraits.takesLateAnswers { completionHandler(nil) }
      }
    }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    if let head = SessionExchange.Head(response) {
      exchange(of: dataTask)?.receive(head)
    }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    exchange(of: dataTask)?.receive(data)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    forget(task)?.complete(
      SessionExchange.Head(task.response),
      error.map { TransportError(sessionError: $0, url: task.originalRequest?.url) })
  }

  func exchange(of task: URLSessionTask) -> SessionExchange? {
    exchanges.withLock { $0[task.taskIdentifier] }
  }
}

extension TransportError {
  /// Translates what the session reports.
  ///
  /// Only the bare code is kept of the underlying error: its details hold the whole URL.
  init(sessionError error: any Error, url: URL?) {
    let place = url.flatMap(Origin.init)?.hostAndPort ?? "the server"
    guard let error = error as? URLError else {
      self.init(.connectionLost, "The connection to \(place) failed.")
      return
    }
    let (code, message) = Self.meaning(of: error, place)
    self.init(code, message, underlying: URLError(error.code))
  }

  private static func meaning(of error: URLError, _ place: String) -> (Code, String) {
    switch error.code {
    case .timedOut: (.timedOut, "\(place) sent nothing within the idle timeout.")
    case .cannotFindHost, .dnsLookupFailed: (.cannotConnect, "The host name of \(place) cannot be resolved.")
    case .cannotConnectToHost: (.cannotConnect, "Connection to \(place) refused.")
    case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff:
      (.cannotConnect, "This device is not connected to the internet.")
    // Callbacks of a request cancelled from this side are ignored; here the whole session was invalidated.
    case .cancelled: (.closedDuringRequest, "The transport was closed during the request to \(place).")
    case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
      .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
      .clientCertificateRequired:
      (.untrustedServer, untrusted(place))
    // The URL was checked before: what is unsupported is the language that came back.
    case .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData, .unsupportedURL:
      (.invalidResponse, "The answer of \(place) is not HTTP.")
    // Foundation on Linux takes no IPv6 literal; nothing was sent.
    case .badURL where place.hasPrefix("["):
      (.invalidRequest, "The system cannot open the IPv6 address \(place). Use a host name or an IPv4 address.")
    case .badURL: (.invalidRequest, "The system cannot open the URL of \(place).")
    case .dataLengthExceedsMaximum: (.responseTooLarge, "The answer of \(place) is larger than the system allows.")
    case _ where SessionTraits.isCertificateRefusal(error): (.untrustedServer, untrusted(place))
    default: (.connectionLost, "The connection to \(place) was lost before the answer was complete.")
    }
  }

  private static func untrusted(_ place: String) -> String {
    "No secure connection to \(place): its certificate is not trusted."
  }
}
