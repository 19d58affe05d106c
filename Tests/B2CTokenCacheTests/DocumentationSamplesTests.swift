import B2CCore
import B2CTestKit
import B2CTokenCache
import Foundation
import Testing

/// The samples of Docs/TokenCaches.md, word for word, kept to the rules.
@Suite struct DocumentationSamplesTests {
  @Test func dictionary() async {
    let broken = await TokenCacheConformance { DictionaryTokenCache() }.brokenRules()
    #expect(broken.isEmpty, "\(broken)")
  }

  @Test func database() async {
    var suite = TokenCacheConformance { DatabaseTokenCache(database: Database()) }
    suite.makeSecondInstance = { first in
      (first as? DatabaseTokenCache).map { DatabaseTokenCache(database: $0.database) } ?? first
    }
    let broken = await suite.brokenRules()
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
    let rows = try await database.run("SELECT record FROM tokens WHERE key = ?", key.canonicalText)
    return try rows.first.map { try JSONDecoder().decode(TokenRecord.self, from: Data($0.utf8)) }
  }

  func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
    let json = String(decoding: try JSONEncoder().encode(record), as: UTF8.self)
    try await database.run("REPLACE INTO tokens (key, record) VALUES (?, ?)", key.canonicalText, json)
  }

  func removeRecord(for key: TokenCacheKey) async throws {
    try await database.run("DELETE FROM tokens WHERE key = ?", key.canonicalText)
  }

  func keys() async throws -> [TokenCacheKey] {
    try await database.run("SELECT key FROM tokens").compactMap { TokenCacheKey(canonicalText: $0) }
  }
}

/// As much of a database as the sample asks for.
private actor Database {
  struct UnknownStatement: Error {}

  private var rows: [String: String] = [:]

  @discardableResult
  func run(_ statement: String, _ values: String...) throws -> [String] {
    switch (statement.prefix { $0 != " " }, values.count) {
    case ("SELECT", 0): return Array(rows.keys)
    case ("SELECT", 1): return rows[values[0]].map { [$0] } ?? []
    case ("REPLACE", 2): rows[values[0]] = values[1]
    case ("DELETE", 1): rows[values[0]] = nil
    default: throw UnknownStatement()
    }
    return []
  }
}
