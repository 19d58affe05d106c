import B2CConnector
import B2CCore
import Foundation
import TestSupport

extension Row {
  static let earlyRenewal = Row(
    number: "17", title: "a token in its last 5 minutes that is renewed beside the calls, 50 ms per request",
    meaning: "no call waits for a renewal that is only early"
  ) { context in
    let hit = try Scene.client(try await Scene.memoryCache(accounts: 1))
    _ = try await hit.accessToken()
    let record = Scene.earlyRecord(0)
    let cache = InMemoryTokenCache()
    await cache.store(record, for: try Scene.key(0))
    // It fails, or the token would be a new one from then on.
    let transport = SlowFailure()
    var configuration = try Scene.configuration()
    configuration.refresh = .proactive
    let early = try OAuthClient(
      configuration: configuration,
      environment: OAuthEnvironment(presenter: NoPage(), cache: cache, transport: transport))
    for _ in 0..<1_000 { _ = try await early.accessToken() }
    while transport.tokenRequests == 0 { await Task.yield() }
    let requests = transport.tokenRequests
    let pairs = try await Pairs.compare(context) { count in
      for _ in 0..<count { _ = try await hit.accessToken() }
    } subject: { count in
      for _ in 0..<count { _ = try await early.accessToken() }
    }
    await early.close()
    return [
      Measurement("call in the last 5 minutes against a silent hit", pairs, goal: 1.2),
      Measurement("call in the last 5 minutes", pairs.subject.median * 1e6, "µs"),
      Measurement(count: "token requests of 1,000 calls", Double(requests), "requests", goal: 1),
    ]
  }
}

/// A transport that answers 503 to each request, after 50 ms.
private final class SlowFailure: HTTPTransport {
  private let count = Locked(0)

  var tokenRequests: Int { count.withLock { $0 } }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    if request.method == .post { count.withLock { $0 += 1 } }
    try await Task.sleep(for: .milliseconds(50))
    return TransportResponse(status: 503)
  }
}
