import B2CConnector
import B2CCore
import B2CHTTP
import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite("Rotation of refresh tokens", .hangLimit)
struct RotationTests {
  @Test("Ten refreshes in a row each spend the newest token once")
  func chain() async throws {
    let scene = Scene()
    let connector = try await scene.signedIn()
    for _ in 0..<10 {
      await scene.clock.advance(by: .seconds(4_000))
      _ = try await connector.accessToken()
    }
    let spent = scene.transport.tokenForms.compactMap { $0["refresh_token"] }
    #expect(Set(spent).count == 10)
    #expect(scene.tenant.counters.reusedRefreshTokens == 0)
  }

  @Test("The new refresh token is stored before the access token is handed out")
  func storedFirst() async throws {
    let scene = Scene()
    let connector = try await scene.signedIn(after: 4_000)
    let token = try await connector.accessToken()
    let record = try await scene.record()
    #expect(record.accessTokens.first?.token == token.token)
    #expect(record.refreshToken?.value != scene.transport.tokenForms.last?["refresh_token"])
    // Another launch goes on from what was stored.
    await scene.clock.advance(by: .seconds(4_000))
    _ = try await scene.connector().accessToken()
    #expect(scene.tenant.counters.refreshes == 2)
  }

  @Test("The old refresh token stays when the answer has none")
  func noRotation() async throws {
    let scene = Scene { $0.rotatesRefreshTokens = false }
    let connector = try scene.connector()
    try await connector.signIn()
    scene.tenant.behavior.changeTokenAnswer = { $0["refresh_token"] = nil }
    for _ in 0..<2 {
      await scene.clock.advance(by: .seconds(4_000))
      _ = try await connector.accessToken()
    }
    #expect(scene.tenant.counters.refreshes == 2)
  }

  @Test("A refresh without an id_token keeps the claims")
  func noIDToken() async throws {
    let scene = Scene()
    let connector = try await scene.signedIn()
    scene.tenant.behavior.changeTokenAnswer = { $0["id_token"] = nil }
    await scene.clock.advance(by: .seconds(4_000))
    _ = try await connector.accessToken()
    #expect(try await connector.session.user?.name == LocalUser.alice.displayName)
  }

  @Test("A refresh token that another client has spent meanwhile is no sign-out")
  func quickerClient() async throws {
    // A store that keeps no other process away.
    let scene = Scene(cache: FourMethodCache())
    let connector = try await scene.signedIn(after: 4_000)
    let other = try scene.connector(cache: ForwardingCache(scene.cache))
    let winner = Locked<AccessToken?>(nil)
    scene.transport.intercept { request in
      guard request.isTokenRequest, winner.withLock({ $0 == nil }) else { return nil }
      scene.transport.letEverythingPass()
      let token = try await other.accessToken()
      winner.withLock { $0 = token }
      return nil
    }
    let token = try await connector.accessToken()
    #expect(token.token == winner.withLock { $0?.token })
  }

  @Test("An answer without an access token is an error, and its refresh token is kept", arguments: [true, false])
  func keptWithoutAccessToken(hasIDToken: Bool) async throws {
    let scene = Scene()
    let connector = try await scene.signedIn(after: 4_000)
    scene.tenant.behavior.changeTokenAnswer = {
      $0["access_token"] = nil
      if !hasIDToken { $0["id_token"] = nil }
    }
    let error = try await #require(throws: ConnectorError.self) { try await connector.accessToken() }
    #expect(error.code == .missingAPIScope && error.recoverySuggestion?.contains("in the portal") == true)
    let scopes = scene.tenant.apiScopes.joined(separator: " ")
    #expect(error.message == "The provider issued no access token for \(scopes).")
    scene.tenant.behavior.changeTokenAnswer = nil
    _ = try await connector.accessToken()
    #expect(scene.tenant.counters.reusedRefreshTokens == 0)
  }

  @Test(
    "An access token that is no text, or empty, is invalidResponse; the rotated refresh token is kept",
    arguments: [JSONValue.integer(7), "", .bool(true)], [true, false])
  func unusableAccessToken(_ value: JSONValue, hasIDToken: Bool) async throws {
    let scene = Scene()
    let connector = try await scene.signedIn(after: 4_000)
    scene.tenant.behavior.changeTokenAnswer = {
      $0["access_token"] = value
      if !hasIDToken { $0["id_token"] = nil }
    }
    await expectError(ConnectorError.self, .invalidResponse) { try await connector.accessToken() }
    scene.tenant.behavior.changeTokenAnswer = nil
    _ = try await connector.accessToken()
    #expect(scene.tenant.counters.reusedRefreshTokens == 0)
  }

  @Test("A sign-in whose access token is no text is invalidResponse and leaves nothing")
  func unusableAccessTokenAtSignIn() async throws {
    let scene = Scene { $0.changeTokenAnswer = { $0["access_token"] = 7 } }
    await expectError(ConnectorError.self, .invalidResponse) { try await scene.connector().signIn() }
    #expect(try await scene.cache.keys().isEmpty)
  }

  @Test("Without a refresh token the error says what brings one, and not that the session has expired")
  func noRefreshTokenAtAll() async throws {
    let scene = Scene { $0.changeTokenAnswer = { $0["refresh_token"] = nil } }
    let connector = try scene.connector()
    try await connector.signIn()
    let error = try await #require(throws: ConnectorError.self) {
      try await connector.accessToken(forceRefresh: true)
    }
    #expect(error.code == .interactionRequired && !error.message.contains("expired"))
    #expect(error.recoverySuggestion?.contains("offline_access") == true)
  }

  @Test("Nor where a new sign-in beside the refresh has brought none")
  func noRefreshTokenAnyMore() async throws {
    let scene = Scene()
    let connector = try await scene.signedIn()
    let key = try #require(try await scene.cache.keys().first)
    await scene.clock.advance(by: .seconds(4_000))
    let gate = TestGate()
    scene.tenant.faults = [LocalFault(on: .tokenRefresh, times: 1, .holdAnswer(gate))]
    let renewal = Task { try await connector.accessToken() }
    await gate.waitForArrivals(1)
    let record = try #require(try await scene.cache.record(for: key))
    try await scene.cache.store(
      TokenRecord(signedInAt: scene.clock.date, policyID: record.policyID, claims: record.claims), for: key)
    gate.open()
    let error = try await #require(throws: ConnectorError.self) { try await renewal.value }
    #expect(error.code == .interactionRequired && !error.message.contains("expired"), "\(error)")
  }

  @Test("A refused refresh token that another process has replaced, for another API, gives way to the new one")
  func quickerForAnotherAPI() async throws {
    let scene = Scene(cache: FourMethodCache()) { $0.refreshTokenReuse = .refused }
    let connector = try scene.connector()
    try await connector.signIn()
    await scene.clock.advance(by: .seconds(4_000))
    let other = try scene.connector(cache: ForwardingCache(scene.cache))
    scene.transport.intercept { request in
      guard request.isTokenRequest else { return nil }
      scene.transport.letEverythingPass()
      _ = try await other.accessToken(scopes: [LocalTenant.standardClientID])
      return nil
    }
    #expect(try await connector.accessToken().scopes.contains(scene.tenant.apiScopes[0]))
    #expect(scene.events.values.contains { $0.step == .retry })
  }

  @Test("A cache that cannot be read when the answer comes loses no rotated token")
  func unreadableAfterAnswer() async throws {
    let cache = FailingCache()
    let scene = Scene(cache: cache)
    let connector = try await scene.signedIn(after: 4_000)
    let gate = TestGate()
    scene.tenant.faults = [LocalFault(on: .tokenRefresh, times: 1, .holdAnswer(gate))]
    let call = Task { try await connector.accessToken() }
    await gate.waitForArrivals(1)
    cache.readFailure.withLock { $0 = { _ in ConnectorError(.tokenCache, "Locked.", isRetryable: true) } }
    gate.open()
    let token = try await call.value
    cache.readFailure.withLock { $0 = { _ in nil } }
    #expect(try await connector.accessToken().token == token.token)
    #expect(scene.tenant.counters.refreshes == 1)
    #expect(scene.tenant.counters.reusedRefreshTokens == 0)
  }
}
