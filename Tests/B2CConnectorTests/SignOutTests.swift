import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// What a sign-out does to the tokens, here and at the provider; ``BrowserSignOutTests`` has the page.
@Suite("Sign-out", .hangLimit)
struct SignOutTests {
  /// Alice and others, who sign in one after the other at a provider that revokes refresh tokens.
  private func revokingScene(
    _ others: LocalUser..., cache: any TokenCache = .memory()
  ) async throws -> (SignedInScene, tokens: [String: Secret]) {
    let stage = try await SignedInScene(Scene(shape: .openIDConnect, cache: cache, holdsTime: true), after: 0)
    stage.scene.tenant.users = [.alice] + others
    for user in others { try await stage.signIn(user) }
    var tokens: [String: Secret] = [:]
    for key in try await cache.keys() { tokens[key.userID] = try await cache.record(for: key)?.refreshToken }
    try #require(Set(tokens.values).count == others.count + 1)
    return (stage, tokens)
  }

  /// The refresh tokens that the provider has revoked.
  private func revokedTokens(_ scene: Scene) -> [String] {
    scene.tenant.requests.filter { $0.request.path.hasSuffix("/revoke") && $0.response?.status == 200 }
      .compactMap { $0.form["token"] }
  }

  @Test("A sign-out shows nothing, and at Microsoft's authorities it sends nothing", arguments: [true, false])
  func local(isRelaunched: Bool) async throws {
    let stage = try await SignedInScene(after: 0)
    let connector = isRelaunched ? try stage.other() : stage.connector
    let before = stage.scene.network.requestCount
    // The second time nobody is signed in, which is no error.
    for _ in 0..<2 { #expect(try await connector.signOut() == .notAsked) }
    #expect(stage.scene.network.requestCount == before && stage.presenter.requests.count == 1)
    #expect(try await stage.scene.cache.keys().isEmpty)
    #expect(stage.scene.count(.signedOut) == 1)
  }

  @Test("Every refresh token is revoked, after the tokens are gone")
  func revoked() async throws {
    let (stage, tokens) = try await revokingScene(.bob)
    let (scene, connector, gate) = (stage.scene, stage.connector, TestGate())
    scene.tenant.faults = [LocalFault(on: .path("/revoke"), .wait(gate))]
    let signOut = Task { try await connector.signOut() }
    await gate.waitForArrivals(1)
    #expect(try await scene.cache.keys().isEmpty)
    #expect(try await connector.session == .signedOut)
    gate.open()
    #expect(try await signOut.value == .notAsked)
    #expect(Set(revokedTokens(scene)) == Set(tokens.values.map(\.value)))
    let forms = scene.transport.requests.filter { $0.path.hasSuffix("/revoke") }.map(\.form)
    #expect(forms.allSatisfy { $0["client_id"] == scene.tenant.clientID && $0["token_type_hint"] == "refresh_token" })
    #expect(scene.count(.signedOut) == 2)
    #expect(!tokens.values.contains { "\(scene.events.values)".contains($0.value) })
  }

  @Test("A sign-out of one user removes, revokes and reports that user alone; of a stranger, nobody")
  func oneUser() async throws {
    let (stage, tokens) = try await revokingScene(.bob)
    let (scene, alice) = (stage.scene, stage.alice.user)
    try await stage.connector.signOut(UserInfo(id: "nobody.nowhere"))
    #expect(scene.count(.signedOut) == 0)
    // After a launch the metadata is fetched for it, once.
    let before = scene.network.requestCount
    try await stage.other(isElsewhere: false).signOut(UserInfo(id: alice.id))
    #expect(scene.network.requestCount == before + 2 && scene.count(.signedOut) == 1)
    #expect(revokedTokens(scene) == [try #require(tokens[alice.id]).value])
    #expect(try await stage.connector.session.user?.id == tokens.keys.first { $0 != alice.id })
  }

  /// What becomes of a revocation, and how many requests a sign-out after a launch sends.
  static let revocations: [(name: String, requests: Int, spoil: @Sendable (LocalTenant) -> Void)] = [
    ("refused", 2, { $0.faults = [LocalFault(on: .path("/revoke"), .respond(LocalResponse(status: 401)))] }),
    ("busy", 2, { $0.faults = [LocalFault(on: .path("/revoke"), .respond(LocalResponse(status: 503)))] }),
    ("offline", 1, { $0.faults = [LocalFault(.offline)] }),
    // A token is not sent to a plain http endpoint.
    ("http", 1, { $0.behavior.changeMetadata = { $0["revocation_endpoint"] = "http://contoso.example/revoke" } }),
  ]

  @Test("Whatever becomes of a revocation, it is sent once, and the sign-out is done", arguments: revocations.indices)
  func unrevoked(_ index: Int) async throws {
    // The clock stands still, so no pause before a second try ends.
    let (stage, row) = (try await revokingScene().0, Self.revocations[index])
    row.spoil(stage.scene.tenant)
    let before = stage.scene.network.requestCount
    #expect(try await stage.other().signOut() == .notAsked)
    #expect(stage.scene.network.requestCount == before + row.requests, "\(row.name)")
    #expect(try await stage.scene.cache.keys().isEmpty)
  }

  @Test("A server that does not answer is waited for 2 seconds", arguments: ["/revoke", "/openid-configuration"])
  func silent(path: String) async throws {
    let (stage, gate) = (try await revokingScene().0, TestGate())
    stage.scene.tenant.faults = [LocalFault(on: .path(path), .wait(gate))]
    let signOut = Task { try await stage.other().signOut() }
    await gate.waitForArrivals(1)
    await stage.scene.clock.waitForSleepers()
    await stage.scene.clock.advance(by: .seconds(2))
    #expect(try await signOut.value == .notAsked)
    gate.open()
  }

  // MARK: Failures

  @Test("A record that cannot be removed keeps no other, and its user is named and not revoked", arguments: 0..<3)
  func stubbornRecord(_ position: Int) async throws {
    let cache = FailingCache()
    let carol = LocalUser(email: "carol@example.com", password: "Not-A-Secret-3", displayName: "Carol")
    let (stage, tokens) = try await revokingScene(.bob, carol, cache: cache)
    // The latest first.
    let stubborn = try await stage.connector.users()[position].id
    cache.removeFailure.withLock { $0 = { $0.userID == stubborn ? ConnectorError(.tokenCache, "Locked.") : nil } }
    let error = try await #require(throws: ConnectorError.self) { try await stage.connector.signOut() }
    #expect(error.code == .tokenCache && tokens.keys.allSatisfy { error.message.contains($0) == ($0 == stubborn) })
    #expect(try await cache.keys().map(\.userID) == [stubborn])
    #expect(try await stage.connector.session.user?.id == stubborn)
    #expect(stage.scene.count(.signedOut) == 2)
    #expect(Set(revokedTokens(stage.scene)) == Set(tokens.filter { $0.key != stubborn }.values.map(\.value)))
  }

  @Test("If the cache cannot be listed, a sign-out of all fails and nobody is signed out; one of a user needs no list")
  func unlistable() async throws {
    let cache = FailingCache()
    let stage = try await SignedInScene(Scene(cache: cache), after: 0)
    cache.failsToList.withLock { $0 = true }
    await expectError(ConnectorError.self, .tokenCache) { try await stage.connector.signOut() }
    #expect(stage.scene.count(.signedOut) == 0)
    #expect(try await cache.inner.keys().count == 1)
    try await stage.connector.signOut(stage.alice.user)
    #expect(try await cache.inner.keys().isEmpty)
  }

  @Test("A sign-out that has begun is finished, although its caller is cancelled", arguments: [true, false])
  func cancelled(endsBrowserSession: Bool) async throws {
    let (gate, waits) = (TestGate(), Locked(false))
    let cache = HookedCache { call in
      if call == "remove", waits.withLock({ $0 }) { try await gate.wait() }
      try Task.checkCancellation()
    }
    let stage = try await SignedInScene(Scene(cache: cache), after: 0)
    try await stage.signIn(.bob)
    waits.withLock { $0 = true }
    let signOut = Task { try await stage.connector.signOut(endsBrowserSession: endsBrowserSession) }
    await gate.waitForArrivals(1)
    signOut.cancel()
    gate.open()
    _ = try? await signOut.value
    #expect(try await cache.keys().isEmpty)
    #expect(try await stage.connector.session == .signedOut)
    #expect(stage.scene.events.values.last?.step == .signedOut)
  }

  @Test("A sign-out whose task was cancelled before it began does nothing, and says so")
  func cancelledBefore() async throws {
    let stage = try await SignedInScene(after: 0)
    let signOut = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await stage.connector.signOut()
    }
    await #expect(throws: CancellationError.self) { try await signOut.value }
    #expect(try await stage.connector.session == .signedIn(stage.alice.user))
  }

  // MARK: Cookies and files

  @Test("Only cookies of the authority's host are removed, because those of a parent domain belong to others")
  func cookies() async throws {
    let storage = HTTPCookieStorage.shared
    let cookies = try ["contoso.b2clogin.com", ".b2clogin.com", "signout-test.example"].map {
      try require(HTTPCookie(properties: [.name: "signout-test", .value: "x", .domain: $0, .path: "/"]))
    }
    cookies.forEach(storage.setCookie)
    try await Scene().connector().signOut()
    let left = (storage.cookies ?? []).filter { $0.name == "signout-test" }.map(\.domain)
    #expect(Set(left) == [".b2clogin.com", "signout-test.example"])
    cookies.forEach(storage.deleteCookie)
  }

  @Test("A sign-out with nothing stored needs no space, and leaves no file")
  func emptyDirectory() async throws {
    let (directory, files) = (try TemporaryDirectory(), WatchedFileSystem())
    defer { directory.remove() }
    let scene = Scene(cache: try StoredTokenCache.process(at: directory.url, files: files))
    files.fillDisk()
    try await scene.connector().signOut()
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path).isEmpty)
  }

  @Test("A sign-out that finds no record flushes what another process could not", arguments: [true, false])
  func flushesForOthers(recovers: Bool) async throws {
    let (scene, parent) = (Scene(limits: .standard), try TemporaryDirectory())
    defer { parent.remove() }
    let (files, otherFiles) = (WatchedFileSystem(), WatchedFileSystem())
    let connectors = try [files, otherFiles].map {
      try scene.connector(cache: StoredTokenCache.process(at: parent.url.appendingPathComponent("store"), files: $0))
    }
    try await connectors[0].signIn()
    files.failToFlushDirectories()
    await expectError(ConnectorError.self, .tokenCache) { try await connectors[0].signOut() }
    otherFiles.failToFlushDirectories(!recovers)
    _ = otherFiles.takeCalls()
    if recovers {
      try await connectors[1].signOut()
      #expect(otherFiles.takeCalls() == ["flush store"])
    } else {
      await expectError(ConnectorError.self, .tokenCache) { try await connectors[1].signOut() }
    }
  }
}

/// The page of a sign-out: what its URL says, and what is known of the browser's session afterwards.
@Suite("The page of a sign-out", .hangLimit)
struct BrowserSignOutTests {
  private let scene = Scene(holdsTime: true)

  /// A connector at which Alice has signed in and whose sign-out page is shown by the test.
  private func signedIn(
    _ page: @escaping @Sendable (PresentationRequest) async throws -> URL
  ) async throws -> Connector {
    let script = scene.script(.signIn(.alice))
    return try await scene.signedIn(
      presenter: ClosurePresenter { $0.purpose == .signOut ? try await page($0) : try await script.present($0) })
  }

  @Test(
    "The page is that of the policy that signed the user in, with client, redirect and state, and the id_token if asked",
    arguments: [LocalPolicy.signIn, .signUpOrSignIn], [false, true])
  func parameters(_ policy: LocalPolicy, sendsIDTokenHint: Bool) async throws {
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(presenter: presenter)
    try await connector.signIn(policy: Policy(policy.id))
    #expect(try await connector.signOut(endsBrowserSession: true, sendsIDTokenHint: sendsIDTokenHint) == .returned)
    let page = try #require(presenter.requests.last)
    #expect(page.purpose == .signOut)
    let parameters = query(of: page.url)
    #expect(parameters["p"] == policy.id)
    #expect(parameters["client_id"] == scene.tenant.clientID)
    #expect(parameters["post_logout_redirect_uri"] == Scene.redirect)
    #expect(parameters["id_token_hint"]?.split(separator: ".").count == (sendsIDTokenHint ? 3 : nil))
    #expect(parameters["state"]?.isEmpty == false)
    #expect(scene.tenant.sessionCount == 0)
  }

  @Test("The tokens are gone before the page opens, even if it cannot be shown")
  func order() async throws {
    let seen = Recorder<Int>()
    let connector = try await signedIn { [scene] _ in
      seen.record(try await scene.cache.keys().count)
      throw ConnectorError(.presentationFailed, "No browser.")
    }
    await expectError(ConnectorError.self, .presentationFailed) {
      try await connector.signOut(endsBrowserSession: true)
    }
    #expect(seen.values == [0])
  }

  @Test("Without a network the page cannot be found, but the tokens are removed")
  func offline() async throws {
    _ = try await scene.signedIn(after: 90_000)
    scene.tenant.faults = [LocalFault(.offline)]
    let connector = try scene.connector { $0.retry = .none }
    await expectError(ConnectorError.self, .network) { try await connector.signOut(endsBrowserSession: true) }
    #expect(try await scene.cache.keys().isEmpty)
  }

  @Test(
    "A closed page, or a callback that any program could make, confirms nothing",
    arguments: [nil, "", "?state=another", "?state=STATE&error=server_error", "?code=old&state=old"])
  func unconfirmed(_ query: String?) async throws {
    let connector = try await signedIn { request in
      guard let query else { throw ConnectorError(.userClosedBrowser, "Closed.") }
      return try url(request.redirectURI.absoluteString + query.replacing("STATE", with: request.state.value))
    }
    #expect(try await connector.signOut(endsBrowserSession: true) == .notReturned)
  }

  @Test("A page is waited for one minute or until the caller is cancelled", arguments: [true, false], [true, false])
  func waits(isTimeUp: Bool, isStubborn: Bool) async throws {
    let closed = TestGate()
    let connector = try await signedIn { request in
      // A task of its own knows nothing of the cancellation.
      if isStubborn { try await Task { try await closed.wait() }.value } else { try await closed.wait() }
      return request.redirectURI
    }
    var states = connector.sessionUpdates.makeAsyncIterator()
    #expect(await states.next()?.user?.hasSession == true)
    let signOut = Task { try await connector.signOut(endsBrowserSession: true) }
    await closed.waitForArrivals(1)
    // Observers know before the page is closed.
    #expect(await states.next() == .signedOut)
    await scene.clock.waitForSleepers()
    if isTimeUp {
      await scene.clock.advance(by: .seconds(60))
      #expect(try await signOut.value == .notReturned)
    } else {
      signOut.cancel()
      await #expect(throws: CancellationError.self) { try await signOut.value }
    }
    #expect(try await scene.cache.keys().isEmpty)
    closed.open()
  }
}
