import B2CCore
import B2CTestKit
import B2CTokenCache
import Foundation
import TestSupport
import Testing

/// The database cache of Docs/TokenCaches.md, word for word, and what shares it between processes.
@Suite(.timeLimit(.minutes(10))) struct TokenCacheDocumentationTests {
  @Test("The dictionary cache keeps the rules")
  func dictionary() async throws {
    let broken = try await TokenCacheConformance { DictionaryTokenCache() }.brokenRules()
    #expect(broken.isEmpty, "\(broken)")
  }

  @Test("The database cache keeps the rules, those of shared caches included")
  func database() async throws {
    var suite = TokenCacheConformance { DatabaseTokenCache(database: Database()) }
    suite.makeSecondInstance = { first in
      (first as? DatabaseTokenCache).map { DatabaseTokenCache(database: $0.database) } ?? first
    }
    let broken = try await suite.brokenRules()
    #expect(broken.isEmpty, "\(broken)")
  }
}

private actor DictionaryTokenCache: TokenCache {
  private var records: [TokenCacheKey: TokenRecord] = [:]

  func record(for key: TokenCacheKey) -> TokenRecord? { records[key] }
  func store(_ record: TokenRecord, for key: TokenCacheKey) { records[key] = record }
  func removeRecord(for key: TokenCacheKey) { records[key] = nil }
  func keys() -> [TokenCacheKey] { Array(records.keys) }
}

private struct DatabaseTokenCache: TokenCache {
  let database: Database

  func record(for key: TokenCacheKey) async throws -> TokenRecord? {
    try await row(key).map { try JSONDecoder().decode(TokenRecord.self, from: Data($0.utf8)) }
  }

  func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
    try await database.run("REPLACE INTO tokens (key, record) VALUES (?, ?)", key.canonicalText, try json(record))
  }

  func removeRecord(for key: TokenCacheKey) async throws {
    try await database.run("DELETE FROM tokens WHERE key = ?", key.canonicalText)
  }

  func keys() async throws -> [TokenCacheKey] {
    try await database.run("SELECT key FROM tokens").compactMap { TokenCacheKey(canonicalText: $0) }
  }

  func row(_ key: TokenCacheKey) async throws -> String? {
    try await database.run("SELECT record FROM tokens WHERE key = ?", key.canonicalText).first
  }

  func json(_ record: TokenRecord) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(record), as: UTF8.self)
  }
}

extension DatabaseTokenCache: SharedTokenCache {
  @discardableResult
  func update(
    _ key: TokenCacheKey, _ change: @escaping @Sendable (TokenRecord?) -> TokenRecord?
  ) async throws -> TokenRecord? {
    while true {
      let old = try await row(key)
      let new = change(try old.map { try JSONDecoder().decode(TokenRecord.self, from: Data($0.utf8)) })
      let text = try new.map(json)
      // Each statement changes one row, or none when another process was first.
      let changed: [String]
      switch (old, text) {
      case (nil, nil): return nil
      case (nil, let text?):
        changed = try await database.run(
          "INSERT INTO tokens (key, record) VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING key", key.canonicalText, text
        )
      case (let old?, nil):
        changed = try await database.run(
          "DELETE FROM tokens WHERE key = ? AND record = ? RETURNING key", key.canonicalText, old)
      case (let old?, let text?):
        changed = try await database.run(
          "UPDATE tokens SET record = ? WHERE key = ? AND record = ? RETURNING key", text, key.canonicalText, old)
      }
      if !changed.isEmpty { return new }
    }
  }

  func withRefreshLock<Result: Sendable>(
    for key: TokenCacheKey, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    let holder = UUID().uuidString
    // A lock of a process that has died ends by itself: `until` is the database's own time.
    while try await database.run(
      """
      INSERT INTO locks (key, holder, until) VALUES (?, ?, now() + 60)
      ON CONFLICT (key) DO UPDATE SET holder = excluded.holder, until = excluded.until WHERE locks.until < now()
      RETURNING key
      """, key.canonicalText, holder
    ).isEmpty {
      try await Task.sleep(for: .milliseconds(20))
    }
    let result: Swift.Result<Result, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    try await database.run("DELETE FROM locks WHERE key = ? AND holder = ?", key.canonicalText, holder)
    return try result.get()
  }
}

/// As much of a database as the sample uses; real drivers run the same statements.
private actor Database {
  struct UnknownStatement: Error {}

  private var rows: [String: String] = [:]
  private var locks: [String: String] = [:]

  @discardableResult
  func run(_ statement: String, _ values: String...) throws -> [String] {
    switch (statement.prefix { $0 != " " } + (statement.contains("locks") ? " lock" : ""), values.count) {
    case ("SELECT", 0): return Array(rows.keys)
    case ("SELECT", 1): return rows[values[0]].map { [$0] } ?? []
    case ("REPLACE", 2): rows[values[0]] = values[1]
    case ("DELETE", 1): rows[values[0]] = nil
    case ("INSERT", 2):
      guard rows[values[0]] == nil else { return [] }
      rows[values[0]] = values[1]
      return [values[0]]
    case ("DELETE", 2):
      guard rows[values[0]] == values[1] else { return [] }
      rows[values[0]] = nil
      return [values[0]]
    case ("UPDATE", 3):
      guard rows[values[1]] == values[2] else { return [] }
      rows[values[1]] = values[0]
      return [values[1]]
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
