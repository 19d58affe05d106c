import B2CTestKit
import B2CTokenCache
import Foundation
import Testing

@Suite struct TokenCacheMigrationTests {
  private let source = InMemoryTokenCache()

  @Test func everyRecordMovesAndNoneStaysBehind() async throws {
    let folder = try TemporaryFolder()
    let key = EncryptionKey.random()
    let encrypted = EncryptedTokenCache(
      wrapping: try FileTokenCache(directory: folder.store), keys: ClosureKeyProvider { [key] })
    await source.store(Samples.record("one"), for: Samples.key)
    await source.store(Samples.record("two"), for: Samples.otherKey)
    let report = try await TokenCacheMigration(from: source, to: encrypted).run()
    #expect(Set(report.moved) == [Samples.key, Samples.otherKey])
    #expect(report.failed.isEmpty && report.alreadyThere.isEmpty)
    #expect(await source.keys().isEmpty)
    #expect(try await encrypted.record(for: Samples.key) == Samples.record("one"))
    #expect(try await encrypted.record(for: Samples.otherKey) == Samples.record("two"))
  }

  @Test func aCopyLeavesTheSource() async throws {
    let destination = InMemoryTokenCache()
    await source.store(Samples.record(), for: Samples.key)
    _ = try await TokenCacheMigration(from: source, to: destination).run(keepingSource: true)
    #expect(await source.record(for: Samples.key) == Samples.record())
    #expect(await destination.record(for: Samples.key) == Samples.record())
  }

  @Test(arguments: [(-1.0, "new"), (0.0, "there"), (1.0, "there")])
  func theLaterSignInStays(_ offset: Double, _ expected: String) async throws {
    let destination = InMemoryTokenCache()
    var there = Samples.record("there")
    there.signedInAt = Samples.date(offset)
    await destination.store(there, for: Samples.key)
    await source.store(Samples.record("new"), for: Samples.key)
    let report = try await TokenCacheMigration(from: source, to: destination).run()
    #expect(await destination.record(for: Samples.key)?.refreshToken == Secret("canary-refresh-\(expected)"))
    #expect(report.alreadyThere == (expected == "there" ? [Samples.key] : []))
    #expect(await source.keys().isEmpty)
  }

  @Test func whatCannotBeStoredStaysWhereItIsAndTheOthersGoOn() async throws {
    struct Full: Error {}
    let destination = PickyTokenCache { if $0 == Samples.key { throw Full() } }
    await source.store(Samples.record("one"), for: Samples.key)
    await source.store(Samples.record("two"), for: Samples.otherKey)
    let report = try await TokenCacheMigration(from: source, to: destination).run()
    #expect(report.moved == [Samples.otherKey])
    #expect(report.failed.map(\.key) == [Samples.key])
    #expect(report.failed.first?.error is Full)
    #expect(await source.keys() == [Samples.key])
  }

  @Test func aCacheThatForgetsLosesNothing() async throws {
    await source.store(Samples.record(), for: Samples.key)
    let report = try await TokenCacheMigration(from: source, to: ForgetfulTokenCache()).run()
    #expect(report.failed.map(\.key) == [Samples.key])
    #expect(await source.record(for: Samples.key) == Samples.record())
  }
}

/// Refuses some keys.
private struct PickyTokenCache: TokenCache {
  let kept = InMemoryTokenCache()
  let check: @Sendable (TokenCacheKey) throws -> Void

  init(_ check: @escaping @Sendable (TokenCacheKey) throws -> Void) {
    self.check = check
  }

  func record(for key: TokenCacheKey) async throws -> TokenRecord? { await kept.record(for: key) }
  func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
    try check(key)
    await kept.store(record, for: key)
  }
  func removeRecord(for key: TokenCacheKey) async throws { await kept.removeRecord(for: key) }
  func keys() async throws -> [TokenCacheKey] { await kept.keys() }
}

/// Takes everything and keeps nothing.
private struct ForgetfulTokenCache: TokenCache {
  func record(for key: TokenCacheKey) async throws -> TokenRecord? { nil }
  func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {}
  func removeRecord(for key: TokenCacheKey) async throws {}
  func keys() async throws -> [TokenCacheKey] { [] }
}
