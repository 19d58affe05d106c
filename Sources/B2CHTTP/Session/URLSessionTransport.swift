internal import B2CCore
internal import Dispatch
public import Foundation

/// A transport that sends requests over its own `URLSession`.
///
/// It does not follow redirects, and neither reads nor stores cookies, cached responses or credentials. It only sends
/// https, or http to this machine. The body's size is checked while it arrives, after decompression, and a deadline
/// limits the whole exchange. If the task is cancelled, the call returns immediately.
///
/// Create one transport and keep it, because it reuses its connections. On Linux, libcurl sends the requests and takes
/// a proxy from the environment variables `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`. If plain http to
/// this machine would go to that proxy, the transport refuses the request until `no_proxy` contains this machine. On
/// Apple platforms the system's proxy settings apply.
///
/// The system verifies certificates. To pin certificates, use `NSPinnedDomains` in your app's Info.plist.
public final class URLSessionTransport: HTTPTransport {
  private let clock: any Clock<Duration>
  private let environment: @Sendable (String) -> String?
  private let delegate = SessionDelegate()
  /// The session, which is created with the first request, so that a connector with another transport creates none.
  private let session = Locked<URLSession?>(nil)

  /// Creates a transport with its own session.
  ///
  /// - Parameter clock: The clock for deadlines, by default the system's.
  public convenience init(clock: any Clock<Duration> = ContinuousClock()) {
    self.init(clock: clock, environment: { getenv($0).map { String(cString: $0) } })
  }

  /// Creates a transport that reads the proxy variables from a given environment.
  package init(clock: any Clock<Duration> = ContinuousClock(), environment: @escaping @Sendable (String) -> String?) {
    self.clock = clock
    self.environment = environment
  }

  deinit { session.withLock { $0 }?.finishTasksAndInvalidate() }

  /// Sends a request.
  ///
  /// - Parameters:
  ///   - request: The request. If its own timeout is shorter than the limits' idle timeout, the shorter one applies.
  ///   - limits: The time limits, and the largest body of the response.
  /// - Returns: The body and the head of the response, whatever its status is, even for a redirect.
  /// - Throws: `URLError` if there is no response; ``ConnectorError`` with code `configuration` if the request must not
  ///   be sent; `CancellationError` if the task is cancelled.
  public func send(_ request: URLRequest, limits: TransportLimits) async throws -> (Data, HTTPURLResponse) {
    try Task.checkCancellation()
    let origin = try request.validatedOrigin()
    let proxy = SessionTraits.proxy(of: origin, in: environment)
    if let variable = proxy?.variable, origin.scheme == "http" {
      // libcurl would send plain http to this machine through the proxy, which could then read the bearer token.
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
      // Name the proxy in the error, which would otherwise blame a server that the proxy may never have asked.
      guard let proxy else { throw error }
      let place = " through the proxy \(proxy.host) of the environment variable \(proxy.variable)"
      throw URLError(error.code, userInfo: error.userInfo.merging([URLError.proxyKey: place]) { $1 })
    }
  }

  /// The configuration of the session, which stores nothing.
  package static var configuration: URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    // On Linux, a session with a cache crashes the process if a request is cancelled early.
    configuration.urlCache = nil
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    configuration.httpCookieAcceptPolicy = .never
    configuration.urlCredentialStorage = nil
    // Without this field, the system would send only the name of the program.
    configuration.httpAdditionalHeaders = ["User-Agent": Library.userAgent]
    configuration.httpMaximumConnectionsPerHost = SessionTraits.connectionsPerHost
    return configuration
  }

  /// Returns the request with the shorter one of its own timeout and that of the limits.
  package static func outgoing(_ request: URLRequest, _ limits: TransportLimits) -> URLRequest {
    var request = request
    request.cachePolicy = .reloadIgnoringLocalCacheData
    let silence = limits.idleTimeout.inSeconds
    // On Linux the timer counts whole seconds, and zero would mean no timer.
    request.timeoutInterval = max(
      1, (request.timeoutInterval > 0 ? min(silence, request.timeoutInterval) : silence).rounded(.up))
    return request
  }
}

/// The delegate of a session, which collects each response, limits its size while it arrives, and follows no redirect.
final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
  /// A request in flight.
  private struct Exchange {
    let continuation: CheckedContinuation<(Data, HTTPURLResponse), any Error>
    let maximumBytes: Int
    var body = Data()
  }

  /// The queue on which tasks are cancelled.
  ///
  /// Cancelling a task takes the task's lock. In a cancellation handler or a callback another lock may be held, so
  /// cancelling there could block the whole session on Linux.
  private static let queue = DispatchQueue(label: "B2CHTTP.cancellation")

  /// Runs an action that takes the session's locks, outside of the session's callbacks.
  static func later(_ action: @escaping @Sendable () -> Void) { queue.async(execute: action) }

  private let exchanges = Locked<[Int: Exchange]>([:])

  /// Runs a task and returns its response, or throws immediately if the calling Swift task is cancelled.
  func answer(to task: URLSessionDataTask, maximumBytes: Int) async throws -> (Data, HTTPURLResponse) {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        exchanges.withLock {
          $0[task.taskIdentifier] = Exchange(continuation: continuation, maximumBytes: maximumBytes)
        }
        // If the task was cancelled before this point, the cancellation handler found no exchange, so end it here.
        guard !Task.isCancelled else { return abort(task, CancellationError()) }
        task.resume()
      }
    } onCancel: {
      abort(task, CancellationError())
    }
  }

  /// Ends an exchange immediately with an error, after which callbacks of the session for it are ignored.
  func abort(_ task: URLSessionTask, _ error: any Error) {
    end(task) { _ in .failure(error) }
    Self.later { task.cancel() }
  }

  /// Ends an exchange with its response or error, of which only the code and the proxy are kept, because the details
  /// contain the URL.
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

  /// Returns a redirect as the response, because following it would send the token to another origin.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    // On Linux, an answer to a redirect of a cancelled task stops the process. A cancellation removes the exchange
    // under this lock, so a removed exchange gets no answer.
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
