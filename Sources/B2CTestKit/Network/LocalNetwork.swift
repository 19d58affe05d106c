internal import B2CCore
public import B2CHTTP
internal import Foundation

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
  ///   - clock: The clock that deadlines and slow answers are measured by; the system's unless said otherwise.
  public init(_ services: any LocalService..., clock: any Clock<Duration> = ContinuousClock()) {
    self.services = services
    self.clock = clock
  }

  /// The requests in order, also those to origins without a server: the newest 10,000 requests at least.
  public var requests: [RecordedRequest] { log.withLock { $0.records } }

  /// How many requests were sent.
  public var requestCount: Int { log.withLock { $0.count } }

  /// Carries one request.
  ///
  /// - Parameter request: What to send.
  /// - Returns: The server's answer.
  /// - Throws: `TransportError`: `insecureURL` for plain http to another machine, `cannotConnect` for an origin without
  ///   a server, `connectionLost` for an answer cut short, `timedOut` when the deadline passes, `responseTooLarge` for a
  ///   body over the limit; `CancellationError` when the calling task is cancelled.
  public func send(_ request: TransportRequest) async throws -> TransportResponse {
    try Task.checkCancellation()
    guard Loopback.isAllowed(request.url) else {
      throw TransportError(.insecureURL, "\(RedactedURL(request.url)) is neither https nor http to this machine.")
    }
    let mark = log.withLock { $0.begin(request) }
    guard let service = services.first(where: { $0.serves(request.url) }) else {
      throw TransportError(.cannotConnect, "No local server answers for \(RedactedURL(request.url)).")
    }
    let answer = await service.answer(request)
    try Task.checkCancellation()
    let response = try await receive(answer, within: request.limits)
    log.withLock { $0.end(mark, response) }
    return response
  }

  private func receive(_ answer: LocalAnswer, within limits: TransportLimits) async throws -> TransportResponse {
    switch answer {
    case .response(let response):
      return try check(response, limits)
    case .cut(let response, let count):
      if let count, count >= response.body.count { return try check(response, limits) }
      throw TransportError(.connectionLost, "The connection broke before the answer was whole.")
    case .drip(let response, let piece, let pause):
      let pieces = (response.body.count + max(1, piece) - 1) / max(1, piece)
      let whole = pause * max(1, pieces)
      try await clock.sleep(for: min(whole, limits.deadline))
      guard whole < limits.deadline, pause < limits.idleTimeout else { throw Self.timedOut }
      return try check(response, limits)
    case .never:
      try await clock.sleep(for: min(limits.deadline, limits.idleTimeout))
      throw Self.timedOut
    }
  }

  private func check(_ response: TransportResponse, _ limits: TransportLimits) throws -> TransportResponse {
    guard response.body.count <= limits.maximumBodyBytes else {
      throw TransportError(.responseTooLarge, "The body is larger than \(limits.maximumBodyBytes) bytes.")
    }
    return response
  }

  private static let timedOut = TransportError(.timedOut, "No answer within the request's limits.")
}
