internal import B2CCore
public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// Sends requests over a dedicated `URLSession`.
///
/// Redirects are not followed. Cookies, caches and stored credentials are neither read nor written. Only https, or http
/// to this machine, is spoken. The body is bounded while it arrives, after decompression, and the whole exchange by a
/// deadline. A cancelled call returns at once.
///
/// Make one and keep it: its connections are reused. On Linux, libcurl does the work, and takes a proxy from the
/// environment variables `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`. Where that proxy would get plain http to
/// this machine, such a request is refused until `no_proxy` names this machine. On Apple's platforms the system's proxy
/// settings count.
///
/// Certificates are verified by the system; `NSPinnedDomains` in an app's Info.plist pins them.
public final class URLSessionTransport: HTTPTransport {
  private let clock: any Clock<Duration>
  private let environment: @Sendable () -> [String: String]
  private let delegate = SessionDelegate()
  /// Made with the first request: an environment that is given another transport opens nothing.
  private let session = Locked<URLSession?>(nil)

  /// Makes a transport with a dedicated session.
  ///
  /// - Parameter clock: The clock that deadlines run on.
  public convenience init(clock: any Clock<Duration> = ContinuousClock()) {
    self.init(clock: clock, environment: { ProcessInfo.processInfo.environment })
  }

  /// Makes a transport that looks for a proxy in a given environment.
  package init(
    clock: any Clock<Duration> = ContinuousClock(), environment: @escaping @Sendable () -> [String: String]
  ) {
    self.clock = clock
    self.environment = environment
  }

  deinit {
    session.withLock { $0 }?.finishTasksAndInvalidate()
  }

  /// Sends one request.
  ///
  /// - Parameters:
  ///   - request: What to send; its own timeout counts where it is shorter than the idle timeout of the limits.
  ///   - limits: The time limits and the largest body of the answer.
  /// - Returns: The answer, whatever its status; a redirect too.
  /// - Throws: `URLError` when there is no answer; ``ConnectorError`` with code `configuration` for a request that must not
  ///   be sent; `CancellationError` when the calling task was cancelled.
  public func send(_ request: URLRequest, limits: TransportLimits) async throws -> (Data, HTTPURLResponse) {
    try Task.checkCancellation()
    let origin = try request.validatedOrigin()
    if origin.scheme == "http" { try SessionTraits.checkProxy(of: origin, in: environment()) }
    let task = openSession().dataTask(with: Self.outgoing(request, limits))
    return try await withTimeout(limits.deadline, on: clock, throwing: URLError(.timedOut)) { [delegate] in
      try await delegate.answer(to: task, maximumBytes: limits.maximumBodyBytes)
    }
  }

  private func openSession() -> URLSession {
    session.withLock { session in
      if let session { return session }
      let new = URLSession(
        configuration: Self.configuration, delegate: delegate, delegateQueue: SessionTraits.makeDelegateQueue())
      session = new
      return new
    }
  }

  static var configuration: URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    // With a cache, a request that is cancelled early stops the process on Linux.
    configuration.urlCache = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    configuration.httpCookieAcceptPolicy = .never
    configuration.urlCredentialStorage = nil
    configuration.httpMaximumConnectionsPerHost = SessionTraits.connectionsPerHost
    return configuration
  }

  static func outgoing(_ request: URLRequest, _ limits: TransportLimits) -> URLRequest {
    var request = request
    request.cachePolicy = .reloadIgnoringLocalCacheData
    request.httpShouldHandleCookies = false
    let silence = limits.idleTimeout.inSeconds
    // The timer counts whole seconds on Linux and would never run with zero.
    request.timeoutInterval = max(
      1, (request.timeoutInterval > 0 ? min(silence, request.timeoutInterval) : silence).rounded(.up))
    // Without one the system's own would name the program alone.
    if request.value(forHTTPHeaderField: "User-Agent") == nil {
      request.setValue(Library.userAgent, forHTTPHeaderField: "User-Agent")
    }
    return request
  }
}
