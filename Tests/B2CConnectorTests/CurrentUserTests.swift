import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// Alice and then Bob sign in over one cache, each at a time that the device's clock shows.
struct TwoUsers {
  let scene: Scene
  let presenter: ScriptedPresenter
  var cache: any TokenCache { scene.cache }

  init(_ cache: any TokenCache = .memory()) {
    scene = Scene(dialect: .rest, cache: cache, limits: .standard)
    presenter = scene.script(.signIn(.alice))
  }

  /// A connector of a process of its own, if the cache is in a wrapper of its own.
  func connector(over cache: (any TokenCache)? = nil, userID: String? = nil) throws -> Connector {
    try scene.connector(scene.settings { $0.userID = userID }, presenter: presenter, cache: cache)
  }

  @discardableResult
  func signIn(_ user: LocalUser, at connector: Connector) async throws -> UserInfo {
    presenter.follow(.signIn(user))
    return try await connector.doPolicy(.signIn, options: SignInOptions(prompt: .login))
  }
}

/// Who is current changes only when somebody signs in or out: not because of a clock, and not because of an error.
@Suite("The current user", .hangLimit)
struct CurrentUserTests {
  @Test(
    "The latest sign-in is current although the clock was ahead at an earlier one, in every process and for hours",
    arguments: [30, 3_600, 28_800] as [TimeInterval])
  func clockAhead(_ seconds: TimeInterval) async throws {
    let stage = TwoUsers()
    let connector = try stage.connector()
    stage.scene.setBack.withLock { $0 = -seconds }
    try await stage.signIn(.alice, at: connector)
    stage.scene.setBack.withLock { $0 = 0 }
    // Another process signs Bob in: it looks at the records before its first sign-in.
    let other = try stage.connector(over: ForwardingCache(stage.cache))
    let bob = try await stage.signIn(.bob, at: other)
    for hours in [0, 1, 9] {
      await stage.scene.clock.advance(by: .seconds(hours * 3_600))
      for connector in [connector, other, try stage.connector(over: ForwardingCache(stage.cache))] {
        #expect(try await connector.session.user?.id == bob.id)
        #expect(try await connector.accessToken().userID == bob.id)
        #expect(try await connector.users().first?.id == bob.id)
      }
    }
  }

  @Test(
    "The latest sign-in is current although the clock was set back before it",
    arguments: [-1, -60, -86_400] as [TimeInterval])
  func clockBack(_ seconds: TimeInterval) async throws {
    let stage = TwoUsers()
    let connector = try stage.connector()
    try await stage.signIn(.alice, at: connector)
    stage.scene.setBack.withLock { $0 = -seconds }
    let bob = try await stage.signIn(.bob, at: connector)
    stage.scene.setBack.withLock { $0 = 0 }
    #expect(try await stage.connector(over: ForwardingCache(stage.cache)).session.user?.id == bob.id)
    #expect(try await connector.users().map(\.id).first == bob.id)
    // Nor does a clock that is set back afterwards switch the user.
    stage.scene.setBack.withLock { $0 = -seconds }
    #expect(try await connector.session.user?.id == bob.id)
    #expect(try await connector.accessToken().userID == bob.id)
  }

  @Test(
    "The current user is the first of the users, the others follow by their sign-ins, also at one instant",
    arguments: 0..<6)
  func order(_ number: Int) async throws {
    let stage = TwoUsers()
    let connector = try stage.connector()
    var ids: [String] = []
    for user in [LocalUser.alice, .bob, .alice, .bob, .alice].prefix(2 + number % 4) {
      let id = try await stage.signIn(user, at: connector).id
      ids.removeAll { $0 == id }
      ids.insert(id, at: 0)
    }
    #expect(try await connector.users().map(\.id) == ids)
    #expect(try await stage.connector(over: ForwardingCache(stage.cache)).users().map(\.id) == ids)
    #expect(try await connector.session.user?.id == ids.first)
  }

  @Test("The user whom the settings require is the first of the users, also after a later sign-in")
  func requiredIsFirst() async throws {
    let stage = TwoUsers()
    let alice = try await stage.signIn(.alice, at: stage.connector())
    try await stage.signIn(.bob, at: stage.connector())
    let forAlice = try stage.connector(userID: LocalUser.alice.email)
    #expect(try await forAlice.users().first?.id == alice.id)
    #expect(try await forAlice.session.user?.id == alice.id)
    #expect(try await forAlice.users().first?.id == alice.id)
  }

  @Test(
    "Of two sign-ins at the same moment the later one is current for every connector, whichever is stored last",
    arguments: [true, false])
  func sameMoment(isBobHeld: Bool) async throws {
    let cache = FailingCache()
    let stage = TwoUsers(cache)
    let (one, two) = (try stage.connector(), try stage.connector())
    let alice = try await stage.signIn(.alice, at: one)
    try await one.signOut()
    // The storing of one sign-in is held back until the other is done.
    let gate = TestGate()
    cache.storeGate.withLock { $0 = (isBobHeld ? 1 : 0, gate) }
    presenting(stage, .bob)
    async let bob = two.doPolicy(.signIn, options: SignInOptions(prompt: .login))
    if isBobHeld { await gate.waitForArrivals(1) } else { _ = try await bob }
    presenting(stage, .alice)
    async let again = one.doPolicy(.signIn, options: SignInOptions(prompt: .login))
    if !isBobHeld { _ = try await again } else { _ = try await again; gate.open() }
    _ = try await bob
    let latest = try #require(try await one.session.user)
    #expect(try await two.session.user?.id == latest.id)
    for connector in [one, two] { #expect(try await connector.accessToken().userID == latest.id) }
    #expect(try await stage.connector(over: ForwardingCache(cache)).session.user?.id == latest.id)
    #expect(latest.id == alice.id)
  }

  private func presenting(_ stage: TwoUsers, _ user: LocalUser) { stage.presenter.follow(.signIn(user)) }

  // MARK: Errors

  struct DriverError: Error {}
  static let errors: [(name: String, error: any Error & Sendable, lasts: Bool)] = [
    ("a driver's own", DriverError(), false), ("a lost connection", URLError(.networkConnectionLost), false),
    ("a passing one", ConnectorError(.tokenCache, "Locked.", isRetryable: true), false),
    ("a lasting one", ConnectorError(.tokenCache, "A newer form."), true),
    ("a cancellation", CancellationError(), false),
  ]

  @Test(
    "An error while the current user's record is read makes nobody else current", arguments: 0..<errors.count,
    [false, true])
  func unreadable(_ index: Int, isRelaunched: Bool) async throws {
    let (_, failure, lasts) = Self.errors[index]
    let cache = FailingCache()
    let stage = TwoUsers(cache)
    let first = try stage.connector()
    let alice = try await stage.signIn(.alice, at: first)
    let bob = try await stage.signIn(.bob, at: first)
    let connector = isRelaunched ? try stage.connector(over: ForwardingCache(cache)) : first
    cache.readFailure.withLock { $0 = { $0.userID == bob.id ? failure : nil } }
    let calls: [@Sendable () async throws -> Void] = [
      { _ = try await connector.addTask(TaskItem(itemName: "Bob's")) }, { _ = try await connector.getTaskList() },
      { _ = try await connector.session }, { _ = try await connector.accessToken() },
      { _ = try await connector.addTask(TaskItem(itemName: "Bob's, again")) },
    ]
    #expect(try await connector.users().map(\.id) == [alice.id])
    for call in calls {
      let error = await #expect(throws: ConnectorError.self) { try await call() }
      #expect(error?.code == .tokenCache && error?.isRetryable == !lasts && error?.needsInteraction == lasts)
    }
    #expect(stage.scene.tasks.tasks.isEmpty)
    // Who names a user is served.
    #expect(try await connector.accessToken(user: alice).userID == alice.id)
    cache.readFailure.withLock { $0 = { _ in nil } }
    #expect(try await connector.accessToken().userID == bob.id)
    #expect(try await connector.session.user?.id == bob.id)
  }

  @Test("A record that cannot be read does not hide the current user who can be", arguments: 0..<errors.count)
  func otherUnreadable(_ index: Int) async throws {
    let cache = FailingCache()
    let stage = TwoUsers(cache)
    let connector = try stage.connector()
    let alice = try await stage.signIn(.alice, at: connector)
    let bob = try await stage.signIn(.bob, at: connector)
    cache.readFailure.withLock { $0 = { $0.userID == alice.id ? Self.errors[index].error : nil } }
    #expect(try await connector.accessToken().userID == bob.id)
    // Another process may have signed her in again meanwhile: a look at all records that may pass says so.
    if Self.errors[index].lasts {
      #expect(try await connector.session.user?.id == bob.id)
    } else {
      await expectError(ConnectorError.self, .tokenCache) { _ = try await connector.session }
    }
    #expect(try await connector.accessToken().userID == bob.id)
  }

  enum WayOut: CaseIterable { case signIn, signOut, signOutOfAll }

  @Test("A sign-in and a sign-out end the trouble of a record that can never be read", arguments: WayOut.allCases)
  func wayOut(_ way: WayOut) async throws {
    let cache = FailingCache()
    let stage = TwoUsers(cache)
    let connector = try stage.connector()
    let alice = try await stage.signIn(.alice, at: connector)
    let bob = try await stage.signIn(.bob, at: connector)
    cache.readFailure.withLock { $0 = { $0.userID == bob.id ? ConnectorError(.tokenCache, "A newer form.") : nil } }
    await expectError(ConnectorError.self, .tokenCache) { _ = try await connector.session }
    switch way {
    case .signIn:
      try await stage.signIn(.alice, at: connector)
      #expect(try await connector.session.user?.id == alice.id)
      #expect(try await connector.accessToken().userID == alice.id)
    case .signOut:
      try await connector.signOut(bob)
      #expect(try await connector.session.user?.id == alice.id)
    case .signOutOfAll:
      try await connector.signOut()
      #expect(try await cache.keys().isEmpty)
    }
  }

  // MARK: The required user

  @Test(
    "A required user stays current when a refresh brings claims that no longer name the address",
    arguments: ["mail", "name"])
  func requiredStays(_ what: String) async throws {
    let stage = TwoUsers()
    let required = LocalUser.alice.email
    let connector = try stage.connector(userID: required)
    let alice = try await stage.signIn(.alice, at: connector)
    stage.scene.tenant.behavior.changeIDTokenClaims = { claims in
      claims = claims.filter { ["iss", "sub", "aud", "iat", "exp", "oid", "tid", "tfp", "acr"].contains($0.key) }
    }
    await stage.scene.clock.advance(by: .seconds(4_000))
    #expect(try await connector.accessToken().userID == alice.id)
    #expect(try await connector.session.user?.id == alice.id)
    #expect(try await connector.accessToken().userID == alice.id)
    #expect(
      try await stage.connector(over: ForwardingCache(stage.cache), userID: required).session.user?.id == alice.id)
    // It matched exactly this value, and no other.
    #expect(
      try await stage.connector(over: ForwardingCache(stage.cache), userID: LocalUser.bob.email).session == .signedOut)
    #expect(try await stage.connector(over: ForwardingCache(stage.cache), userID: required + "x").session == .signedOut)
  }
}
