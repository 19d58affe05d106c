#if os(Linux)
  import B2CHTTP
  import B2CTestKit
  import Foundation

  /// What the network does to the requests of a world at the moment, each in a thousand.
  struct Weather {
    /// No connection: the request never leaves.
    var refused = 0
    /// The connection breaks before the request arrives.
    var lostBefore = 0
    /// The server works, and the answer is lost.
    var lostAfter = 0
    /// The server works, and nothing comes back until the time is up.
    var silent = 0
    /// The server works, and a gateway before it answers 502.
    var gateway = 0
    /// 503 or 429 without any effect.
    var busy = 0
    /// The longest time to the server and the longest back, in milliseconds.
    var slowness = 50

    var isBad: Bool { refused + lostBefore + lostAfter + silent + gateway + busy > 0 }

    enum Fault: String { case refused, lostBefore, lostAfter, silent, gateway, unavailable, throttled }

    func fault(_ draw: inout Draw) -> Fault? {
      guard isBad else { return nil }
      var number = draw.below(1000)
      let faults: [(Int, Fault)] = [
        (refused, .refused), (lostBefore, .lostBefore), (lostAfter, .lostAfter), (silent, .silent),
        (gateway, .gateway), (busy / 2, .unavailable), (busy / 2, .throttled),
      ]
      for (share, fault) in faults {
        number -= share
        if number < 0 { return fault }
      }
      return nil
    }
  }

  /// The network of one connector: carries requests to tenant and task server with the delays and faults of the weather.
  final class AppTransport: HTTPTransport, @unchecked Sendable {
    let process: AppProcess
    var isClosed = false

    init(_ process: AppProcess) {
      self.process = process
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      try Task.checkCancellation()
      try request.validate()
      await process.gate()
      let world = process.world
      let call = Call.current
      guard !isClosed else {
        call?.note(.closed)
        throw TransportError(.closed, "The transport was closed before the request.")
      }
      world.watch.sending(request, call, process)
      let fault = world.networkFault(for: request)
      if let fault { call?.note(.network(fault)) }
      try await travel()
      switch fault {
      case .refused: throw TransportError(.cannotConnect, "Connection refused.")
      case .lostBefore: throw TransportError(.connectionLost, "The connection was lost.")
      case .unavailable: return TransportResponse(status: 503)
      case .throttled: return TransportResponse(status: 429, headers: ["Retry-After": "2"])
      default: break
      }
      try checkOpen(call)
      let (response, exchange) = await world.watch.serve(request, call, process)
      do {
        switch fault {
        case .lostAfter:
          try await travel()
          throw TransportError(.connectionLost, "The connection was lost.")
        case .silent:
          try await Task.sleep(for: min(request.limits.deadline, request.limits.idleTimeout))
          throw TransportError(.timedOut, "No answer.")
        case .gateway:
          try await travel()
          exchange?.isLost = "network"
          return TransportResponse(status: 502)
        default: break
        }
        try await travel()
        await process.gate()
        try checkOpen(call)
      } catch {
        // A refresh is not cancelled with its callers: that its answer is lost then is the library's own fault.
        if !(error is CancellationError) { exchange?.isLost = isClosed ? "closed" : "network" }
        throw error
      }
      world.watch.delivered(response, to: request, call, exchange)
      return response
    }

    private func travel() async throws {
      let most = process.world.weather.slowness
      if most > 0 { try await Task.sleep(for: .microseconds(machine.draw.below(most * 1000))) }
      await process.gate()
    }

    private func checkOpen(_ call: Call?) throws(TransportError) {
      guard isClosed else { return }
      call?.note(.closed)
      throw TransportError(.init(rawValue: "closedDuringRequest"), "The transport was closed during the request.")
    }
  }
#endif
