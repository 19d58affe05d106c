import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// How many requests, one after the other, a user waits for after a launch, and how many calls of the cache.
@Suite("Requests on the critical path", .hangLimit)
struct CriticalPathTests {
  static let shapes: [LocalTenant.Shape] = [.b2c, .entra, .ciam, .openIDConnect]

  /// Holds the tenant's answers to a client back.
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
    let script = scene.script(.signIn(.alice))
    let presenter = ClosurePresenter { request in
      try await page.wait()
      return try await script.present(request)
    }
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

  @Test(
    "The calls of a cache for one user do not grow with the number of users",
    arguments: [LocalTenant.Shape.b2c, .openIDConnect])
  func cacheCalls(_ shape: LocalTenant.Shape) async throws {
    let one = try await cacheCalls(shape, users: 1)
    for users in [1_000, 10_000] { #expect(try await cacheCalls(shape, users: users) == one) }
    for operation in ["sign-in", "first call", "second call", "look-up", "call of another"] {
      #expect(one[operation]?["keys"] == nil, "\(operation) lists")
    }
    #expect(one["sign-in"]?["store"] == 1)
    #expect(one["second call"] == ["record": 1] && one["ended session"] == ["record": 1])
  }

  /// The calls of a cache with so many users by their names, for each operation.
  private func cacheCalls(_ shape: LocalTenant.Shape, users: Int) async throws -> [String: [String: Int]] {
    let cache = CountingCache()
    // The first sign-in of a process looks at the positions of all records once.
    let stage = try await SignedInScene(Scene(shape: shape, cache: cache), after: 0)
    let (connector, alice, bob) = (stage.connector, stage.alice.user, try await stage.signIn(.bob).user)
    let (own, record) = (try #require(try await cache.keys().first), try await stage.scene.record())
    for number in 1..<users {
      let key = TokenCacheKey(authority: own.authority, clientID: own.clientID, userID: "user\(number).tenant")
      try await cache.store(record, for: key)
    }
    var counts: [String: [String: Int]] = [:]
    func count(_ operation: String, _ call: () async throws -> Void) async throws {
      _ = cache.takeCounts()
      try await call()
      counts[operation] = cache.takeCounts()
    }
    try await count("sign-in") { try await stage.signIn() }
    // After a new launch nothing is known.
    let relaunched = try stage.other()
    try await count("first call") { _ = try await relaunched.accessToken(user: alice) }
    try await count("second call") { _ = try await relaunched.accessToken(user: alice) }
    try await count("look-up") { _ = try await relaunched.user(id: alice.id) }
    try await count("call of another") { _ = try await connector.accessToken(user: bob) }
    try await count("sign-out") { try await connector.signOut(alice) }
    stage.scene.tenant.revokeGrants()
    await stage.scene.expire()
    for _ in 0..<2 {
      try await count("ended session") {
        await expectError(ConnectorError.self, .interactionRequired) { try await connector.accessToken(user: bob) }
      }
    }
    return counts
  }
}
