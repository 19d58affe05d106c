import B2CConnector
import Foundation

/// What a cache needs of a database, whatever its driver is called.
///
/// ```sql
/// CREATE TABLE tokens (key TEXT PRIMARY KEY, stamp TEXT NOT NULL, record TEXT NOT NULL);
/// CREATE TABLE locks (key TEXT PRIMARY KEY, holder TEXT NOT NULL, until BIGINT NOT NULL);
/// ```
protocol Database: Sendable {
  /// Runs a statement, and returns the first column of its rows.
  @discardableResult func run(_ statement: String, _ values: String...) async throws -> [String]
}

/// A token cache of your own: a row for each record.
actor DatabaseTokenCache: TokenCache {
  let database: any Database

  init(database: any Database) {
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

/// What several processes over one database need beyond that.
extension DatabaseTokenCache: SharedTokenCache {
  func replace(_ key: TokenCacheKey, expecting stamp: UUID, with record: TokenRecord) async throws -> Bool {
    try await !database.run(
      "UPDATE tokens SET stamp = ?, record = ? WHERE key = ? AND stamp = ? RETURNING key",
      record.stamp.uuidString, try json(record), key.canonicalText, stamp.uuidString
    ).isEmpty
  }

  func withRefreshLock(for key: TokenCacheKey, _ work: RefreshWork) async throws {
    let holder = UUID().uuidString
    // The connector cancels the task when it has waited for twice the limit of a request.
    while true {
      // The lock of a process that has died ends by itself, later than any refresh: `now()` is the database's own time, in
      // seconds.
      // In a task of its own, because a driver may fail in a cancelled task after it has taken the lock.
      let taken = try await Task { [database] in
        try await database.run(
          """
          INSERT INTO locks (key, holder, until) VALUES (?, ?, now() + 180)
          ON CONFLICT (key) DO UPDATE SET holder = excluded.holder, until = excluded.until WHERE locks.until < now()
          RETURNING key
          """, key.canonicalText, holder)
      }.value
      if !taken.isEmpty {
        let isCancelled = Task.isCancelled
        if !isCancelled { await work() }
        // In a task of its own: the lock is given back by a cancelled caller, too.
        _ = try? await Task { [database] in
          try await database.run("DELETE FROM locks WHERE key = ? AND holder = ?", key.canonicalText, holder)
        }.value
        if isCancelled { throw CancellationError() }
        return
      }
      try await Task.sleep(for: .milliseconds(20))
    }
  }
}
