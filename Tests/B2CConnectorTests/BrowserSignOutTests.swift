import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// The page of a sign-out: what its URL says, and what is known of the browser's session afterwards.
@Suite("The page of a sign-out", .hangLimit)
struct BrowserSignOutTests {
  /// A scene, and a connector at which Alice has signed in and whose sign-out page is shown by the test.
  private func signedIn(
    holdsTime: Bool = false, _ page: @escaping @Sendable (PresentationRequest) async throws -> URL
  ) async throws -> (Scene, Connector) {
    let scene = Scene(holdsTime: holdsTime)
    let presenter = SignOutPresenter(scene.script(.signIn(.alice)), signOut: page)
    return (scene, try await scene.signedIn(presenter: presenter))
  }

  @Test("The page's URL carries the client, the redirect and a state, and the id_token only when asked to")
  func parameters() async throws {
    let scene = Scene()
    let presenter = scene.script(.signIn(.alice))
    let connector = try await scene.signedIn(presenter: presenter)
    #expect(try await connector.signOut(endsBrowserSession: true) == .returned)
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

  @Test("The tokens are gone before the page opens, whatever becomes of it")
  func order() async throws {
    let scene = Scene()
    let seen = Recorder<Int>()
    let presenter = SignOutPresenter(scene.script(.signIn(.alice))) { _ in
      seen.record(try await scene.cache.keys().count)
      throw ConnectorError(.presentationFailed, "No browser.")
    }
    let connector = try await scene.signedIn(presenter: presenter)
    await expectError(ConnectorError.self, .presentationFailed) {
      try await connector.signOut(endsBrowserSession: true)
    }
    #expect(seen.values == [0])
    #expect(try await scene.cache.keys().isEmpty)
  }

  @Test("Without a network the local part is done all the same")
  func offline() async throws {
    let scene = Scene()
    _ = try await scene.signedIn(after: 90_000)
    scene.transport.intercept { _ in throw URLError(.cannotConnectToHost) }
    let connector = try scene.connector { $0.retry = .none }
    await expectError(ConnectorError.self, .network) { try await connector.signOut(endsBrowserSession: true) }
    #expect(try await scene.cache.keys().isEmpty)
  }

  @Test("Closing the page is no error, and confirms nothing")
  func closed() async throws {
    let (_, connector) = try await signedIn { _ in throw ConnectorError(.userClosedBrowser, "Closed.") }
    #expect(try await connector.signOut(endsBrowserSession: true) == .notReturned)
  }

  @Test(
    "A callback that any program could make confirms nothing",
    arguments: ["", "?state=another", "?state=STATE&error=server_error", "?code=old&state=old"])
  func anotherCallback(_ query: String) async throws {
    let (_, connector) = try await signedIn { request in
      try url(request.redirectURI.absoluteString + query.replacing("STATE", with: request.state.value))
    }
    #expect(try await connector.signOut(endsBrowserSession: true) == .notReturned)
  }

  @Test("A browser that does not come back is not waited for longer than a minute")
  func timeout() async throws {
    let gate = TestGate()
    let (scene, connector) = try await signedIn(holdsTime: true) { request in
      try await gate.wait()
      return request.redirectURI
    }
    let signOut = Task { try await connector.signOut(endsBrowserSession: true) }
    await gate.waitForArrivals(1)
    await scene.clock.waitForSleepers()
    await scene.clock.advance(by: .seconds(60))
    #expect(try await signOut.value == .notReturned)
  }

  @Test("A presenter that ignores its cancellation does not make a sign-out longer", arguments: [true, false])
  func stubbornPresenter(isTimeUp: Bool) async throws {
    let closed = TestGate()
    let (scene, connector) = try await signedIn(holdsTime: true) { request in
      // A task of its own knows nothing of the cancellation.
      try await Task { try await closed.wait() }.value
      return request.redirectURI
    }
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
}
