import B2CConnector
import B2CTestKit
import Testing

@Suite("The example of a token cache of one's own", .timeLimit(.minutes(10)))
struct DatabaseTokenCacheTests {
  @Test("The database cache keeps the rules, those of shared caches included")
  func database() async throws {
    let broken = try await TokenCacheConformance.brokenRules(
      makeSecondInstance: { DatabaseTokenCache(database: $0.database) },
      makeCache: { DatabaseTokenCache(database: FakeDatabase()) })
    #expect(broken.isEmpty, "\(broken)")
  }

  @Test("A caller that is cancelled while the database grants the lock does no work and gives it back")
  func cancelledAtTheLock() async throws {
    // `Locked` lets the database wait until the caller is known.
    let caller = Locked<Task<Void, any Error>?>(nil)
    let database = FakeDatabase { caller.withLock { $0?.cancel() } }
    let cache = DatabaseTokenCache(database: database)
    let key = TokenCacheKey(authority: "https://contoso.b2clogin.com/t", clientID: "c", userID: "u")
    let runs = Locked(0)
    let lock = { @Sendable in try await cache.withRefreshLock(for: key, RefreshWork { runs.withLock { $0 += 1 } }) }
    let cancelled = caller.withLock { caller in
      let task = Task { try await lock() }
      caller = task
      return task
    }
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    #expect(runs.withLock { $0 } == 0)
    caller.withLock { $0 = nil }
    try await lock()
    #expect(runs.withLock { $0 } == 1)
  }
}

/// As much of a database as the example uses; real drivers run the same statements.
private actor FakeDatabase: Database {
  struct UnknownStatement: Error {}
  struct Cancelled: Error {}

  private var rows: [String: (stamp: String, record: String)] = [:]
  private var locks: [String: String] = [:]
  private let onLock: @Sendable () -> Void

  init(onLock: @escaping @Sendable () -> Void = {}) {
    self.onLock = onLock
  }

  @discardableResult
  func run(_ statement: String, _ values: String...) throws -> [String] {
    // As drivers do, some with an error of their own.
    if Task.isCancelled { throw Cancelled() }
    switch (statement.prefix { $0 != " " } + (statement.contains("locks") ? " lock" : ""), values.count) {
    case ("SELECT", 0): return Array(rows.keys)
    case ("SELECT", 1): return rows[values[0]].map { [$0.record] } ?? []
    case ("REPLACE", 3): rows[values[0]] = (values[1], values[2])
    case ("DELETE", 1): rows[values[0]] = nil
    case ("UPDATE", 4):
      guard rows[values[2]]?.stamp == values[3] else { return [] }
      rows[values[2]] = (values[0], values[1])
      return [values[2]]
    case ("INSERT lock", 2):
      guard locks[values[0]] == nil else { return [] }
      locks[values[0]] = values[1]
      onLock()
      return [values[0]]
    case ("DELETE lock", 2):
      if locks[values[0]] == values[1] { locks[values[0]] = nil }
    default: throw UnknownStatement()
    }
    return []
  }
}
