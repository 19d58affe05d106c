import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// The tokens that a call gets without a page.
@Suite("Silent tokens", .hangLimit)
struct SilentTokenTests {
  @Test(
    "A token is renewed when less than the margin or half its lifetime is left, or when the server suggests it",
    arguments: [
      (3_600, nil, 3_299, 0), (3_600, nil, 3_301, 1), (300, nil, 149, 0), (300, nil, 151, 1), (3_600, 600, 599, 0),
      (3_600, 600, 601, 1),
    ] as [(Int, JSONValue?, Int, Int)])
  func margin(lifetime: Int, refreshIn: JSONValue?, seconds: Int, refreshes: Int) async throws {
    let scene = Scene(lifetime: .seconds(lifetime)) { $0.changeTokenAnswer = { $0["refresh_in"] = refreshIn } }
    _ = try await scene.signedIn(after: seconds).accessToken()
    scene.expectRefreshes(refreshes)
  }

  @Test("A token that has not expired is used if its renewal needs the user, and not after the end of the session")
  func renewalRefused() async throws {
    let stage = try await SignedInScene(after: 3_400)
    stage.scene.transport.answerTokens(400, #"{"error":"interaction_required"}"#)
    #expect(try await stage.connector.accessToken().token == stage.alice.accessToken?.token)
    stage.scene.transport.letEverythingPass()
    stage.scene.tenant.revokeGrants()
    await stage.scene.clock.advance(by: .seconds(61))
    await expectError(ConnectorError.self, .interactionRequired) { try await stage.connector.accessToken() }
  }

  @Test("A forced refresh returns a new token, even if another cached one covers the scopes, and replaces the old one")
  func forceRefresh() async throws {
    let stage = try await SignedInScene(after: 0)
    let narrow = [stage.scene.tenant.apiScopes[0]]
    var seen: Set<Secret?> = [stage.alice.accessToken?.token]
    for _ in 0..<3 {
      let token = try await stage.connector.accessToken(scopes: narrow, forceRefresh: true).token
      seen.insert(token)
      #expect(try await stage.connector.accessToken(scopes: narrow).token == token)
    }
    #expect(seen.count == 4)
    stage.scene.expectRefreshes(3)
  }

  @Test("A claims challenge is answered by a refresh with the claims, whose token is cached")
  func claims() async throws {
    let stage = try await SignedInScene(Scene(shape: .entra), after: 0)
    let (connector, claims) = (stage.connector, SignedInScene.claims)
    let token = try await connector.accessToken(claims: claims)
    #expect(token.token != stage.alice.accessToken?.token)
    #expect(stage.scene.transport.tokenForms.last?["claims"] == claims)
    #expect(try await connector.accessToken().token == token.token)
    stage.scene.transport.answerTokens(
      400, #"{"error":"interaction_required","error_codes":[50076],"claims":"{\"a\":1}"}"#, grant: "refresh_token")
    let error = try await #require(throws: ConnectorError.self) { try await connector.accessToken(claims: claims) }
    #expect(error.needsInteraction && error.claims == #"{"a":1}"#)
  }

  @Test("Without a scope of an API there is no access token, and the id_token never replaces it")
  func openidOnly() async throws {
    let scene = Scene()
    let connector = try scene.connector(scene.settings { $0.scopes = ["openid", "profile"] })
    #expect(try await connector.signIn().accessToken == nil)
    await expectError(ConnectorError.self, .missingAPIScope) { try await connector.accessToken() }
    #expect(try await scene.record().accessTokens.isEmpty)
  }

  @Test("The tokens of several APIs are in one record, and each is found by its scopes in any case, without a request")
  func severalAPIs() async throws {
    let stage = try await SignedInScene(after: 0)
    let (connector, tasks) = (stage.connector, stage.alice.accessToken?.token)
    let own = try await connector.accessToken(scopes: SignedInScene.otherScopes).token
    #expect(own != tasks)
    let before = stage.scene.network.requestCount
    for scopes in [nil, [stage.scene.tenant.apiScopes[0]]] {
      #expect(try await connector.accessToken(scopes: scopes).token == tasks)
    }
    #expect(try await connector.accessToken(scopes: [LocalTenant.standardClientID.uppercased()]).token == own)
    #expect(stage.scene.network.requestCount == before && stage.scene.count(.cacheHit) == 3)
    #expect(try await stage.scene.cache.keys().count == 1)
  }

  @Test(
    "A scope that was requested and not granted is not requested again while the token lasts, also after a launch",
    arguments: [LocalTenant.Shape.b2c, .entra, .openIDConnect])
  func notGranted(_ shape: LocalTenant.Shape) async throws {
    let scene = Scene(shape: shape) { $0.grantedScopes = { $0.filter { !$0.hasSuffix("write") } } }
    let stage = try await SignedInScene(scene, after: 0)
    let (key, scopes) = (try #require(try await scene.cache.keys().first), scene.tenant.apiScopes)
    let stored = try JSONDecoder().decode(TokenRecord.self, from: JSONEncoder().encode(try await scene.record()))
    try await scene.cache.store(stored, for: key)
    for connector in [stage.connector, try stage.other()] {
      for wanted in [nil, scopes, scopes.reversed(), [scopes[1]], [scopes[0]], scopes.map { $0.uppercased() }] {
        let granted = try await connector.accessToken(scopes: wanted).scopes
        #expect(granted.contains { $0.hasSuffix("read") } && !granted.contains { $0.hasSuffix("write") })
      }
    }
    scene.expectRefreshes(0)
    await scene.expire()
    for _ in 0..<3 { _ = try await stage.connector.accessToken() }
    scene.expectRefreshes(1)
  }
}

/// An app and its widget over one token cache, of which only the app may refresh.
@Suite("A process that must not refresh", .hangLimit)
struct ConnectorRefreshNeverTests {
  private let stage: SignedInScene
  private var scene: Scene { stage.scene }

  init() async throws { stage = try await SignedInScene(after: 0) }

  /// The widget is forbidden to refresh by its options, or because it is an app extension.
  private func widget(isAppExtension: Bool = false) throws -> Connector {
    var environment = scene.environment()
    environment.isAppExtension = isAppExtension
    return try Connector(settings: try scene.settings(), environment: environment) {
      $0.refreshesTokens = isAppExtension
    }
  }

  @Test(
    "A stored token is used until it expires and never replaced, and the error asks to open the app",
    arguments: [false, true])
  func stored(isAppExtension: Bool) async throws {
    let widget = try widget(isAppExtension: isAppExtension)
    _ = try await widget.getTaskList()
    await expectError(ConnectorError.self, .refreshNotAllowed) { try await widget.accessToken(forceRefresh: true) }
    scene.tasks.faults = [LocalFault(on: .any, times: 1, .respond(LocalResponse(status: 401)))]
    await expectError(ConnectorError.self, .refreshNotAllowed) { try await widget.getTaskList() }
    await scene.clock.advance(by: .seconds(3_500))
    let count = scene.network.requestCount
    #expect(try await widget.accessToken() == stage.alice.accessToken)
    await scene.clock.advance(by: .seconds(500))
    let calls: [() async throws -> Void] = [
      { _ = try await widget.accessToken() }, { _ = try await widget.getTaskList() },
      { _ = try await widget.accessToken(claims: SignedInScene.claims) },
    ]
    for call in calls {
      let error = try await #require(throws: ConnectorError.self) { try await call() }
      #expect(error.code == .refreshNotAllowed && !error.needsInteraction && !error.isRetryable)
      #expect(error.recoverySuggestion?.hasPrefix("Open the app") == true)
    }
    #expect(scene.network.requestCount == count && scene.tenant.counters.refreshRequests == 0)
    #expect(try await widget.session == .signedIn(stage.alice.user))
    let new = try await stage.connector.accessToken()
    #expect(try await widget.accessToken() == new)
  }

  @Test("If nobody is signed in or the session has ended, the error asks for a sign-in", arguments: [true, false])
  func signedOut(hasEnded: Bool) async throws {
    if hasEnded {
      scene.tenant.revokeGrants()
      await scene.expire()
      await expectError(ConnectorError.self, .interactionRequired) { try await stage.connector.accessToken() }
    } else {
      try await stage.connector.signOut()
    }
    let widget = try widget()
    await expectError(ConnectorError.self, .interactionRequired) { try await widget.accessToken() }
    #expect(try await (widget.session == .signedOut) == !hasEnded)
  }
}
