import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

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
