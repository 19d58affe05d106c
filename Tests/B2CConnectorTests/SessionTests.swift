import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite("Session", .timeLimit(.minutes(1)))
struct SessionTests {
  /// Refuses every refresh for good.
  private func revoke(_ world: World) async throws {
    world.tenant.revokeGrants()
    await world.clock.advance(by: .seconds(4_000))
  }

  @Test("The session is signed out, signed in, expired; reading it shows and sends nothing")
  func states() async throws {
    let world = World()
    let presenter = world.script(.signIn(.alice))
    let connector = try world.connector(presenter: presenter)
    #expect(try await connector.session == .signedOut)
    #expect(try await connector.claims() == nil)
    #expect(presenter.requests.isEmpty && world.network.requestCount == 0)
    let user = try await connector.doPolicy(.signIn)
    let before = world.network.requestCount
    #expect(try await connector.session == .signedIn(user))
    #expect(try await connector.claims() == user)
    #expect(world.network.requestCount == before)
    try await revoke(world)
    #expect(try await connector.session == .signedIn(user))
    await #expect(throws: ConnectorError(.interactionRequired, "")) { try await connector.getTaskList() }
    #expect(try await connector.session == .expired(user))
    #expect(try await connector.claims() == nil)
    #expect(try await connector.oauth.currentAccount()?.hasSession == false)
    #expect(try await connector.accounts().map(\.hasSession) == [false])
    try await connector.signOut()
    #expect(try await connector.session == .signedOut)
    #expect(presenter.requests.count == 1)
  }

  @Test("Updates start with the present state and tell each change once")
  func updates() async throws {
    let world = World()
    let connector = try world.connector()
    var states = connector.sessionUpdates.makeAsyncIterator()
    #expect(await states.next() == .signedOut)
    let user = try await connector.doPolicy(.signIn)
    #expect(await states.next() == .signedIn(user))
    // Nothing changes, so nothing is told.
    _ = try await connector.getTaskList()
    try await revoke(world)
    _ = try? await connector.accessToken()
    _ = try? await connector.accessToken()
    #expect(await states.next() == .expired(user))
    let again = try await connector.doPolicy(.signIn, options: SignInOptions(prompt: .login))
    #expect(await states.next() == .signedIn(again))
    try await connector.signOut()
    #expect(await states.next() == .signedOut)
    var second = connector.sessionUpdates.makeAsyncIterator()
    #expect(await second.next() == .signedOut)
  }

  @Test("With the tutorial's three keys the default policy is the sign-in policy, for every call")
  func defaultPolicy() async throws {
    let world = World()
    var settings = try world.settings()
    settings.policies.facebookSignIn = try Policy(id: "B2C_1_FacebookSignIn", kind: .federatedSignIn)
    let connector = try world.connector(settings)
    #expect(connector.oauth.configuration.defaultPolicy?.id == "B2C_1_SignIn")
    #expect(try await connector.signIn().policyID == "B2C_1_SignIn")
    #expect(try await connector.claims()?.policyID == "B2C_1_SignIn")
    #expect(try await connector.doPolicy(.signIn).policyID == "B2C_1_SignIn")
  }

  @Test("A selected policy that signs in is the default of every call")
  func selectedPolicy() async throws {
    let world = World()
    var settings = try world.settings()
    settings.policies.selected = try Policy(id: "B2C_1_SignUpOrSignIn", kind: .signUpOrSignIn)
    let connector = try world.connector(settings)
    #expect(try await connector.signIn().policyID == "B2C_1_SignUpOrSignIn")
    #expect(try await connector.doPolicy(.signIn).policyID == "B2C_1_SignUpOrSignIn")
  }

  @Test("Signing one account out leaves the other")
  func oneAccount() async throws {
    let world = World()
    let presenter = world.script(.signIn(.alice))
    let connector = try world.connector(presenter: presenter)
    try await connector.signIn()
    let alice = try #require(try await connector.accounts().first)
    presenter.follow(.signIn(.bob))
    try await connector.signIn(options: SignInOptions(prompt: .login))
    let token = try await connector.accessToken(account: alice)
    #expect(token.accountID == alice.id)
    try await connector.signOut(alice)
    #expect(try await connector.accounts().map(\.username) == [LocalUser.bob.email])
  }
}
