import B2CCore
import B2CHTTP
import B2COAuth
import B2CTestKit
import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Sign-out")
struct SignOutTests {
  @Test("A local sign-out sends nothing and shows nothing")
  func local() async throws {
    let fixture = Fixture()
    let presenter = fixture.script(.signIn(.alice))
    let client = try fixture.client(presenter: presenter)
    try await client.signIn()
    let before = fixture.network.requestCount
    try await client.signOut()
    #expect(fixture.network.requestCount == before)
    #expect(presenter.requests.count == 1)
    #expect(try await fixture.cache.keys().isEmpty)
    #expect(fixture.events.values.last?.kind == .signedOut)
  }

  @Test("One account goes, the other stays")
  func one() async throws {
    let fixture = Fixture()
    let presenter = fixture.script(.signIn(.alice))
    let client = try fixture.client(presenter: presenter)
    let alice = try await client.signIn()
    presenter.follow(.signIn(.bob))
    try await client.signIn(prompt: .login)
    try await client.signOut(alice.account)
    #expect(try await client.accounts().map(\.username) == [LocalUser.bob.email])
  }

  @Test("A sign-out at the server carries the id_token, the client, the redirect and a state")
  func server() async throws {
    let fixture = Fixture()
    let presenter = fixture.script(.signIn(.alice))
    let client = try fixture.client(presenter: presenter)
    try await client.signIn()
    try await client.signOut(from: .server)
    let page = try #require(presenter.requests.last)
    #expect(page.purpose == .signOut)
    let parameters = query(of: page.url)
    #expect(parameters["p"] == Fixture.signIn)
    #expect(parameters["client_id"] == fixture.tenant.clientID)
    #expect(parameters["post_logout_redirect_uri"] == Fixture.redirect)
    #expect(parameters["id_token_hint"]?.split(separator: ".").count == 3)
    #expect(parameters["state"]?.isEmpty == false)
    #expect(fixture.tenant.sessionCount == 0)
  }

  @Test("The tokens are gone before the page opens, whatever becomes of it")
  func order() async throws {
    struct Failure: Error {}
    let fixture = Fixture()
    let seen = Recorder<Int>()
    let presenter = SwitchingPresenter(signIn: fixture.script(.signIn(.alice))) {
      seen.record(try await fixture.cache.keys().count)
      throw OAuthError(.presentationFailed, "No browser.")
    }
    let client = try fixture.client(presenter: presenter)
    try await client.signIn()
    await #expect(throws: OAuthError(.presentationFailed, "")) { try await client.signOut(from: .server) }
    #expect(seen.values == [0])
    #expect(try await fixture.cache.keys().isEmpty)
  }

  @Test("Closing the page is no error")
  func closing() async throws {
    let fixture = Fixture()
    let presenter = SwitchingPresenter(signIn: fixture.script(.signIn(.alice))) {
      throw OAuthError(.userClosedBrowser, "Closed.")
    }
    let client = try fixture.client(presenter: presenter)
    try await client.signIn()
    try await client.signOut(from: .server)
  }

  @Test("Without a network the local part is done all the same")
  func offline() async throws {
    let fixture = Fixture()
    let client = try fixture.client()
    try await client.signIn()
    await fixture.clock.advance(by: .seconds(90_000))
    fixture.transport.intercept { _ in throw TransportError(.cannotConnect, "Offline.") }
    let limited = try fixture.client { $0.retry = .none }
    await #expect(throws: OAuthError(.network, "")) { try await limited.signOut(from: .server) }
    #expect(try await fixture.cache.keys().isEmpty)
  }

  @Test("A cache that cannot be listed is an error, and what is known is removed all the same")
  func unlistable() async throws {
    let cache = FailingCache()
    let fixture = Fixture(cache: cache)
    let client = try fixture.client()
    try await client.signIn()
    cache.failsToList.withLock { $0 = true }
    await #expect(throws: OAuthError(.tokenCache, "")) { try await client.signOut() }
    cache.failsToList.withLock { $0 = false }
    #expect(try await cache.keys().isEmpty)
  }

  @Test("Only cookies of the authority's host are removed")
  func cookies() async throws {
    let fixture = Fixture()
    let storage = HTTPCookieStorage.shared
    func cookie(_ domain: String) throws -> HTTPCookie {
      try require(HTTPCookie(properties: [.name: "signout-test", .value: "x", .domain: domain, .path: "/"]))
    }
    let own = try cookie("contoso.b2clogin.com")
    let other = try cookie("signout-test.example")
    storage.setCookie(own)
    storage.setCookie(other)
    let client = try fixture.client()
    try await client.signOut()
    let left = (storage.cookies ?? []).filter { $0.name == "signout-test" }.map(\.domain)
    #expect(left == ["signout-test.example"])
    storage.deleteCookie(other)
  }

  @Test("Nobody signed in: a sign-out is no error")
  func nobody() async throws {
    try await Fixture().client().signOut()
  }
}

/// Signs in by one presenter and answers the sign-out page itself.
private struct SwitchingPresenter: SignInPresenter {
  let signIn: ScriptedPresenter
  let signOut: @Sendable () async throws -> Void

  init(signIn: ScriptedPresenter, signOut: @escaping @Sendable () async throws -> Void) {
    self.signIn = signIn
    self.signOut = signOut
  }

  func present(_ request: PresentationRequest) async throws -> URL {
    if request.purpose == .signOut { try await signOut() }
    return request.purpose == .signOut ? request.redirectURI : try await signIn.present(request)
  }
}
