import B2CCore
import B2CTestKit
import B2CTokenCache
import Foundation
import TestSupport
import Testing

/// The database cache of Docs/TokenCaches.md, word for word.
@Suite(.timeLimit(.minutes(10))) struct TokenCacheDocumentationTests {
  @Test("The database cache keeps the rules, those of shared caches included")
  func database() async throws {
    let broken = try await TokenCacheConformance.brokenRules(
      makeSecondInstance: { DatabaseTokenCache(database: $0.database) },
      makeCache: { DatabaseTokenCache(database: Database()) })
    #expect(broken.isEmpty, "\(broken)")
  }
}

private actor DatabaseTokenCache: TokenCache {
  let database: Database

  init(database: Database) {
    self.database = database
  }

  func record(for key: TokenCacheKey) async throws -> TokenRecord? {
    try await database.run("SELECT record FROM tokens WHERE key = ?", key.canonicalText).first
      .map { try JSONDecoder().decode(TokenRecord.self, from: Data($0.utf8)) }
  }

  func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
    try await database.run(
      "REPLACE INTO tokens (key, stamp, record) VALUES (?, ?, ?)",
      key.canonicalText, record.stamp.uuidString, try json(record))
  }

  func removeRecord(for key: TokenCacheKey) async throws {
    try await database.run("DELETE FROM tokens WHERE key = ?", key.canonicalText)
  }

  func keys() async throws -> [TokenCacheKey] {
    try await database.run("SELECT key FROM tokens").compactMap { TokenCacheKey(canonicalText: $0) }
  }

  func json(_ record: TokenRecord) throws -> String {
    String(decoding: try JSONEncoder().encode(record), as: UTF8.self)
  }
}

extension DatabaseTokenCache: SharedTokenCache {
  func replace(_ key: TokenCacheKey, expecting stamp: UUID, with record: TokenRecord) async throws -> Bool {
    try await !database.run(
      "UPDATE tokens SET stamp = ?, record = ? WHERE key = ? AND stamp = ? RETURNING key",
      record.stamp.uuidString, try json(record), key.canonicalText, stamp.uuidString
    ).isEmpty
  }

  func withRefreshLock(for key: TokenCacheKey, _ work: RefreshWork) async throws {
    let holder = UUID().uuidString
    for _ in 0..<1500 {
      // The lock of a process that has died ends by itself: `now()` is the database's own time.
      let taken = try await database.run(
        """
        INSERT INTO locks (key, holder, until) VALUES (?, ?, now() + 60)
        ON CONFLICT (key) DO UPDATE SET holder = excluded.holder, until = excluded.until WHERE locks.until < now()
        RETURNING key
        """, key.canonicalText, holder)
      if !taken.isEmpty {
        await work()
        _ = try? await database.run("DELETE FROM locks WHERE key = ? AND holder = ?", key.canonicalText, holder)
        return
      }
      try await Task.sleep(for: .milliseconds(20))
    }
    throw ConnectorError(.tokenCache, "The refresh lock is held by another process.", isRetryable: true)
  }
}

/// As much of a database as the sample uses; real drivers run the same statements.
private actor Database {
  struct UnknownStatement: Error {}

  private var rows: [String: (stamp: String, record: String)] = [:]
  private var locks: [String: String] = [:]

  @discardableResult
  func run(_ statement: String, _ values: String...) throws -> [String] {
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
      return [values[0]]
    case ("DELETE lock", 2):
      if locks[values[0]] == values[1] { locks[values[0]] = nil }
    default: throw UnknownStatement()
    }
    return []
  }
}
