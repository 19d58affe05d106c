import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// How many requests, one after the other, a user waits for after a launch.
@Suite("Requests on the critical path", .hangLimit)
struct CriticalPathTests {
  static let shapes: [LocalTenant.Shape] = [.b2c, .entra, .ciam, .openIDConnect]

  /// A tenant that holds back whatever a client asks it for.
  private struct Gates {
    let metadata = TestGate()
    let keys = TestGate()
    let token = TestGate()

    init(_ tenant: LocalTenant) {
      tenant.faults = [
        LocalFault(on: .metadata, .wait(metadata)), LocalFault(on: .keys, .wait(keys)),
        LocalFault(on: .token, .wait(token)),
      ]
    }
  }

  @Test("A caller that finds another's new token under the refresh lock asks for no metadata")
  func tokenOfAnother() async throws {
    let cache = SwappingCache()
    let scene = Scene(cache: cache)
    try await scene.connector().signIn()
    let key = try #require(try await cache.keys().first)
    let fresh = try await scene.record()
    var expired = fresh
    for index in expired.accessTokens.indices { expired.accessTokens[index].expiresAt = .distantPast }
    try await cache.store(expired, for: key)
    // The first read is the one before the lock.
    cache.swap(to: fresh, for: key, afterReads: 1)
    let before = scene.tenant.counters.metadataRequests
    #expect(try await scene.connector().accessToken().token == fresh.accessTokens.first?.token)
    await Task.yield()
    #expect(scene.tenant.counters.metadataRequests == before)
    #expect(scene.tenant.counters.refreshRequests == 0)
  }

  @Test(
    "The first token after a launch waits for one request; at a generic issuer for its metadata before it",
    arguments: shapes)
  func refresh(_ shape: LocalTenant.Shape) async throws {
    let scene = Scene(shape: shape)
    _ = try await scene.signedIn(after: 4_000)
    let before = try await scene.record()
    let gates = Gates(scene.tenant)
    let connector = try scene.connector()
    let call = Task { try await connector.accessToken() }
    if shape == .openIDConnect {
      await gates.metadata.waitForArrivals(1)
      gates.metadata.open()
    }
    await gates.token.waitForArrivals(1)
    gates.token.open()
    let token = try await call.value
    #expect(gates.metadata.arrivals == (shape == .openIDConnect ? 1 : 0) && gates.keys.arrivals == 0)
    // It is stored, with its claims.
    let record = try await scene.record()
    #expect(record.accessTokens.first?.token == token.token)
    #expect(record.refreshToken != before.refreshToken && record.idToken != before.idToken)
    for gate in [gates.metadata, gates.keys] { gate.open() }
  }

  @Test("The page opens after one request, and the keys are fetched while the user is at it", arguments: shapes)
  func signIn(_ shape: LocalTenant.Shape) async throws {
    let scene = Scene(shape: shape)
    let (gates, page) = (Gates(scene.tenant), TestGate())
    let presenter = WaitingPresenter(inner: scene.script(.signIn(.alice))) { try await page.wait() }
    let connector = try scene.connector(presenter: presenter)
    let signIn = Task { try await connector.signIn() }
    await gates.metadata.waitForArrivals(1)
    #expect(page.arrivals == 0)
    gates.metadata.open()
    await page.waitForArrivals(1)
    await gates.keys.waitForArrivals(1)
    #expect(scene.transport.requests.count == 2)
    gates.keys.open()
    page.open()
    // The code is redeemed, and that is all that is left.
    await gates.token.waitForArrivals(1)
    gates.token.open()
    _ = try await signIn.value
    #expect(scene.tenant.counters.keysRequests == 1)
  }
}
