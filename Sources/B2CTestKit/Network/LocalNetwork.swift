internal import B2CCore
public import B2CHTTP
public import Foundation

/// A network without sockets: carries each request to the local server that answers for its origin.
///
/// ```swift
/// let network = LocalNetwork(tenant, taskServer)
/// environment.transport = network
/// let connector = try Connector(settings: settings, environment: environment)
/// ```
/// It keeps what a real transport keeps: https or loopback only, bodies within the request's limit, deadlines,
/// cancellation, no redirects followed.
public struct LocalNetwork: HTTPTransport {
  private let services: [any LocalService]
  private let clock: any Clock<Duration>
  private let log = Locked(RecordLog())

  /// Makes a network of servers.
  ///
  /// - Parameters:
  ///   - services: The servers; the first that answers for an origin gets its requests.
  ///   - clock: The clock that deadlines are measured by; the system's unless said otherwise.
  public init(_ services: any LocalService..., clock: any Clock<Duration> = ContinuousClock()) {
    self.init(services, clock: clock)
  }

  /// Makes a network of an array of servers.
  ///
  /// - Parameters:
  ///   - services: The servers; the first that answers for an origin gets its requests.
  ///   - clock: The clock that deadlines are measured by; the system's unless said otherwise.
  public init(_ services: [any LocalService], clock: any Clock<Duration> = ContinuousClock()) {
    self.services = services
    self.clock = clock
  }

  /// The requests in order, also those to origins without a server: the newest 10,000 requests at least.
  public var requests: [RecordedRequest] { log.withLock { $0.records } }

  /// How many requests were sent.
  package var requestCount: Int { log.withLock { $0.count } }

  /// Carries one request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - limits: The time limits and the largest body of the answer.
  /// - Returns: The server's answer.
  /// - Throws: `URLError`: `notConnectedToInternet` offline, `networkConnectionLost` for an answer that is lost, `timedOut`
  ///   when the deadline passes, `dataLengthExceedsMaximum` for a body over the limit. `ConnectorError` for plain http to another machine and for an origin without a server;
  ///   `CancellationError` when the calling task is cancelled.
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
  /// A transport that reaches this service in memory and nothing else.
  public var transport: LocalNetwork { LocalNetwork(self) }
}
