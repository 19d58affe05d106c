internal import B2CCore
internal import Dispatch
public import Foundation

/// Sends requests over a dedicated `URLSession`.
///
/// Redirects are not followed. Cookies, caches and stored credentials are neither read nor written. Only https, or http
/// to this machine, is spoken. The body is bounded while it arrives, after decompression, and the whole exchange by a
/// deadline. A cancelled call returns at once.
///
/// Make one and keep it: its connections are reused. On Linux, libcurl does the work, and takes a proxy from the
/// environment variables `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`. If that proxy would get plain http to
/// this machine, the transport refuses such a request until `no_proxy` names this machine. On Apple's platforms the
/// system's proxy settings count.
///
/// Certificates are verified by the system; `NSPinnedDomains` in an app's Info.plist pins them.
public final class URLSessionTransport: HTTPTransport {
  private let clock: any Clock<Duration>
  private let environment: @Sendable (String) -> String?
  private let delegate = SessionDelegate()
  /// Made with the first request: an environment that is given another transport opens nothing.
  private let session = Locked<URLSession?>(nil)

  /// Makes a transport with a dedicated session.
  ///
  /// - Parameter clock: The clock that deadlines run on.
  public convenience init(clock: any Clock<Duration> = ContinuousClock()) {
    self.init(clock: clock, environment: { getenv($0).map { String(cString: $0) } })
  }

  /// Makes a transport that looks for a proxy in a given environment.
  package init(clock: any Clock<Duration> = ContinuousClock(), environment: @escaping @Sendable (String) -> String?) {
    self.clock = clock
    self.environment = environment
  }

  deinit { session.withLock { $0 }?.finishTasksAndInvalidate() }

  /// Sends one request.
  ///
  /// - Parameters:
  ///   - request: The request. Its own timeout counts if it is shorter than the idle timeout of the limits.
  ///   - limits: The time limits and the largest body of the answer.
  /// - Returns: The answer, whatever its status; a redirect too.
  /// - Throws: `URLError` when there is no answer; ``ConnectorError`` with code `configuration` for a request that must not
  ///   be sent; `CancellationError` when the calling task was cancelled.
  public func send(_ request: URLRequest, limits: TransportLimits) async throws -> (Data, HTTPURLResponse) {
    try Task.checkCancellation()
    let origin = try request.validatedOrigin()
    let proxy = SessionTraits.proxy(of: origin, in: environment)
    if let variable = proxy?.variable, origin.scheme == "http" {
      // libcurl would send plain http to this machine through the proxy, bearer token and all.
      throw ConnectorError(
        own: .configuration, "\(variable) would send plain http to \(origin.hostAndPort) through a proxy.",
        recoverySuggestion: "Add \(origin.host) to no_proxy, or set no_proxy=localhost,127.0.0.1,::1.")
    }
    let outgoing = Self.outgoing(request, limits)
    let task = session.withLock { session in
      let open =
        session
        ?? URLSession(configuration: Self.configuration, delegate: delegate, delegateQueue: SessionTraits.delegateQueue)
      session = open
      return open.dataTask(with: outgoing)
    }
    do {
      return try await withTimeout(limits.deadline, on: clock, throwing: URLError(.timedOut)) { [delegate] in
        try await delegate.answer(to: task, maximumBytes: limits.maximumBodyBytes)
      }
    } catch let error as URLError {
      // Without the proxy's name the error would blame a server that may never have been asked.
      guard let proxy else { throw error }
      let place = " through the proxy \(proxy.host) of the environment variable \(proxy.variable)"
      throw URLError(error.code, userInfo: error.userInfo.merging([URLError.proxyKey: place]) { $1 })
    }
  }

  static var configuration: URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    // With a cache, a request that is cancelled early stops the process on Linux.
    configuration.urlCache = nil
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    configuration.httpCookieAcceptPolicy = .never
    configuration.urlCredentialStorage = nil
    // Without one the system's own would name the program alone.
    configuration.httpAdditionalHeaders = ["User-Agent": Library.userAgent]
    configuration.httpMaximumConnectionsPerHost = SessionTraits.connectionsPerHost
    return configuration
  }

  static func outgoing(_ request: URLRequest, _ limits: TransportLimits) -> URLRequest {
    var request = request
    request.cachePolicy = .reloadIgnoringLocalCacheData
    let silence = limits.idleTimeout.inSeconds
    // The timer counts whole seconds on Linux and would never run with zero.
    request.timeoutInterval = max(
      1, (request.timeoutInterval > 0 ? min(silence, request.timeoutInterval) : silence).rounded(.up))
    return request
  }
}

/// The exchanges of a session: collects each answer, bounds it while it arrives, and follows no redirect.
final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
  /// A request in flight.
  private struct Exchange {
    let continuation: CheckedContinuation<(Data, HTTPURLResponse), any Error>
    let maximumBytes: Int
    var body = Data()
  }

  /// Cancelling takes the task's lock, so it must not happen where another lock may be held, such as in a cancellation
  /// handler or a callback: on Linux that can block the whole session.
  private static let queue = DispatchQueue(label: "B2CHTTP.cancellation")

  /// Runs what takes the session's locks, outside of its callbacks.
  static func later(_ action: @escaping @Sendable () -> Void) { queue.async(execute: action) }

  private let exchanges = Locked<[Int: Exchange]>([:])

  /// Runs a task; when the calling task is cancelled, returns at once.
  func answer(to task: URLSessionDataTask, maximumBytes: Int) async throws -> (Data, HTTPURLResponse) {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        exchanges.withLock {
          $0[task.taskIdentifier] = Exchange(continuation: continuation, maximumBytes: maximumBytes)
        }
        // A cancellation before this found no exchange to end.
        guard !Task.isCancelled else { return abort(task, CancellationError()) }
        task.resume()
      }
    } onCancel: {
      abort(task, CancellationError())
    }
  }

  /// Ends an exchange from this side, at once; later callbacks of the session are ignored.
  func abort(_ task: URLSessionTask, _ error: any Error) {
    end(task) { _ in .failure(error) }
    Self.later { task.cancel() }
  }

  /// Ends an exchange with what has arrived; of an error only the code and what a proxy did, since its details hold the URL.
  func complete(_ task: URLSessionTask, _ head: HTTPURLResponse?, _ error: (any Error)? = nil) {
    end(task) { exchange in
      if let error {
        let known = error as? URLError
        let answer = known.flatMap(SessionTraits.proxyAnswer).map { [URLError.proxyAnswerKey: $0] }
        return .failure(URLError(known.map(SessionTraits.code) ?? .networkConnectionLost, userInfo: answer ?? [:]))
      }
      return head.map { .success((exchange.body, $0)) } ?? .failure(URLError(.cannotParseResponse))
    }
  }

  private func end(_ task: URLSessionTask, _ outcome: (Exchange) -> Result<(Data, HTTPURLResponse), any Error>) {
    guard let exchange = exchanges.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
    exchange.continuation.resume(with: outcome(exchange))
  }

  /// A redirect is an answer like any other: following it would carry the token, and every other header field, along.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    // Under the lock: a cancellation removes the exchange first, so this answer comes before it or not at all.
    exchanges.withLock { exchanges in
      if exchanges[task.taskIdentifier] != nil || SessionTraits.takesLateAnswers { completionHandler(nil) }
    }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let isTooLarge = exchanges.withLock { exchanges in
      exchanges[dataTask.taskIdentifier]?.body.append(data)
      return exchanges[dataTask.taskIdentifier].map { $0.body.count > $0.maximumBytes } == true
    }
    if isTooLarge { abort(dataTask, URLError(.dataLengthExceedsMaximum)) }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    complete(task, task.response as? HTTPURLResponse, error)
  }
}
