import B2CTestKit
import Foundation

/// What the network does to the requests of a world at the moment.
struct Weather {
  /// How often each fault happens, in a thousand requests.
  var shares: [Fault: Int] = [:]
  /// The longest time to the server and the longest back, in milliseconds.
  var slowness = 50

  /// What happens to one request, by when it does.
  enum Fault: String, CaseIterable {
    /// No connection: the request never leaves.
    case refused
    /// The connection breaks before the request arrives.
    case lostBefore
    /// 503 or 429 without any effect.
    case unavailable, throttled
    /// No answer comes, and the transport does not obey cancellation: of a script alone.
    case never
    /// The transport throws `CancellationError` though nobody has cancelled, as a client does that is shut down; scripts
    /// alone have it, before the server's work or after it.
    case cancels, cancelsLate
    /// The server works, and the connection breaks in the middle of the answer's body.
    case cut
    /// The same where the end of the connection is the end of the body (RFC 9112 section 6.3): a part counts as the whole.
    case shortened
    /// The server works, and the answer is lost; nothing comes back until the time is up; or a gateway answers 502.
    case lostAfter, silent, gateway

    var isOfScripts: Bool { [.never, .cancels, .cancelsLate].contains(self) }

    /// Whether the server has done nothing.
    var isBeforeWork: Bool {
      [.refused, .lostBefore, .unavailable, .throttled, .never, .cancels].contains(self)
    }
  }

  /// What a request asks for.
  enum Target { case taskAPI, tokenEndpoint, documents }

  /// A fault that a request has met, at the moment at which the client learned of it.
  struct Met {
    let fault: Fault
    let at: UInt64
    let target: Target
    let call: Int?
  }

  func fault() -> Fault? {
    guard !shares.isEmpty else { return nil }
    var number = machine.draw.below(1000)
    return Fault.allCases.first { fault in
      number -= shares[fault] ?? 0
      return number < 0
    }
  }
}

/// The network of one connector: carries requests to tenant and task server with the delays and faults of the weather.
final class AppTransport: HTTPTransport, @unchecked Sendable {
  let process: AppProcess
  var isClosed = false
  private(set) var met: [Weather.Met] = []

  init(_ process: AppProcess) { self.process = process }

  func send(_ request: URLRequest, limits: TransportLimits) async throws -> (Data, HTTPURLResponse) {
    try Task.checkCancellation()
    await process.gate()
    let world = process.world
    let call = Call.current
    try checkOpen(call)
    world.watch.sending(request, call, process)
    let fault = world.networkFault(for: request)
    let begin = machine.uptime
    defer {
      if target(of: request) != .taskAPI, machine.uptime - begin > 5_000_000_000 {
        world.lastSlowRequest = machine.uptime
      }
    }
    do {
      try await travel()
    } catch {
      // What has left cannot be called back: the server may work all the same.
      if fault?.isBeforeWork != true, !isClosed, machine.draw.happens(500) {
        world.ledger.chaos["request cancelled on its way", default: 0] += 1
        _ = await world.watch.serve(request, call, process)
      }
      throw error
    }
    if let fault, fault.isBeforeWork { note(fault, request, call) }
    switch fault {
    case .refused: throw URLError(.cannotConnectToHost)
    case .lostBefore: throw URLError(.networkConnectionLost)
    case .cancels: throw CancellationError()
    case .never:
      await withUnsafeContinuation { world.hanging.append($0) }
      throw URLError(.networkConnectionLost)
    case .unavailable: return try LocalResponse(status: 503).answer(to: request.url)
    case .throttled:
      let seconds = target(of: request) == .tokenEndpoint ? machine.draw.one(of: [2, 240]) : 2
      world.watch.throttled(request, for: max(seconds, 60), in: process)
      return try LocalResponse(status: 429, headers: ["Retry-After": "\(seconds)"]).answer(to: request.url)
    default: break
    }
    try checkOpen(call)
    let (response, exchange) = await world.watch.serve(request, call, process)
    do {
      if let fault, !fault.isBeforeWork, fault != .silent, fault != .shortened || !response.body.isEmpty {
        try await travel()
        note(fault, request, call)
        exchange?.lose("network")
      }
      switch fault {
      case .lostAfter, .cut: throw URLError(.networkConnectionLost)
      case .cancelsLate: throw CancellationError()
      case .gateway: return try LocalResponse(status: 502).answer(to: request.url)
      case .shortened where !response.body.isEmpty:
        var part = response
        part.body = Data(response.body.prefix(machine.draw.below(response.body.count)))
        // A refusal is one, whatever became of its body.
        if part.status == 401 { world.watch.delivered(part, to: request, call, nil) }
        return try part.answer(to: request.url)
      case .silent:
        // Silence has begun, also where the client does not wait for its end.
        defer { note(.silent, request, call) }
        try await Task.sleep(for: min(limits.deadline, limits.idleTimeout))
        throw URLError(.timedOut)
      default: break
      }
      try await travel()
      await process.gate()
      try checkOpen(call)
    } catch {
      // A refresh is not cancelled with its callers: that its answer is lost then is the library's own fault.
      if !(error is CancellationError) { exchange?.lose(isClosed ? "closed" : "network") }
      throw error
    }
    world.watch.delivered(response, to: request, call, exchange)
    return try response.answer(to: request.url)
  }

  private func target(of request: URLRequest) -> Weather.Target {
    if let url = request.url, process.world.server.serves(url) { return .taskAPI }
    return request.url?.path.hasSuffix("/token") == true ? .tokenEndpoint : .documents
  }

  /// Notes a fault where it acts: a request can end before its fault strikes.
  private func note(_ fault: Weather.Fault, _ request: URLRequest, _ call: Call?) {
    process.world.ledger.chaos["request \(fault.rawValue)", default: 0] += 1
    met.append(Weather.Met(fault: fault, at: machine.uptime, target: target(of: request), call: call?.number))
  }

  private func travel() async throws {
    let most = process.world.weather.slowness
    if most > 0 { try await Task.sleep(for: .microseconds(machine.draw.below(most * 1000))) }
    await process.gate()
  }

  private func checkOpen(_ call: Call?) throws(URLError) {
    guard isClosed else { return }
    if let call {
      call.note(.closed)
      // A call of another connector may have joined its flight.
      process.refusedCalls.insert(call.number)
    }
    throw URLError(.cancelled)
  }
}
