import B2CConnector
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
  /// Holds the response to a refresh back.
  private let gate = TestGate()

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

  private func signIn(_ user: LocalUser, _ connector: Connector) async throws -> UserInfo {
    presenter.clearCookies()
    presenter.follow(.signIn(user))
    return try await connector.signIn().user
  }

  /// Starts a refresh by a connector, after the access tokens have expired, whose response the gate holds back.
  private func heldRefresh(_ connector: Connector) async -> Task<AccessToken, any Error> {
    await scene.expire()
    scene.tenant.faults = [LocalFault(on: .tokenRefresh, times: 1, .holdAnswer(gate))]
    let refresh = Task { try await connector.accessToken() }
    await gate.waitForArrivals(1)
    return refresh
  }

  @Test("They use a refresh token once, and the session goes on", arguments: CacheKind.allCases)
  func oneRefresh(_ kind: CacheKind) async throws {
    let (one, two) = try connectors(kind)
    _ = try await signIn(.alice, one)
    let first = await heldRefresh(one)
    let second = Task { try await two.accessToken() }
    await yieldOften()
    gate.open()
    #expect(try await first.value.token == second.value.token)
    #expect(scene.tenant.counters.refreshRequests == 1)
    await scene.expire()
    _ = try await two.accessToken()
    scene.expectRefreshes(2)
  }

  @Test(
    "The refresh of one undoes neither a sign-out by the other nor the sign-in of another user after it",
    arguments: CacheKind.allCases)
  func signOutWins(_ kind: CacheKind) async throws {
    let (one, two) = try connectors(kind)
    let alice = try await signIn(.alice, one)
    let refresh = await heldRefresh(two)
    try await one.signOut()
    #expect(try await two.session == .signedOut)
    let bob = try await signIn(.bob, one)
    gate.open()
    await expectError(ConnectorError.self, .interactionRequired) { try await refresh.value }
    for connector in [one, two] {
      #expect(try await connector.users() == [bob])
      #expect(try await connector.session == .signedIn(bob))
    }
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

  @Test("While a sign-out removes several users, another process sees the current one until all are removed")
  func signOutOfSeveral() async throws {
    for people in [[LocalUser.alice, .bob], [.bob, .alice]] {
      let (seen, look) = (Recorder<SessionState>(), Locked<Connector?>(nil))
      let cache = HookedCache { call in
        if call == "remove", let other = look.withLock({ $0 }) { seen.record(try await other.session) }
      }
      let connector = try scene.connector(presenter: presenter, cache: cache)
      _ = try await signIn(people[0], connector)
      let last = try await signIn(people[1], connector)
      let other = try scene.connector(presenter: presenter, cache: ForwardingCache(cache))
      look.withLock { $0 = other }
      try await connector.signOut()
      #expect(seen.values == [.signedIn(last), .signedIn(last)])
      #expect(try await other.session == .signedOut)
    }
  }
}
