import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite("A refresh when the system suspends the app", .timeLimit(.minutes(10)))
struct ConnectorSuspensionTests {
  /// A user with an expired token, and two connectors over one directory: another `FileTokenCache` is another process.
  private final class Stage: Sendable {
    let world = World()
    let system = SuspendingSystem()
    /// The clock of the connector: it stands still, so that a starved system's answer is not late.
    let clock = TestClock(advancesItself: false)
    let connector: Connector
    let otherProcess: Connector
    /// Holds back each refresh that a test sends here.
    let gate = TestGate()
    private let activity: RefreshActivity
    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent("b2c-\(UUID().uuidString)")

    init(cache: (any TokenCache)? = nil, otherCache: (any TokenCache)? = nil, age: Duration = .seconds(4_000))
      async throws
    {
      let worldClock = world.clock
      let activity = RefreshActivity(system)
      self.activity = activity
      let files = { [directory] in
        try FileTokenCache(directory: directory, lockTimeout: .seconds(60), clock: worldClock, now: { worldClock.date })
      }
      var environment = world.environment(cache: try cache ?? files(), waitingOn: clock)
      environment.refreshActivity = activity
      connector = try Connector(settings: try world.settings(), environment: environment)
      otherProcess = try world.connector(cache: try otherCache ?? files())
      try await connector.doPolicy(.signIn)
      await worldClock.advance(by: age)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    var sent: Int { world.tenant.counters.refreshRequests }

    /// What is in the files of refresh locks.
    func notes() throws -> [String] {
      try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
        .filter { $0.pathExtension == "refresh" }.map { try String(contentsOf: $0, encoding: .utf8) }
    }

    func another() throws -> Connector {
      var environment = world.environment(cache: connector.oauth.tokenCache, waitingOn: clock)
      environment.refreshActivity = activity
      return try Connector(settings: try world.settings(), environment: environment)
    }
  }

  @Test("The system is asked for time before a refresh begins, until its answer is stored, and for nothing else")
  func lasts() async throws {
    let stage = try await Stage()
    stage.system.will(.none)
    stage.world.tenant.faults = [LocalFault(on: .tokenRefresh, times: 1, .holdAnswer(stage.gate))]
    #expect(stage.system.asked == 0)
    let token = Task { try await stage.connector.accessToken() }
    try await yielding { stage.system.asked == 1 }
    for _ in 0..<200 { await Task.yield() }
    #expect(stage.sent == 0)
    stage.system.answer(.granted)
    await stage.gate.waitForArrivals(1)
    #expect(stage.system.running == 1)
    stage.gate.open()
    _ = try await token.value
    try await yielding { stage.system.running == 0 }
    #expect(try await stage.connector.accessToken() == token.value)
    #expect(stage.system.asked == 1 && stage.sent == 1)
  }

  @Test("All refreshes of a process share one activity, which ends with the last of them")
  func oneActivity() async throws {
    let stage = try await Stage()
    let second = TestGate()
    stage.world.tenant.faults = [LocalFault(on: .tokenRefresh, times: 1, .holdAnswer(stage.gate))]
    let first = Task { try await stage.connector.accessToken() }
    await stage.gate.waitForArrivals(1)
    stage.world.tenant.faults = [LocalFault(on: .tokenRefresh, times: 1, .holdAnswer(second))]
    let other = try stage.another()
    let claims = #"{"access_token":{"nbf":{"essential":true,"value":"1767225600"}}}"#
    let later = Task { try await other.accessToken(claims: claims) }
    // It waits for the refresh lock, and the clock stands still.
    await stage.world.clock.waitForSleepers()
    #expect(stage.system.asked == 1)
    stage.gate.open()
    _ = try await first.value
    await second.waitForArrivals(1)
    #expect(stage.system.asked == 1 && stage.system.running == 1)
    second.open()
    _ = try await later.value
    try await yielding { stage.system.running == 0 }
    _ = try await other.accessToken(forceRefresh: true)
    #expect(stage.system.asked == 2)
  }

  @Test("When there is no time, no refresh is started: an expired token is an error that may pass")
  func refused() async throws {
    let stage = try await Stage()
    stage.system.will(.refused)
    let error = try await #require(throws: ConnectorError.self) { try await stage.connector.accessToken() }
    #expect(error.code == .suspended && error.isRetryable && !error.needsInteraction)
    await expectError(ConnectorError.self, .suspended) { try await stage.connector.getTaskList() }
    guard case .signedIn = try await stage.connector.session else {
      Issue.record("The session has ended.")
      return
    }
    #expect(stage.sent == 0)
    stage.system.will(.granted)
    _ = try await stage.connector.accessToken()
    #expect(stage.sent == 1)
  }

  @Test("When there is no time, a token that has not expired is returned, unless another one is asked for")
  func refusedEarly() async throws {
    let stage = try await Stage(age: .seconds(3_500))
    stage.system.will(.refused)
    let token = try await stage.connector.accessToken()
    #expect(token.expiresAt > stage.world.clock.date)
    await expectError(ConnectorError.self, .suspended) {
      try await stage.connector.accessToken(forceRefresh: true)
    }
    #expect(stage.system.asked == 2 && stage.sent == 0)
  }

  @Test("A system that does not answer within 5 seconds has refused, and what it says later starts nothing")
  func unanswered() async throws {
    let stage = try await Stage()
    stage.system.will(.none)
    let caller = Task { try await stage.connector.accessToken() }
    await stage.clock.waitForSleepers()
    await stage.clock.advance(by: .milliseconds(4_999))
    for _ in 0..<200 { await Task.yield() }
    #expect(stage.system.asked == 1)
    await stage.clock.advance(by: .milliseconds(1))
    await expectError(ConnectorError.self, .suspended) { try await caller.value }
    stage.system.answer(.granted)
    try await yielding { stage.system.running == 0 }
    #expect(stage.sent == 0)
    stage.system.will(.granted)
    _ = try await stage.connector.accessToken()
    #expect(stage.system.asked == 2 && stage.sent == 1)
  }

  @Test("Without an answer, a token that has not expired is returned")
  func unansweredEarly() async throws {
    let stage = try await Stage(age: .seconds(3_500))
    stage.system.will(.none)
    let caller = Task { try await stage.connector.accessToken() }
    await stage.clock.waitForSleepers()
    await stage.clock.advance(by: .seconds(5))
    #expect(try await caller.value.expiresAt > stage.world.clock.date)
    #expect(stage.sent == 0)
  }

  @Test("A caller that is cancelled while the system is asked leaves, and the activity ends at once")
  func cancelled() async throws {
    let stage = try await Stage()
    stage.system.will(.none)
    let caller = Task { try await stage.connector.accessToken() }
    try await yielding { stage.system.asked == 1 }
    caller.cancel()
    await #expect(throws: CancellationError.self) { try await caller.value }
    stage.system.answer(.granted)
    try await yielding { stage.system.running == 0 }
    #expect(stage.sent == 0)
    stage.system.will(.granted)
    _ = try await stage.connector.accessToken()
    #expect(stage.sent == 1)
  }

  @Test("When the time is over during the request, the lock is given back and the answer is stored all the same")
  func expired() async throws {
    let stage = try await Stage()
    stage.world.tenant.faults = [LocalFault(on: .tokenRefresh, times: 1, .holdAnswer(stage.gate))]
    let token = Task { try await stage.connector.accessToken() }
    await stage.gate.waitForArrivals(1)
    #expect(try stage.notes() == [""])
    let start = stage.world.clock.date.timeIntervalSince1970
    stage.system.expire()
    #expect(try stage.notes() == ["\(start) 30.0"])
    try await yielding { stage.system.running == 0 }
    // Another process waits as long as the answer may come, and finds it.
    let other = Task { try await stage.otherProcess.accessToken() }
    await stage.world.clock.waitForSleepers()
    #expect(stage.sent == 1)
    stage.gate.open()
    let answer = try await token.value
    #expect(try stage.notes() == [""])
    await stage.world.clock.advance(by: .milliseconds(250))
    #expect(try await other.value.token == answer.token)
    #expect(stage.sent == 1 && stage.world.tenant.counters.reusedRefreshTokens == 0)
  }

  @Test("A request of a process that is gone keeps others waiting until its time limit has passed, and no longer")
  func gone() async throws {
    let stage = try await Stage()
    stage.world.tenant.faults = [LocalFault(on: .tokenRefresh, times: 1, .wait(stage.gate))]
    let token = Task { try await stage.connector.accessToken() }
    await stage.gate.waitForArrivals(1)
    let start = stage.world.clock.date
    stage.system.expire()
    _ = try await stage.otherProcess.accessToken()
    let waited = stage.world.clock.date.timeIntervalSince(start)
    #expect(waited >= 30 && waited < 31)
    #expect(stage.world.tenant.counters.refreshes == 1)
    #expect(try stage.notes() == [""])
    stage.gate.open()
    _ = try? await token.value
  }

  @Test("When the time is over before the request, nothing is sent and no lock is kept")
  func expiredWhileWaiting() async throws {
    let cache = InMemoryTokenCache()
    let stage = try await Stage(cache: cache)
    let keys = await cache.keys()
    let key = try #require(keys.first)
    let held = TestGate()
    let holder = Task { try await cache.withRefreshLock(for: key) { try await held.wait() } }
    await held.waitForArrivals(1)
    let caller = Task { try await stage.connector.accessToken() }
    try await yielding { stage.system.running == 1 }
    stage.system.expire()
    held.open()
    try await holder.value
    await expectError(ConnectorError.self, .suspended) { try await caller.value }
    #expect(stage.sent == 0)
  }

  @Test("A lock in the memory of the process stays: it gets no process killed, and the token is in use")
  func inMemory() async throws {
    // Real time, which a starved core lets pass.
    let cache = InMemoryTokenCache(lockTimeout: .patience)
    let stage = try await Stage(cache: cache, otherCache: cache)
    stage.world.tenant.faults = [LocalFault(on: .tokenRefresh, times: 1, .holdAnswer(stage.gate))]
    let token = Task { try await stage.connector.accessToken() }
    await stage.gate.waitForArrivals(1)
    stage.system.expire()
    let other = Task { try await stage.otherProcess.accessToken() }
    for _ in 0..<200 { await Task.yield() }
    #expect(stage.sent == 1)
    stage.gate.open()
    #expect(try await token.value.token == other.value.token)
    #expect(stage.sent == 1)
  }

  @Test("A file lock is given back through every wrapper: encryption, and a cache that an app has written")
  func wrapped() async throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("b2c-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    let files = try FileTokenCache(directory: directory)
    let locks = LockedByFiles(files)
    let caches: [any TokenCache] = [EncryptedTokenCache(wrapping: files, key: TestKey()), locks]
    for cache in caches {
      let stage = try await Stage(cache: cache, otherCache: InMemoryTokenCache())
      stage.world.tenant.faults = [LocalFault(on: .tokenRefresh, times: 1, .holdAnswer(stage.gate))]
      let token = Task { try await stage.connector.accessToken() }
      await stage.gate.waitForArrivals(1)
      let path = try #require(
        try FileManager.default.contentsOfDirectory(atPath: directory.path).first { $0.hasSuffix(".refresh") })
      let file = directory.appendingPathComponent(path)
      #expect(try Data(contentsOf: file).isEmpty)
      stage.system.expire()
      #expect(try !Data(contentsOf: file).isEmpty)
      stage.gate.open()
      _ = try await token.value
      #expect(try Data(contentsOf: file).isEmpty)
      try await stage.connector.signOut()
      try FileManager.default.removeItem(at: file)
    }
  }
}

/// A cache of an app whose refresh locks are those of a file cache, as the example for SQLite has it.
private final class LockedByFiles: SharedTokenCache {
  private let records = InMemoryTokenCache()
  private let files: FileTokenCache

  init(_ files: FileTokenCache) {
    self.files = files
  }

  func record(for key: TokenCacheKey) async throws -> TokenRecord? { await records.record(for: key) }
  func store(_ record: TokenRecord, for key: TokenCacheKey) async throws { await records.store(record, for: key) }
  func removeRecord(for key: TokenCacheKey) async throws { await records.removeRecord(for: key) }
  func keys() async throws -> [TokenCacheKey] { await records.keys() }

  func update(
    _ key: TokenCacheKey, _ change: @escaping @Sendable (TokenRecord?) -> TokenRecord?
  ) async throws -> TokenRecord? { await records.update(key, change) }

  func withRefreshLock<Result: Sendable>(
    for key: TokenCacheKey, _ body: @Sendable () async throws -> Result
  ) async throws -> Result { try await files.withRefreshLock(for: key, body) }
}

/// One encryption key for as long as the value lives.
private struct TestKey: EncryptionKeySource {
  private let key = EncryptionKey.random()

  func encryptionKey() async throws -> EncryptionKey { key }
}
