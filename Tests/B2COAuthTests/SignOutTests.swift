import B2CAuthority
import B2CConnector
import B2CCore
import B2CHTTP
import B2CTestKit
import B2CTokenCache
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Sign-out", .hangLimit)
struct SignOutTests {
  @Test("A local sign-out sends nothing and shows nothing")
  func local() async throws {
    let scene = Scene()
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(presenter: presenter)
    try await connector.signIn()
    let before = scene.network.requestCount
    try await connector.signOut()
    #expect(scene.network.requestCount == before)
    #expect(presenter.requests.count == 1)
    #expect(try await scene.cache.keys().isEmpty)
    #expect(scene.events.values.last?.step == .signedOut)
  }

  @Test("The sign-out page's URL carries the client, the redirect and a state, and the id_token only when asked to")
  func server() async throws {
    let scene = Scene()
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(presenter: presenter)
    try await connector.signIn()
    try await connector.signOut(endsBrowserSession: true)
    let page = try #require(presenter.requests.last)
    #expect(page.purpose == .signOut)
    let parameters = query(of: page.url)
    #expect(parameters["p"] == Scene.signIn)
    #expect(parameters["client_id"] == scene.tenant.clientID)
    #expect(parameters["post_logout_redirect_uri"] == Scene.redirect)
    #expect(parameters["id_token_hint"] == nil)
    #expect(parameters["state"]?.isEmpty == false)
    #expect(scene.tenant.sessionCount == 0)
    try await connector.signIn()
    try await connector.signOut(endsBrowserSession: true, sendsIDTokenHint: true)
    let hinted = query(of: try #require(presenter.requests.last).url)
    #expect(hinted["id_token_hint"]?.split(separator: ".").count == 3)
  }

  @Test("A browser that does not come back is not waited for longer than a minute")
  func timeout() async throws {
    let scene = Scene(holdsTime: true)
    let presenter = SwitchingPresenter(signIn: scene.script(.signIn(.alice))) { _ in try await TestGate().wait() }
    let connector = try scene.connector(presenter: presenter)
    try await connector.signIn()
    let signOut = Task { try await connector.signOut(endsBrowserSession: true) }
    await scene.clock.waitForSleepers()
    #expect(try await scene.cache.keys().isEmpty)
    await scene.clock.advance(by: .seconds(60))
    #expect(try await signOut.value == .notReturned)
  }

  @Test("A presenter that ignores its cancellation does not make a sign-out longer", arguments: [true, false])
  func stubbornPresenter(isTimeUp: Bool) async throws {
    let scene = Scene(holdsTime: true)
    let closed = TestGate()
    let presenter = SwitchingPresenter(signIn: scene.script(.signIn(.alice))) { _ in
      // A task of its own knows nothing of the cancellation.
      try await Task { try await closed.wait() }.value
    }
    let connector = try scene.connector(presenter: presenter)
    try await connector.signIn()
    let signOut = Task { try await connector.signOut(endsBrowserSession: true) }
    await closed.waitForArrivals(1)
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

  @Test("Where the provider has a revocation endpoint, every refresh token is revoked")
  func revocation() async throws {
    let scene = Scene(shape: .openIDConnect)
    let endpoint = scene.tenant.origin.absoluteString + "/revoke"
    scene.tenant.behavior.changeMetadata = { $0["revocation_endpoint"] = .string(endpoint) }
    scene.transport.intercept { request in
      request.path.hasSuffix("/revoke") ? LocalResponse(status: 200) : nil
    }
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(presenter: presenter)
    try await connector.signIn()
    presenter.follow(.signIn(.bob))
    try await connector.signIn(options: SignInOptions(prompt: .login))
    var stored: Set<String> = []
    for key in try await scene.cache.keys() {
      stored.insert(try require(try await scene.cache.record(for: key)?.refreshToken).value)
    }
    try await connector.signOut(endsBrowserSession: true)
    let revocations = scene.transport.requests.filter { $0.path.hasSuffix("/revoke") }.map(\.form)
    #expect(Set(revocations.compactMap { $0["token"] }) == stored && stored.count == 2)
    #expect(revocations.allSatisfy { $0["client_id"] == scene.tenant.clientID })
    #expect(revocations.allSatisfy { $0["token_type_hint"] == "refresh_token" })
  }

  @Test("One record that cannot be removed does not keep the others", arguments: 0..<3)
  func stubbornRecord(_ position: Int) async throws {
    let cache = FailingCache()
    let scene = Scene(cache: cache)
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(presenter: presenter)
    let users = [.alice, .bob, LocalUser(email: "carol@example.com", password: "Not-A-Secret-3", displayName: "Carol")]
    scene.tenant.users = users
    var ids: [String] = []
    for user in users {
      presenter.clearCookies()
      presenter.follow(.signIn(user))
      ids.append(try await connector.signIn().user.id)
    }
    try #require(Set(ids).count == 3)
    let stubborn = ids[position]
    cache.removeFailure.withLock { $0 = { $0.userID == stubborn ? ConnectorError(.tokenCache, "Locked.") : nil } }
    let error = try await #require(throws: ConnectorError.self) { try await connector.signOut() }
    #expect(error.code == .tokenCache && ids.allSatisfy { error.message.contains($0) == ($0 == stubborn) })
    #expect(try await cache.keys().map(\.userID) == [stubborn])
    #expect(try await connector.session.user?.id == stubborn)
  }

  @Test("The tokens are gone before the page opens, whatever becomes of it")
  func order() async throws {
    struct Failure: Error {}
    let scene = Scene()
    let seen = Recorder<Int>()
    let presenter = SwitchingPresenter(signIn: scene.script(.signIn(.alice))) { _ in
      seen.record(try await scene.cache.keys().count)
      throw ConnectorError(own: .presentationFailed, "No browser.")
    }
    let connector = try scene.connector(presenter: presenter)
    try await connector.signIn()
    await expectError(ConnectorError.self, .presentationFailed) {
      try await connector.signOut(endsBrowserSession: true)
    }
    #expect(seen.values == [0])
    #expect(try await scene.cache.keys().isEmpty)
  }

  @Test("Closing the page is no error")
  func closing() async throws {
    let scene = Scene()
    let presenter = SwitchingPresenter(signIn: scene.script(.signIn(.alice))) { _ in
      throw ConnectorError(own: .userClosedBrowser, "Closed.")
    }
    let connector = try scene.connector(presenter: presenter)
    try await connector.signIn()
    #expect(try await connector.signOut(endsBrowserSession: true) == .notReturned)
  }

  @Test("Without a network the local part is done all the same")
  func offline() async throws {
    let scene = Scene()
    let _ = try await scene.signedIn(after: 90_000)
    scene.transport.intercept { _ in throw URLError(.cannotConnectToHost) }
    let limited = try scene.connector { $0.retry = .none }
    await expectError(ConnectorError.self, .network) { try await limited.signOut(endsBrowserSession: true) }
    #expect(try await scene.cache.keys().isEmpty)
  }

  @Test("A cache that cannot be listed is an error, and nobody counts as signed out")
  func unlistable() async throws {
    let cache = FailingCache()
    let scene = Scene(cache: cache)
    let connector = try scene.connector()
    let alice = try await connector.signIn()
    cache.failsToList.withLock { $0 = true }
    await expectError(ConnectorError.self, .tokenCache) { try await connector.signOut() }
    #expect(!scene.events.values.contains { $0.step == .signedOut })
    cache.failsToList.withLock { $0 = false }
    #expect(try await connector.session == .signedIn(alice.user))
    // A named user needs no list.
    cache.failsToList.withLock { $0 = true }
    try await connector.signOut(alice.user)
    cache.failsToList.withLock { $0 = false }
    #expect(try await cache.keys().isEmpty)
  }

  @Test("A sign-out is not cancelled once it has begun: every user goes", arguments: [true, false])
  func cancelled(endsBrowserSession: Bool) async throws {
    let cache = ObedientCache()
    let scene = Scene(cache: cache)
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(presenter: presenter)
    try await connector.signIn()
    presenter.clearCookies()
    presenter.follow(.signIn(.bob))
    try await connector.signIn()
    let gate = TestGate()
    cache.removeGate.withLock { $0 = gate }
    let signOut = Task { try await connector.signOut(endsBrowserSession: endsBrowserSession) }
    await gate.waitForArrivals(1)
    signOut.cancel()
    gate.open()
    _ = try? await signOut.value
    #expect(try await cache.keys().isEmpty)
    #expect(try await connector.session == .signedOut)
    #expect(scene.events.values.last?.step == .signedOut)
  }

  @Test("A sign-out whose task was cancelled before it began does nothing, and says so")
  func cancelledBefore() async throws {
    let scene = Scene()
    let connector = try scene.connector()
    let alice = try await connector.signIn()
    let signOut = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await connector.signOut()
    }
    await #expect(throws: CancellationError.self) { try await signOut.value }
    #expect(try await connector.session == .signedIn(alice.user))
  }

  @Test("Only cookies of the authority's host are removed: those of a parent domain belong to others")
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

  @Test("Nobody signed in: a sign-out is no error")
  func nobody() async throws {
    try await Scene().connector().signOut()
  }
}

/// Signs in by one presenter and answers the sign-out page itself.
private struct SwitchingPresenter: SignInPresenter {
  let signIn: ScriptedPresenter
  let signOut: @Sendable (PresentationRequest) async throws -> Void

  init(signIn: ScriptedPresenter, signOut: @escaping @Sendable (PresentationRequest) async throws -> Void) {
    self.signIn = signIn
    self.signOut = signOut
  }

  func present(_ request: PresentationRequest) async throws -> URL {
    if request.purpose == .signOut { try await signOut(request) }
    return request.purpose == .signOut ? request.redirectURI : try await signIn.present(request)
  }
}
