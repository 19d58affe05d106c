internal import B2CCore
public import B2CHTTP
public import Foundation

/// A transport without sockets, which passes each request to the local server for its origin.
///
/// ```swift
/// let network = LocalNetwork(tenant, taskServer)
/// environment.transport = network
/// let connector = try Connector(settings: settings, environment: environment)
/// ```
/// It enforces what a real transport enforces: only https or loopback URLs, the largest body, deadlines and
/// cancellation. It follows no redirects.
public struct LocalNetwork: HTTPTransport {
  private let services: [any LocalService]
  private let clock: any Clock<Duration>
  private let log = Locked(RecordLog())

  /// Creates a network of servers.
  ///
  /// - Parameters:
  ///   - services: The servers. If several serve an origin, the first one gets its requests.
  ///   - clock: The clock for deadlines, by default the system's.
  public init(_ services: any LocalService..., clock: any Clock<Duration> = ContinuousClock()) {
    self.init(services, clock: clock)
  }

  /// Creates a network from an array of servers.
  ///
  /// - Parameters:
  ///   - services: The servers. If several serve an origin, the first one gets its requests.
  ///   - clock: The clock for deadlines, by default the system's.
  public init(_ services: [any LocalService], clock: any Clock<Duration> = ContinuousClock()) {
    self.services = services
    self.clock = clock
  }

  /// The requests in order, of a long run at least the newest 10,000, including those that no server serves.
  public var requests: [RecordedRequest] { log.withLock { $0.records } }

  /// The number of requests that were sent.
  package var requestCount: Int { log.withLock { $0.count } }

  /// Sends a request to the server for its origin.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - limits: The time limits and the largest size of the response's body.
  /// - Returns: The server's response.
  /// - Throws: `URLError` with code `notConnectedToInternet` if a fault simulates an offline device,
  ///   `networkConnectionLost` if a fault loses the response, `timedOut` if the deadline passes, or
  ///   `dataLengthExceedsMaximum` if the body is larger than the limit; ``ConnectorError`` if no server serves the
  ///   origin, or for plain http to another machine; `CancellationError` if the task is cancelled.
  public func send(_ request: URLRequest, limits: TransportLimits) async throws -> (Data, HTTPURLResponse) {
    try Task.checkCancellation()
    guard let url = request.url, Loopback.isAllowed(url) else {
      throw ConnectorError(own: .configuration, "\(request.summary) is neither https nor http to this machine.")
    }
    let mark = log.withLock { $0.begin(request) }
    guard let service = services.first(where: { $0.serves(url) }) else {
      throw ConnectorError(
        own: .network, "No local server answers for \(url.redacted).", underlying: URLError(.cannotConnectToHost))
    }
    do {
      let response = try await service.answer(request)
      try Task.checkCancellation()
      guard response.body.count <= limits.maximumBodyBytes else { throw URLError(.dataLengthExceedsMaximum) }
      log.withLock { $0.end(mark, response) }
      return try response.answer(to: url)
    } catch let error as URLError where error.code == .timedOut {
      try await clock.sleep(for: min(limits.deadline, limits.idleTimeout))
      throw error
    }
  }
}

extension LocalService {
  /// A transport that reaches only this server, in memory.
  public var transport: LocalNetwork { LocalNetwork(self) }
}
