import B2CConnector
import B2CTestKit
import Foundation
import TestSupport

extension Row {
  static let firstToken = Row(
    number: "12", title: "first token after a launch with an expired token, 50 ms per request",
    meaning: """
      Your app starts an hour after its last use, so its access token has expired, and the first screen waits for a \
      new one. The baseline is one request of 50 ms. A generic issuer needs a second request, because its metadata \
      names the token endpoint.
      """
  ) { context in
    var measurements: [Measurement] = []
    for (shape, name, goal) in [
      (LocalTenant.Shape.b2c, "Azure AD B2C", 1.2), (.openIDConnect, "a generic issuer", 2.2),
    ] {
      let tenant = try await SlowTenant(shape: shape)
      let (key, record) = try await tenant.expiredRecord()
      tenant.setDelay(.milliseconds(50))
      let before = tenant.tenant.counters.tokenRequests
      let count = context.pairs(21)
      let pairs = try await Pairs.compare(pairs: count) {
        try await tenant.bareRequest()
      } subject: {
        let cache = InMemoryTokenCache()
        await cache.store(record, for: key)
        let transport = URLSessionTransport()
        let start = ContinuousClock.now
        let client = try tenant.connector(cache, transport: transport)
        _ = try await client.accessToken()
        let seconds = start.duration(to: .now) / .seconds(1)
        // Metadata, keys and claims follow; the next measurement must not share the machine with them.
        _ = try await client.session
        return seconds
      }
      let requests = tenant.tenant.counters.tokenRequests - before
      await tenant.stop()
      measurements.append(Measurement(name, pairs, goal: goal))
      measurements.append(Measurement("\(name), time", pairs.subject.median * 1e3, "ms"))
      measurements.append(
        Measurement(
          count: "\(name), token requests per launch", Double(requests) / Double(count), "requests", goal: 1))
    }
    return measurements
  }
}
