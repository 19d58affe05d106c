import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// Two connectors over one token cache of every kind, each of which knows what the other does.
@Suite("Two connectors over one token cache", .hangLimit)
struct TwoConnectorsTests {
  private let directory: TemporaryDirectory
  private let scene = Scene()
  private let presenter: ScriptedPresenter

  init() throws {
    directory = try TemporaryDirectory()
    presenter = scene.script(.signIn(.alice))
  }

  private func connectors(_ kind: CacheKind) throws -> (one: Connector, two: Connector) {
    let caches = try kind.make(in: directory.url)
    // A wait for a lock ends by the test alone, however slow the machine is.
    let waits = TestClock(advancesItself: false)
    return (
      try scene.connector(presenter: presenter, cache: caches.one, waitingOn: waits),
      try scene.connector(presenter: presenter, cache: caches.two, waitingOn: waits)
    )
  }

  private func signIn(
    _ user: LocalUser, _ connector: Connector, policy: String = Scene.signIn
  ) async throws -> UserInfo {
    presenter.clearCookies()
    presenter.follow(.signIn(user))
    return try await connector.doPolicy(Policy(policy))
  }

  @Test("They use a refresh token once, and the session goes on", arguments: CacheKind.allCases)
  func oneRefresh(_ kind: CacheKind) async throws {
    let (one, two) = try connectors(kind)
    _ = try await signIn(.alice, one)
    await scene.expire()
    let gate = TestGate()
    scene.tenant.faults = [LocalFault(on: .tokenRefresh, times: 1, .holdAnswer(gate))]
    let first = Task { try await one.accessToken().token }
    await gate.waitForArrivals(1)
    let second = Task { try await two.accessToken().token }
    await yieldOften()
    gate.open()
    #expect(try await first.value == second.value)
    #expect(scene.tenant.counters.refreshRequests == 1)
    await scene.expire()
    _ = try await two.accessToken()
    scene.expectRefreshes(2)
  }

  @Test("The refresh of one does not undo a sign-out of the other", arguments: CacheKind.allCases)
  func signOutWins(_ kind: CacheKind) async throws {
    let (one, two) = try connectors(kind)
    let alice = try await signIn(.alice, one)
    await scene.expire()
    let gate = TestGate()
    scene.tenant.faults = [LocalFault(on: .tokenRefresh, times: 1, .holdAnswer(gate))]
    let refresh = Task { try await two.accessToken() }
    await gate.waitForArrivals(1)
    try await one.signOut()
    gate.open()
    await expectError(ConnectorError.self, .interactionRequired) { try await refresh.value }
    #expect(try await one.users().isEmpty)
    #expect(try await two.session == .signedOut)
    await expectError(ConnectorError.self, .interactionRequired) { try await two.accessToken(user: alice) }
  }

  @Test("A sign-in by one is found by the session and users() of the other", arguments: CacheKind.allCases)
  func newUser(_ kind: CacheKind) async throws {
    let (one, two) = try connectors(kind)
    let alice = try await signIn(.alice, one)
    _ = try await two.getTaskList()
    var states = two.sessionUpdates.makeAsyncIterator()
    #expect(await states.next() == .signedIn(alice))
    await scene.clock.advance(by: .seconds(1))
    let bob = try await signIn(.bob, one)
    if kind.isOneObject {
      #expect(await states.next() == .signedIn(bob))
      try await two.addTask(TaskItem(itemName: "Of Bob"))
      #expect(try await one.getTaskList().map(\.itemName) == ["Of Bob"])
    }
    #expect(try await two.session == .signedIn(bob))
    #expect(try await two.users().first == bob)
    if !kind.isOneObject { #expect(await states.next() == .signedIn(bob)) }
    try await one.signOut()
    if kind.isOneObject { #expect(await states.next() == .signedOut) }
    #expect(try await two.session == .signedOut)
  }

  @Test("A session that ended in one goes on when the user signs in by the other", arguments: CacheKind.allCases)
  func endedAndSignedInAgain(_ kind: CacheKind) async throws {
    let (one, two) = try connectors(kind)
    let bob = try await signIn(.bob, one, policy: "B2C_1_SignUpOrSignIn")
    scene.tenant.revokeGrants()
    await scene.expire()
    await expectError(ConnectorError.self, .interactionRequired) { try await one.getTaskList() }
    let again = try await signIn(.bob, two)
    _ = try await one.accessToken(user: UserInfo(id: bob.id))
    _ = try await one.getTaskList()
    #expect(try await one.session == .signedIn(again))
  }

  @Test("While a sign-out removes several users, another process sees the current one until all are removed")
  func signOutOfSeveral() async throws {
    for people in [[LocalUser.alice, .bob], [.bob, .alice]] {
      let (seen, look) = (Recorder<SessionState>(), Locked<Connector?>(nil))
      let cache = HookedCache { call in
        if call == "remove", let other = look.withLock({ $0 }) { seen.record(try await other.session) }
      }
      let connector = try scene.connector(presenter: presenter, cache: cache)
      var last: UserInfo?
      for person in people { last = try await signIn(person, connector) }
      let other = try scene.connector(presenter: presenter, cache: ForwardingCache(cache))
      look.withLock { $0 = other }
      try await connector.signOut()
      let user = try #require(last)
      #expect(seen.values == [.signedIn(user), .signedIn(user)])
      #expect(try await other.session == .signedOut)
    }
  }
}
