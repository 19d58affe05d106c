import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite("Session", .hangLimit)
struct ConnectorSessionTests {
  /// Refuses every refresh for good.
  private func revoke(_ scene: Scene) async throws {
    scene.tenant.revokeGrants()
    await scene.clock.advance(by: .seconds(4_000))
  }

  @Test("The session is signed out, signed in, expired; reading it shows and sends nothing")
  func states() async throws {
    let scene = Scene()
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(presenter: presenter)
    #expect(try await connector.session == .signedOut)
    #expect(presenter.requests.isEmpty && scene.network.requestCount == 0)
    let user = try await connector.doPolicy(.signIn)
    let before = scene.network.requestCount
    #expect(try await connector.session == .signedIn(user))
    #expect(scene.network.requestCount == before)
    try await revoke(scene)
    #expect(try await connector.session == .signedIn(user))
    await expectError(ConnectorError.self, .interactionRequired) { try await connector.getTaskList() }
    #expect(try await connector.session == .expired(user.expired))
    #expect(try await connector.users().map(\.hasSession) == [false])
    try await connector.signOut()
    #expect(try await connector.session == .signedOut)
    #expect(presenter.requests.count == 1)
  }

  @Test("A session that the server has ended is expired at once, whatever the id_token's time")
  func revokedAtOnce() async throws {
    let scene = Scene()
    let connector = try scene.connector()
    let user = try await connector.doPolicy(.signIn)
    var states = connector.sessionUpdates.makeAsyncIterator()
    #expect(await states.next() == .signedIn(user))
    scene.tenant.revokeGrants()
    await expectError(ConnectorError.self, .interactionRequired) {
      try await connector.accessToken(forceRefresh: true)
    }
    try #require(try await connector.session == .expired(user.expired))
    #expect(await states.next() == .expired(user.expired))
  }

  @Test("Updates start with the present state and tell each change once")
  func updates() async throws {
    let scene = Scene()
    let connector = try scene.connector()
    var states = connector.sessionUpdates.makeAsyncIterator()
    #expect(await states.next() == .signedOut)
    let user = try await connector.doPolicy(.signIn)
    #expect(await states.next() == .signedIn(user))
    // Nothing changes, so nothing is told.
    _ = try await connector.getTaskList()
    try await revoke(scene)
    _ = try? await connector.accessToken()
    _ = try? await connector.accessToken()
    #expect(await states.next() == .expired(user.expired))
    let again = try await connector.doPolicy(.signIn, options: SignInOptions(prompt: .login))
    #expect(await states.next() == .signedIn(again))
    try await connector.signOut()
    #expect(await states.next() == .signedOut)
    var second = connector.sessionUpdates.makeAsyncIterator()
    #expect(await second.next() == .signedOut)
  }

  @Test("A refresh is no new state; a changed claim about the user is")
  func refreshesAreNotTold() async throws {
    let scene = Scene()
    let connector = try scene.connector()
    let user = try await connector.doPolicy(.signIn)
    var states = connector.sessionUpdates.makeAsyncIterator()
    #expect(await states.next() == .signedIn(user))
    for name in [user.name, user.name, "Renamed"] {
      scene.tenant.behavior.changeIDTokenClaims = { claims in
        claims["name"] = name.map(JSONValue.string)
        // Entra ID writes others into each id_token.
        for claim in ["aio", "rh", "uti"] { claims[claim] = .string(UUID().uuidString) }
      }
      await scene.clock.advance(by: .seconds(4_000))
      _ = try await connector.accessToken()
      // The id_token of the refresh has been looked at.
      #expect(try await connector.fetchUserInfo().name == name)
      for _ in 0..<100 { await Task.yield() }
    }
    guard case .signedIn(let renamed) = await states.next() else {
      Issue.record("The session counts as ended.")
      return
    }
    #expect(renamed.name == "Renamed")
  }

  @Test("What another process did is told to observers when the session is read")
  func otherProcess() async throws {
    let scene = Scene()
    let store = FourMethodCache()
    let connector = try scene.connector(cache: ForwardingCache(store))
    let user = try await connector.doPolicy(.signIn)
    var states = connector.sessionUpdates.makeAsyncIterator()
    #expect(await states.next() == .signedIn(user))
    let other = try scene.connector(cache: ForwardingCache(store))
    try await revoke(scene)
    _ = try? await other.accessToken()
    #expect(try await connector.session == .expired(user.expired))
    #expect(await states.next() == .expired(user.expired))
    try await other.signOut()
    #expect(try await connector.session == .signedOut)
    #expect(await states.next() == .signedOut)
  }

  @Test("A session that has ended gives way to a newer one of the same user that another process began")
  func newerSessionElsewhere() async throws {
    let scene = Scene()
    let store = FourMethodCache()
    let connector = try scene.connector(cache: ForwardingCache(store))
    try await connector.doPolicy(try Policy("B2C_1_SignUpOrSignIn"))
    let person = try #require(try await connector.users().first)
    try await revoke(scene)
    let user = try await scene.connector(cache: ForwardingCache(store)).doPolicy(.signIn)
    _ = try await connector.accessToken(user: person)
    #expect(try await connector.session == .signedIn(user))
    // A newer one of another person is no way out.
    try await revoke(scene)
    try await scene.connector(presenter: scene.script(.signIn(.bob)), cache: ForwardingCache(store)).doPolicy(.signIn)
    await expectError(ConnectorError.self, .interactionRequired) {
      try await connector.accessToken(user: person)
    }
  }

  @Test("A sign-out is told before the page of the server is closed")
  func updateBeforeThePage() async throws {
    let scene = Scene()
    let gate = TestGate()
    let presenter = SignOutPresenter(scene.script(.signIn(.alice))) { _ in
      try await gate.wait()
      throw ConnectorError(.userClosedBrowser, "Closed.")
    }
    let connector = try scene.connector(presenter: presenter)
    var states = connector.sessionUpdates.makeAsyncIterator()
    #expect(await states.next() == .signedOut)
    let user = try await connector.doPolicy(.signIn)
    #expect(await states.next() == .signedIn(user))
    let signingOut = Task { try await connector.signOut(endsBrowserSession: true) }
    await gate.waitForArrivals(1)
    #expect(await states.next() == .signedOut)
    gate.open()
    _ = try await signingOut.value
  }

  @Test("Once neither token can be used any more, the session has expired, though no server has said so")
  func expiredRefreshToken() async throws {
    let scene = Scene()
    scene.tenant.behavior.changeTokenAnswer = { $0["refresh_token_expires_in"] = 5_000 }
    let connector = try scene.connector()
    let user = try await connector.doPolicy(.signIn)
    await scene.clock.advance(by: .seconds(4_999))
    #expect(try await connector.session == .signedIn(user))
    await scene.clock.advance(by: .seconds(1))
    #expect(try await connector.session == .expired(user.expired))
    #expect(try await connector.users().first?.hasSession == false)
    // This device's clock may be wrong: the server is asked all the same.
    _ = try await connector.accessToken()
    #expect(try await connector.session.user?.hasSession == true)
  }

  @Test("A session that ended elsewhere is told at the next call", arguments: [true, false])
  func endedElsewhere(isSignOut: Bool) async throws {
    let scene = Scene()
    let cache = InMemoryTokenCache()
    let connector = try scene.connector(cache: cache)
    var states = connector.sessionUpdates.makeAsyncIterator()
    #expect(await states.next() == .signedOut)
    let user = try await connector.doPolicy(.signIn)
    #expect(await states.next() == .signedIn(user))
    let other = try scene.connector(cache: cache)
    if isSignOut {
      try await other.signOut()
    } else {
      try await revoke(scene)
      _ = try? await other.accessToken()
    }
    await expectError(ConnectorError.self, .interactionRequired) { try await connector.accessToken() }
    #expect(await states.next() == (isSignOut ? .signedOut : .expired(user.expired)))
  }

  @Test("A session without a refresh token that has expired is told at the next call")
  func noRefreshToken() async throws {
    let scene = Scene()
    scene.tenant.behavior.changeTokenAnswer = { $0["refresh_token"] = nil }
    let connector = try scene.connector()
    let user = try await connector.doPolicy(.signIn)
    var states = connector.sessionUpdates.makeAsyncIterator()
    #expect(await states.next() == .signedIn(user))
    await scene.clock.advance(by: .seconds(4_000))
    await expectError(ConnectorError.self, .interactionRequired) { try await connector.accessToken() }
    #expect(await states.next() == .expired(user.expired))
  }

  static let defaults: [(policies: [Policy.Kind], selected: Policy.Kind?, expected: Policy.Kind?)] = [
    ([.signIn], .signUpOrSignIn, .signUpOrSignIn), ([.signIn], .federatedSignIn, .federatedSignIn),
    ([.signIn, .federatedSignIn], nil, .signIn), ([.federatedSignIn, .signUpOrSignIn], nil, .signUpOrSignIn),
    // Whatever else there is: one that edits a profile or resets a password is no way in.
    ([.signIn], .profileEdit, .signIn), ([.federatedSignIn], .passwordReset, .federatedSignIn),
    ([.profileEdit, .passwordReset, .federatedSignIn], nil, .federatedSignIn),
    ([.profileEdit, .signUp], .passwordReset, .signUp), ([.profileEdit, .passwordReset], nil, nil),
    ([], .passwordReset, nil),
  ]

  @Test("There is one default policy for every call, and it signs in", arguments: defaults.indices)
  func oneDefault(_ index: Int) async throws {
    let row = Self.defaults[index]
    func policy(_ kind: Policy.Kind) throws -> Policy { try Policy(id: "B2C_1_" + kind.rawValue, kind: kind) }
    let signsIn: [Policy.Kind] = [.signIn, .signUpOrSignIn, .federatedSignIn, .signUp]
    // As many policies as there are kinds, each with a page to sign in.
    let kinds = signsIn + [.profileEdit, .passwordReset]
    let scene = Scene(policies: kinds.map { LocalPolicy("B2C_1_" + $0.rawValue, .signUpOrSignIn) })
    var settings = try scene.settings()
    settings.policies = .init(others: try row.policies.map(policy), selected: try row.selected.map(policy))
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(settings, presenter: presenter)
    let expected = try row.expected.map(policy)
    guard let expected else {
      await expectError(ConnectorError.self, .configuration, saying: "name no policy") {
        try await connector.doPolicy(.signIn)
      }
      await expectError(ConnectorError.self, .configuration) { try await connector.signIn() }
      #expect(presenter.requests.isEmpty)
      return
    }
    #expect(try await connector.signIn().user.policyID == expected.id)
    #expect(try await connector.fetchUserInfo().policyID == expected.id)
    #expect(try await connector.doPolicy(.signIn).policyID == expected.id)
  }

  @Test("A policy in the authority's text is the default where the settings name none")
  func authorityDefault() async throws {
    let scene = Scene()
    var settings = try scene.settings(form: .path)
    settings.policies = .init()
    let connector = try scene.connector(settings)
    #expect(try await connector.doPolicy(.signIn).policyID == "B2C_1_SignIn")
    #expect(try await connector.signIn().user.policyID == "B2C_1_SignIn")
  }
}

extension UserInfo {
  /// The same user once the session has expired.
  fileprivate var expired: UserInfo { UserInfo(id: id, claims: claims, policyID: policyID) }
}
