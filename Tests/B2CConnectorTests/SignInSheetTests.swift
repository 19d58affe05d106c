import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// Sign-ins whose sheets get in each other's way, on a screen that behaves as Apple's.
@Suite("No sheet blocks another sign-in", .hangLimit) @MainActor
struct SignInSheetTests {
  typealias SignIn = Task<UserInfo, any Error>

  /// The clock that sheets are replaced by, which a test moves; the connector's own clock stands still.
  let clock = TestClock(advancesItself: false)
  let scene = Scene()
  let screen = FakeScreen()
  let pages: OpenPages
  private let connector: Connector

  init() throws {
    pages = OpenPages(clock: clock)
    connector = try Self.connector(scene, SheetPresenter(screen, pages: pages))
  }

  private static func connector(_ scene: Scene, _ presenter: any SignInPresenter) throws -> Connector {
    try scene.connector(
      scene.tenant.settings(), presenter: presenter, waitingOn: TestClock(advancesItself: false))
  }

  private func signIn(_ other: Connector? = nil) -> SignIn {
    Task { try await (other ?? connector).doPolicy(.signIn) }
  }

  /// Begins a sign-in whose sheet appears.
  private func begin() async throws -> (SignIn, FakeSheet) { (signIn(), try await screen.next()) }

  /// Advances the clock for the task that sleeps on it.
  private func pass(_ duration: Duration) async {
    await clock.waitForSleepers()
    await clock.advance(by: duration)
  }

  private func expectReplaced(_ task: SignIn) async {
    await expectError(ConnectorError.self, .userClosedBrowser, saying: "A newer sign-in replaced this page.") {
      try await task.value
    }
  }

  /// Begins a sign-in, two seconds after an older one, which it replaces.
  private func signIn(replacing older: SignIn, at other: Connector? = nil) async -> SignIn {
    await clock.advance(by: .seconds(2))
    let newer = signIn(other)
    await expectReplaced(older)
    return newer
  }

  private func finish(_ task: SignIn, _ sheet: FakeSheet) async throws {
    try await sheet.finish(by: scene.script(.signIn(.alice)))
    #expect(try await task.value.username == LocalUser.alice.email)
  }

  @Test("A second tap within two seconds ends at once, and the sheet stays", arguments: [0, 1, 1_999])
  func doubleTap(milliseconds: Int) async throws {
    let (first, sheet) = try await begin()
    await clock.advance(by: .milliseconds(milliseconds))
    for kind in [Policy.Kind.signIn, .signUp] {
      await expectError(ConnectorError.self, .userClosedBrowser) { try await connector.doPolicy(kind) }
    }
    #expect(screen.count == 1 && screen.refusals == 0 && !sheet.isCancelled)
    try await finish(first, sheet)
  }

  @Test("Calls that fail at the same time and all sign in show one sheet", arguments: [2, 5, 16])
  func sameTime(count: Int) async throws {
    let codes = Recorder<ErrorCode>()
    async let users = simultaneously(count) { [connector] _ -> [UserInfo] in
      do {
        return [try await connector.doPolicy(.signIn)]
      } catch let error as ConnectorError {
        codes.record(error.code)
        return []
      }
    }
    let sheet = try await screen.next()
    try await yielding { codes.values.count == count - 1 }
    try await sheet.finish(by: scene.script(.signIn(.alice)))
    #expect(try await users.joined().count == 1 && screen.count == 1)
    #expect(codes.values.allSatisfy { $0 == .userClosedBrowser })
  }

  @Test("The sheets of a forgotten password are one sign-in and no second tap", arguments: [0, 500, 3_000])
  func forgottenPassword(milliseconds: Int) async throws {
    let (email, password) = (LocalUser.alice.email, "Another-1")
    let (task, first) = try await begin()
    try await first.finish(by: scene.script(.forgotPassword))
    for action in [
      ScriptedPresenter.Action.resetPassword(email: email, newPassword: password),
      .signIn(email: email, password: password),
    ] {
      let sheet = try await screen.next()
      await clock.advance(by: .milliseconds(milliseconds))
      try await sheet.finish(by: scene.script(action))
    }
    #expect(try await task.value.username == email && screen.count == 3)
  }

  /// What the newer sign-in has come to when the older one wants its next page.
  enum Newer: CaseIterable { case justOpened, open, closed, finished }

  @Test("A sign-in that another one replaced shows no further sheet", arguments: Newer.allCases)
  func noFurtherSheet(newer: Newer) async throws {
    let (older, first) = try await begin()
    try await first.finish(by: scene.script(.forgotPassword))
    // The older sign-in is between its second and its third page.
    let gate = TestGate()
    scene.tenant.faults = [LocalFault(on: .tokenCode, times: 1, .wait(gate))]
    let reset = scene.script(.resetPassword(email: LocalUser.bob.email, newPassword: "Another-1"))
    try await screen.next().finish(by: reset)
    await gate.waitForArrivals(1)
    let (task, sheet) = try await begin()
    if newer == .open { await clock.advance(by: .seconds(30)) }
    if newer == .finished { try await finish(task, sheet) }
    if newer == .closed { sheet.close() }
    gate.open()
    await expectReplaced(older)
    #expect(screen.count == 3 && !sheet.isCancelled)
    switch newer {
    case .justOpened, .open: try await finish(task, sheet)
    case .closed: await expectError(ConnectorError.self, .userClosedBrowser) { try await task.value }
    case .finished: break
    }
  }

  @Test("A sheet whose end is never reported blocks no later sign-in", arguments: [1, 3])
  func neverAnswers(times: Int) async throws {
    screen.dismissal = .silent
    for _ in 1...times {
      let (lost, sheet) = try await begin()
      sheet.vanish()
      await expectError(ConnectorError.self, .userClosedBrowser) { try await connector.doPolicy(.signIn) }
      let next = await signIn(replacing: lost)
      #expect(sheet.isCancelled)
      // The newer sign-in waits for the completion of the older sheet.
      await pass(.seconds(1))
      try await finish(next, try await screen.next())
    }
    #expect(screen.refusals == 0)
  }

  @Test(
    "While a sheet is being dismissed the next one waits, and is tried once more", arguments: [true, false],
    [true, false])
  func slowDismissal(isReplaced: Bool, endsInTime: Bool) async throws {
    screen.dismissal = .slow
    let (older, _) = try await begin()
    let newer: SignIn
    if isReplaced {
      newer = await signIn(replacing: older)
    } else {
      older.cancel()
      await #expect(throws: CancellationError.self) { try await older.value }
      newer = signIn()
    }
    await pass(.seconds(1))
    // The first try was refused; the second follows half a second later.
    await clock.waitForSleepers()
    #expect(screen.refusals == 1)
    if endsInTime { screen.finishDismissal() }
    await clock.advance(by: .milliseconds(500))
    if endsInTime { return try await finish(newer, try await screen.next()) }
    await expectError(ConnectorError.self, .presentationFailed) { try await newer.value }
    #expect(screen.refusals == 2)
    screen.finishDismissal()
    let (task, sheet) = try await begin()
    try await finish(task, sheet)
  }

  @Test("A task that is cancelled while it replaces a sheet leaves nothing behind")
  func cancelledWhileReplacing() async throws {
    screen.dismissal = .silent
    let (older, _) = try await begin()
    let cancelled = await signIn(replacing: older)
    await clock.waitForSleepers()
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    let next = signIn()
    await pass(.seconds(1))
    try await finish(next, try await screen.next())
    #expect(screen.count == 2)
  }

  @Test("A sign-in that was replaced before its sheet appeared never shows one")
  func replacedBeforeItsSheet() async throws {
    let isActive = Locked(false)
    let presenter = SheetPresenter(screen, pages: pages) { _ in isActive.withLock { $0 } }
    let connector = try Self.connector(scene, presenter)
    screen.dismissal = .silent
    let (lost, _) = try await begin()
    // One second for the sheet that never answers, and then no window is active.
    let waiting = await signIn(replacing: lost, at: connector)
    await pass(.seconds(1))
    await pass(.seconds(1))
    await clock.waitForSleepers()
    let newest = signIn()
    await clock.waitForSleepers(2)
    isActive.withLock { $0 = true }
    await clock.advance(by: .milliseconds(100))
    await expectReplaced(waiting)
    try await finish(newest, try await screen.next())
    #expect(screen.count == 2)
  }

  @Test("A sign-out page that a sign-in replaces has not returned", arguments: [2, 3, 600])
  func replacedSignOut(seconds: Int) async throws {
    let (task, sheet) = try await begin()
    try await finish(task, sheet)
    let signOut = Task { try await connector.signOut(endsBrowserSession: true) }
    _ = try await screen.next()
    await expectError(ConnectorError.self, .userClosedBrowser) { try await connector.doPolicy(.signIn) }
    await clock.advance(by: .seconds(seconds))
    let (next, other) = try await begin()
    #expect(try await signOut.value == .notReturned)
    try await finish(next, other)
  }

  @Test("A sign-out page replaces a sign-in page, but not one that has just opened", arguments: [true, false])
  func signOutReplaces(isLate: Bool) async throws {
    let (task, sheet) = try await begin()
    if isLate { await clock.advance(by: .seconds(3)) }
    let signOut = Task { try await connector.signOut(endsBrowserSession: true) }
    if isLate {
      let page = try await screen.next()
      await expectReplaced(task)
      page.close()
      #expect(try await signOut.value == .notReturned)
    } else {
      #expect(try await signOut.value == .notReturned)
      try await finish(task, sheet)
    }
    #expect(screen.count == (isLate ? 2 : 1))
  }

  @Test("A completion on another thread that comes twice ends one sign-in, and not the next", arguments: [true, false])
  func completionTwice(isReplaced: Bool) async throws {
    screen.dismissal = .silent
    let (first, sheet) = try await begin()
    let completion = try #require(sheet.completion)
    let complete: @Sendable () async -> Void = {
      await Task.detached {
        completion(.failure(FakeScreen.closed))
        completion(.success(URL(fileURLWithPath: "/late")))
      }.value
    }
    if isReplaced {
      let next = await signIn(replacing: first)
      await clock.waitForSleepers()
      // The older sheet answers in time, so the newer one does not wait for the whole second.
      await complete()
      let other = try await screen.next()
      await complete()
      try await finish(next, other)
    } else {
      sheet.vanish()
      await complete()
      await expectError(ConnectorError.self, .userClosedBrowser, saying: "The user closed") { try await first.value }
      let (next, other) = try await begin()
      await complete()
      try await finish(next, other)
    }
  }
}
