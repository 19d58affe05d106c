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

/// What a sign-out does to the tokens, here and at the provider; ``BrowserSignOutTests`` has the page.
@Suite("Sign-out", .hangLimit)
struct SignOutTests {
  /// Signs several people in, one after the other, and returns their ids and refresh tokens.
  private func signIn(
    _ people: [LocalUser], in scene: Scene, at connector: Connector, _ presenter: ScriptedPresenter
  ) async throws -> [(id: String, token: Secret)] {
    scene.tenant.users = people
    var users: [(id: String, token: Secret)] = []
    for person in people {
      presenter.clearCookies()
      presenter.follow(.signIn(person))
      let id = try await connector.signIn().user.id
      let key = try #require(try await scene.cache.keys().first { $0.userID == id })
      let token = try #require(try await scene.cache.record(for: key)?.refreshToken)
      users.append((id, token))
    }
    return users
  }

  /// What the provider says to a refresh token, asked without a connector.
  private func isRevoked(_ token: Secret, in scene: Scene) async throws -> Bool {
    let fields = [
      ("grant_type", "refresh_token"), ("refresh_token", token.value), ("client_id", scene.tenant.clientID),
    ]
    let request = URLRequest(
      method: "POST", url: scene.tenant.origin.appendingPathComponent("token"),
      headers: ["Content-Type": "application/x-www-form-urlencoded"], body: Data(FormEncoding.encode(fields).utf8))
    return try await scene.network.answer(to: request).status == 400
  }

  private func signOutEvents(_ scene: Scene) -> Int { scene.events.values.count { $0.step == .signedOut } }

  @Test(
    "A sign-out shows nothing, and at Microsoft's authorities, which revoke nothing, it sends nothing",
    arguments: [true, false])
  func local(isRelaunched: Bool) async throws {
    let scene = Scene()
    let presenter = scene.script(.signIn(.alice))
    let connector = try await scene.signedIn(presenter: presenter)
    let before = scene.network.requestCount
    // The second time nobody is signed in, which is no error.
    for _ in 0..<2 { #expect(try await (isRelaunched ? scene.connector() : connector).signOut() == .notAsked) }
    #expect(scene.network.requestCount == before)
    #expect(presenter.requests.count == 1)
    #expect(try await scene.cache.keys().isEmpty)
    #expect(signOutEvents(scene) == 1)
  }

  @Test("Every refresh token is revoked, after the tokens are gone")
  func revoked() async throws {
    let scene = Scene(shape: .openIDConnect, holdsTime: true)
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(presenter: presenter)
    let tokens = try await signIn([.alice, .bob], in: scene, at: connector, presenter).map(\.token)
    let gate = TestGate()
    scene.tenant.faults = [LocalFault(on: .path("/revoke"), .wait(gate))]
    let signOut = Task { try await connector.signOut() }
    await gate.waitForArrivals(1)
    #expect(try await scene.cache.keys().isEmpty)
    #expect(try await connector.session == .signedOut)
    gate.open()
    #expect(try await signOut.value == .notAsked)
    for token in tokens { #expect(try await isRevoked(token, in: scene)) }
    let forms = scene.transport.requests.filter { $0.path.hasSuffix("/revoke") }.map(\.form)
    #expect(Set(forms.map { $0["token"] }) == Set(tokens.map(\.value)) && Set(tokens).count == 2)
    #expect(forms.allSatisfy { $0["client_id"] == scene.tenant.clientID && $0["token_type_hint"] == "refresh_token" })
    #expect(signOutEvents(scene) == 2)
    #expect(!tokens.contains { "\(scene.events.values)".contains($0.value) })
  }

  @Test("A sign-out of one user removes, revokes and reports that user alone; of a stranger, nobody")
  func oneUser() async throws {
    let scene = Scene(shape: .openIDConnect, holdsTime: true)
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(presenter: presenter)
    let users = try await signIn([.alice, .bob], in: scene, at: connector, presenter)
    try await connector.signOut(UserInfo(id: "nobody.nowhere"))
    #expect(signOutEvents(scene) == 0)
    // After a launch the metadata is fetched for it, once.
    let before = scene.network.requestCount
    try await scene.connector().signOut(UserInfo(id: users[0].id))
    #expect(scene.network.requestCount == before + 2 && signOutEvents(scene) == 1)
    #expect(try await connector.session.user?.id == users[1].id)
    #expect(try await isRevoked(users[0].token, in: scene))
    #expect(try await !isRevoked(users[1].token, in: scene))
  }

  /// What becomes of the request for a revocation.
  struct Revocation: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var isRelaunched = false
    /// How many requests reach the provider.
    let requests: Int
    let spoil: @Sendable (LocalTenant) -> Void

    static func status(_ status: Int) -> Revocation {
      Revocation(testDescription: "status \(status)", requests: 1) {
        $0.faults = [LocalFault(on: .path("/revoke"), .respond(LocalResponse(status: status)))]
      }
    }
  }

  static let revocations: [Revocation] = [
    .status(400), .status(401), .status(503),
    Revocation(testDescription: "offline", requests: 1) { $0.faults = [LocalFault(.offline)] },
    Revocation(testDescription: "offline, no metadata", isRelaunched: true, requests: 1) {
      $0.faults = [LocalFault(.offline)]
    },
    // A token is not sent to a plain http endpoint.
    Revocation(testDescription: "an http endpoint", isRelaunched: true, requests: 1) {
      $0.behavior.changeMetadata = { $0["revocation_endpoint"] = .string("http://contoso.example/revoke") }
    },
  ]

  @Test("Whatever becomes of the revocation, the sign-out is done, and it is not tried again", arguments: revocations)
  func unrevoked(_ revocation: Revocation) async throws {
    // The clock stands still, so no pause before a second try ends.
    let scene = Scene(shape: .openIDConnect, holdsTime: true)
    let connector = try await scene.signedIn()
    revocation.spoil(scene.tenant)
    let before = scene.network.requestCount
    #expect(try await (revocation.isRelaunched ? scene.connector() : connector).signOut() == .notAsked)
    #expect(scene.network.requestCount == before + revocation.requests)
    #expect(try await scene.cache.keys().isEmpty)
  }

  @Test("A server that does not answer is waited for 2 seconds", arguments: ["/revoke", "/openid-configuration"])
  func silent(path: String) async throws {
    let scene = Scene(shape: .openIDConnect, holdsTime: true)
    _ = try await scene.signedIn()
    let gate = TestGate()
    scene.tenant.faults = [LocalFault(on: .path(path), .wait(gate))]
    let connector = try scene.connector()
    let signOut = Task { try await connector.signOut() }
    await gate.waitForArrivals(1)
    await scene.clock.waitForSleepers()
    await scene.clock.advance(by: .seconds(2))
    #expect(try await signOut.value == .notAsked)
    gate.open()
  }

  @Test(
    "A record that cannot be removed keeps no other: the error names its user, whose token is not revoked",
    arguments: 0..<3)
  func stubbornRecord(_ position: Int) async throws {
    let cache = FailingCache()
    let scene = Scene(shape: .openIDConnect, cache: cache, holdsTime: true)
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(presenter: presenter)
    let carol = LocalUser(email: "carol@example.com", password: "Not-A-Secret-3", displayName: "Carol")
    let users = try await signIn([.alice, .bob, carol], in: scene, at: connector, presenter)
    try #require(Set(users.map(\.id)).count == 3)
    let stubborn = users[position].id
    cache.removeFailure.withLock { $0 = { $0.userID == stubborn ? ConnectorError(.tokenCache, "Locked.") : nil } }
    let error = try await #require(throws: ConnectorError.self) { try await connector.signOut() }
    #expect(error.code == .tokenCache && users.allSatisfy { error.message.contains($0.id) == ($0.id == stubborn) })
    #expect(try await cache.keys().map(\.userID) == [stubborn])
    #expect(try await connector.session.user?.id == stubborn)
    #expect(signOutEvents(scene) == 2)
    for user in users { #expect(try await isRevoked(user.token, in: scene) == (user.id != stubborn)) }
  }

  @Test("If the cache cannot be listed, a sign-out of all fails and nobody is signed out; one of a user needs no list")
  func unlistable() async throws {
    let cache = FailingCache()
    let scene = Scene(cache: cache)
    let connector = try scene.connector()
    let alice = try await connector.signIn()
    cache.failsToList.withLock { $0 = true }
    await expectError(ConnectorError.self, .tokenCache) { try await connector.signOut() }
    #expect(signOutEvents(scene) == 0)
    cache.failsToList.withLock { $0 = false }
    #expect(try await connector.session == .signedIn(alice.user))
    cache.failsToList.withLock { $0 = true }
    try await connector.signOut(alice.user)
    cache.failsToList.withLock { $0 = false }
    #expect(try await cache.keys().isEmpty)
  }

  @Test("A sign-out that has begun is finished, although its caller is cancelled", arguments: [true, false])
  func cancelled(endsBrowserSession: Bool) async throws {
    let cache = ObedientCache()
    let scene = Scene(cache: cache)
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(presenter: presenter)
    _ = try await signIn([.alice, .bob], in: scene, at: connector, presenter)
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
  func signOutOfEmptyDirectory() async throws {
    let place = FileManager.default.temporaryDirectory.appendingPathComponent("b2c-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: place) }
    let files = WatchedFileSystem()
    let scene = Scene(cache: try StoredTokenCache.process(at: place, files: files))
    files.fillDisk()
    try await scene.connector().signOut()
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.path).isEmpty)
  }
}
