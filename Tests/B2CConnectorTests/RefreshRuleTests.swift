import B2CConnector
import B2CCore
import B2CHTTP
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a refresh makes of odd answers, and what its callers have to wait for.
@Suite("The rules of a refresh", .hangLimit)
struct RefreshRuleTests {
  @Test("An answer without a scope does not grow what was granted")
  func noScopeInAnswer() async throws {
    let scene = Scene(shape: .openIDConnect) { $0.grantedScopes = { $0.filter { !$0.hasSuffix("write") } } }
    let connector = try scene.connector()
    try await connector.signIn()
    scene.tenant.behavior.changeTokenAnswer = { $0["scope"] = nil }
    for _ in 0..<2 {
      await scene.clock.advance(by: .seconds(4_000))
      let token = try await connector.accessToken()
      #expect(token.scopes.contains(scene.tenant.apiScopes[0]))
      #expect(!token.scopes.contains(scene.tenant.apiScopes[1]))
    }
  }

  @Test("Where the authority makes its own URLs, a new launch sends the token request alone: no metadata and no keys")
  func besideTheDocuments() async throws {
    let scene = Scene()
    try await scene.connector().signIn()
    await scene.clock.advance(by: .seconds(4_000))
    let before = scene.network.requestCount
    _ = try await scene.connector().accessToken()
    #expect(scene.network.requestCount == before + 1)
    #expect(scene.tenant.counters.refreshes == 1)
  }

  @Test("Nothing but the token request is inside the refresh lock")
  func outsideTheLock() async throws {
    let scene = Scene(shape: .openIDConnect)
    let other = try scene.connector()
    try await other.signIn()
    await scene.clock.advance(by: .seconds(4_000))
    let gate = TestGate()
    scene.tenant.faults = [LocalFault(on: .metadata, .wait(gate))]
    // A new launch waits for the metadata; another client of the same cache, for another API, does not wait for it.
    let call = Task { [connector = try scene.connector()] in try await connector.accessToken() }
    await gate.waitForArrivals(1)
    _ = try await other.accessToken(scopes: ["openid", "profile", LocalTenant.standardClientID])
    #expect(scene.tenant.counters.reusedRefreshTokens == 0)
    gate.open()
    _ = try await call.value
    #expect(scene.tenant.counters.reusedRefreshTokens == 0)
  }

  @Test("forceRefresh and claims are never held back")
  func neverHeldBack() async throws {
    let scene = Scene(shape: .entra)
    let connector = try await scene.signedIn()
    for _ in 0..<3 { _ = try await connector.accessToken(forceRefresh: true) }
    let claims = #"{"access_token":{"nbf":{"essential":true,"value":"1767225600"}}}"#
    for _ in 0..<3 { _ = try await connector.accessToken(claims: claims) }
    #expect(scene.tenant.counters.refreshes == 6)
  }

  @Test(
    "An early renewal that fails is tried once a minute, or when the server's Retry-After is over",
    arguments: [nil, 200])
  func failsInTheLastMinutes(retryAfter: Int?) async throws {
    let scene = Scene()
    let connector = try scene.connector()
    let first = try #require(try await connector.signIn().accessToken?.token)
    await scene.clock.advance(by: .seconds(3_310))
    let status = retryAfter == nil ? 503 : 429
    scene.transport.intercept { request in
      guard request.isTokenRequest else { return nil }
      return LocalResponse(status: status, headers: retryAfter.map { ["Retry-After": "\($0)"] } ?? [:])
    }
    let sent = { scene.transport.tokenForms.count { $0["grant_type"] == "refresh_token" } }
    for _ in 0..<20 {
      #expect(try await connector.accessToken().token == first)
      await scene.clock.advance(by: .seconds(1))
    }
    #expect(sent() == 1)
    await scene.clock.advance(by: .seconds(41))
    #expect(try await connector.accessToken().token == first)
    #expect(sent() == (retryAfter == nil ? 2 : 1))
    await scene.clock.advance(by: .seconds(140))
    #expect(try await connector.accessToken().token == first)
    #expect(sent() == (retryAfter == nil ? 3 : 2))
    // A token that has expired is not there to be served: nothing is held back.
    await scene.clock.advance(by: .seconds(100))
    for _ in 0..<2 { await #expect(throws: ConnectorError.self) { try await connector.accessToken() } }
    #expect(sent() == (retryAfter == nil ? 5 : 4))
  }

  @Test("In the last minutes a token endpoint that hangs costs one wait: the others are served at once")
  func hangingEndpoint() async throws {
    let scene = Scene(holdsTime: true)
    let connector = try scene.connector { $0.limits = .standard }
    let first = try #require(try await connector.signIn().accessToken?.token)
    await scene.clock.advance(by: .seconds(3_310))
    let gate = TestGate()
    scene.tenant.faults = [LocalFault(on: .tokenRefresh, .wait(gate))]
    let waits = Task { try await connector.accessToken().token }
    await gate.waitForArrivals(1)
    // Time stands still: who had to wait would wait for ever.
    for _ in 0..<10 { #expect(try await connector.accessToken().token == first) }
    await scene.clock.waitForSleepers(2)
    await scene.clock.advance(by: .seconds(31))
    #expect(try await waits.value == first)
    for _ in 0..<10 { #expect(try await connector.accessToken().token == first) }
    #expect(scene.transport.tokenForms.count == 2)
    gate.open()
    await connector.close()
  }

  @Test(
    "A transport that never returns blocks neither a caller nor close() for ever",
    arguments: [LocalTenant.Shape.b2c, .openIDConnect])
  func neverReturns(_ shape: LocalTenant.Shape) async throws {
    let scene = Scene(shape: shape, holdsTime: true)
    try await scene.connector().signIn()
    await scene.clock.advance(by: .seconds(4_000))
    // At a generic issuer a new launch needs the metadata first.
    let never = scene.transport.hang(at: shape == .b2c ? .token : .metadata)
    let connector = try scene.connector { $0.limits = .standard }
    let call = Task { try await connector.accessToken() }
    await never.waitForArrivals(1)
    // The call, and at Azure AD B2C its request; the limit of a request for metadata is none that the clock counts.
    await scene.clock.waitForSleepers(shape == .b2c ? 2 : 1)
    await scene.clock.advance(by: .seconds(31))
    let error = try await #require(throws: ConnectorError.self) { try await call.value }
    #expect(error.code == .timedOut && error.isRetryable)
    let closing = Task { await connector.close() }
    await scene.clock.advance(by: .seconds(29))
    await closing.value
    // The next one is not held up by it.
    scene.transport.letEverythingPass()
    _ = try await scene.connector().accessToken()
    #expect(scene.tenant.counters.refreshes == 1)
    never.open()
  }
}
