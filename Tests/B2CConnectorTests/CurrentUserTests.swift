import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// Who is current changes only when somebody signs in or out, and not because of a clock or an error.
@Suite("The current user", .hangLimit)
struct CurrentUserTests {
  private let cache = FailingCache()
  private let stage: SignedInScene
  private var scene: Scene { stage.scene }
  private var connector: Connector { stage.connector }
  private var alice: UserInfo { stage.alice.user }

  init() async throws {
    stage = try await SignedInScene(Scene(dialect: .rest, cache: cache, limits: .standard), after: 0)
  }

  /// Expects a user to be current: for a call first, because the session and the list of users look at all records.
  private func expectCurrent(
    _ user: UserInfo, at connector: Connector, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    #expect(try await connector.accessToken().userID == user.id, sourceLocation: sourceLocation)
    #expect(try await connector.session.user?.id == user.id, sourceLocation: sourceLocation)
    #expect(try await connector.users().first?.id == user.id, sourceLocation: sourceLocation)
    #expect(try await connector.accessToken().userID == user.id, sourceLocation: sourceLocation)
  }

  // MARK: The order of sign-ins

  static let setBacks: [(atAlices: Double, atBobs: Double)] = [
    (-30, 0), (-3_600, 0), (-28_800, 0), (0, 1), (0, 60), (0, 86_400),
  ]

  @Test("The latest sign-in is current in every process, whatever the clocks said", arguments: setBacks, [false, true])
  func clocks(_ setBack: (atAlices: Double, atBobs: Double), isElsewhere: Bool) async throws {
    scene.setBack.withLock { $0 = setBack.atAlices }
    try await stage.signIn()
    scene.setBack.withLock { $0 = setBack.atBobs }
    let other = try stage.other(isElsewhere: isElsewhere)
    let bob = try await stage.signIn(.bob, at: other).user
    for (hours, setBack) in [(0, 0.0), (1, 0), (9, 0), (0, 86_400)] {
      await scene.clock.advance(by: .seconds(hours * 3_600))
      scene.setBack.withLock { $0 = setBack }
      for connector in [connector, other, try stage.other()] {
        #expect(try await connector.users().first?.id == bob.id)
        try await expectCurrent(bob, at: connector)
      }
    }
  }

  @Test("The users are ordered by their sign-ins, the latest first, also within one millisecond")
  func order() async throws {
    var ids = [alice.id]
    for user in [LocalUser.bob, .alice, .bob, .alice] {
      let latest = try await stage.signIn(user).user
      ids = [latest.id] + ids.filter { $0 != latest.id }
      try await expectCurrent(latest, at: connector)
      for connector in [connector, try stage.other()] { #expect(try await connector.users().map(\.id) == ids) }
    }
  }

  @Test("Of two sign-ins at the same moment the later one is current, although the earlier one is stored last")
  func sameMoment() async throws {
    let (two, gate) = (try stage.other(isElsewhere: false), TestGate())
    try await connector.signOut()
    cache.storeGate.withLock { $0 = gate }
    stage.presenter.follow(.signIn(.bob))
    async let bob = two.signIn(options: SignInOptions(prompt: .login))
    await gate.waitForArrivals(1)
    stage.presenter.follow(.signIn(.alice))
    try await connector.signIn(options: SignInOptions(prompt: .login))
    gate.open()
    _ = try await bob
    for connector in [connector, two, try stage.other()] { try await expectCurrent(alice, at: connector) }
  }

  @Test("A look-up that a sign-in has overtaken does not make the earlier user current again")
  func overtaken() async throws {
    let (other, gate) = (try stage.other(), TestGate())
    cache.readGate.withLock { $0 = gate }
    let slow = Task { try await other.accessToken() }
    await gate.waitForArrivals(1)
    cache.readGate.withLock { $0 = nil }
    let bob = try await stage.signIn(.bob, at: other)
    gate.open()
    _ = try await slow.value
    #expect(try await other.accessToken().token == bob.accessToken?.token)
    #expect(try await other.session.user?.id == bob.user.id)
  }

  @Test("A sign-in makes its user current at connectors over the same cache that require another user or none")
  func otherSettings() async throws {
    #expect(try await connector.accessToken().userID == alice.id)
    let forBob = try stage.other(isElsewhere: false, userID: LocalUser.bob.email)
    let bob = try await stage.signIn(.bob, at: forBob).user
    #expect(try await connector.accessToken().userID == bob.id)
  }

  // MARK: Errors

  struct DriverError: Error {}
  static let errors: [(error: any Error & Sendable, lasts: Bool)] = [
    (DriverError(), false), (URLError(.networkConnectionLost), false), (CancellationError(), false),
    (ConnectorError(.tokenCache, "Locked.", isRetryable: true), false),
    (ConnectorError(.tokenCache, "A newer form."), true), (ConnectorError(.other, "Not one of ours."), true),
    (DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "Half a record.")), true),
  ]

  private func failReads(of user: UserInfo, _ error: (any Error & Sendable)?) {
    cache.readFailure.withLock { $0 = { $0.userID == user.id ? error : nil } }
  }

  @Test("An error while the current user's record is read makes nobody else current", arguments: errors, [false, true])
  func currentUnreadable(_ row: (error: any Error & Sendable, lasts: Bool), isRelaunched: Bool) async throws {
    let bob = try await stage.signIn(.bob).user
    failReads(of: bob, row.error)
    let connector = isRelaunched ? try stage.other() : connector
    let calls: [@Sendable () async throws -> Void] = [
      { _ = try await connector.addTask(TaskItem(itemName: "Bob's")) }, { _ = try await connector.getTaskList() },
      { _ = try await connector.session }, { _ = try await connector.accessToken() },
      { _ = try await connector.addTask(TaskItem(itemName: "Bob's, again")) },
    ]
    #expect(try await connector.users().map(\.id) == [alice.id])
    for call in calls {
      let error = await #expect(throws: ConnectorError.self) { try await call() }
      #expect(error?.code == .tokenCache && error?.isRetryable == !row.lasts && error?.needsInteraction == row.lasts)
    }
    #expect(scene.tasks.tasks.isEmpty)
    #expect(try await connector.accessToken(user: alice).userID == alice.id)
    failReads(of: bob, nil)
    try await expectCurrent(bob, at: connector)
  }

  @Test("A record that cannot be read does not hide the current user", arguments: errors)
  func otherUnreadable(_ row: (error: any Error & Sendable, lasts: Bool)) async throws {
    let bob = try await stage.signIn(.bob).user
    failReads(of: alice, row.error)
    #expect(try await connector.accessToken().userID == bob.id)
    // Another process may have signed Alice in again, which the next look at her record may show.
    if row.lasts {
      #expect(try await connector.session.user?.id == bob.id)
    } else {
      await expectError(ConnectorError.self, .tokenCache) { _ = try await connector.session }
    }
    #expect(try await connector.accessToken().userID == bob.id)
  }

  @Test("A cache in which no record can be read is not empty", arguments: [true, false])
  func nothingReadable(isRetryable: Bool) async throws {
    let connector = try stage.other()
    cache.readFailure.withLock { $0 = { _ in ConnectorError(.tokenCache, "Locked.", isRetryable: isRetryable) } }
    await expectError(ConnectorError.self, .tokenCache) { try await connector.accessToken() }
    await expectError(ConnectorError.self, .tokenCache) { try await connector.users() }
  }

  enum WayOut: CaseIterable { case signIn, signInOfOwner, signOut, signOutOfAll }

  @Test("A sign-in and a sign-out resolve a record that can never be read", arguments: WayOut.allCases)
  func wayOut(_ way: WayOut) async throws {
    let bob = try await stage.signIn(.bob).user
    failReads(of: bob, ConnectorError(.tokenCache, "A newer form."))
    await expectError(ConnectorError.self, .tokenCache) { _ = try await connector.session }
    switch way {
    case .signIn:
      try await stage.signIn()
      try await expectCurrent(alice, at: connector)
    case .signInOfOwner:
      let again = try await stage.signIn(.bob)
      failReads(of: bob, nil)
      #expect(try await connector.accessToken().token == again.accessToken?.token)
    case .signOut:
      try await connector.signOut(bob)
      #expect(try await connector.session.user?.id == alice.id)
    case .signOutOfAll:
      try await connector.signOut()
      #expect(try await cache.keys().isEmpty)
    }
  }

  // MARK: The required user

  @Test("If the settings require a user, nobody else is current and the user is the first of users()")
  func required() async throws {
    let forBob = try stage.other(isElsewhere: false, userID: LocalUser.bob.email)
    await expectError(ConnectorError.self, .interactionRequired) { try await forBob.accessToken() }
    #expect(try await forBob.session == .signedOut)
    try await stage.signIn(.bob)
    let forAlice = try stage.other(isElsewhere: false, userID: LocalUser.alice.email.uppercased())
    try await expectCurrent(alice, at: forAlice)
    #expect(try await forAlice.accessToken().token == stage.alice.accessToken?.token)
  }

  @Test("A required user stays current when the claims of a refresh no longer name the address, for this address alone")
  func requiredStays() async throws {
    let required = LocalUser.alice.email
    let connector = try stage.other(isElsewhere: false, userID: required)
    try await stage.signIn(at: connector)
    scene.tenant.behavior.changeIDTokenClaims = { claims in
      claims = claims.filter { ["iss", "sub", "aud", "iat", "exp", "oid", "tid", "tfp", "acr"].contains($0.key) }
    }
    await scene.expire()
    for connector in [connector, try stage.other(userID: required)] {
      try await expectCurrent(alice, at: connector)
    }
    for userID in [LocalUser.bob.email, required + "x"] {
      #expect(try await stage.other(userID: userID).session == .signedOut)
    }
  }
}
