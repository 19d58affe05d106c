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
}

/// As much of a database as the example uses; real drivers run the same statements.
private actor FakeDatabase: Database {
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
