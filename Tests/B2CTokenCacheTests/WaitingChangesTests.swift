import B2CCore
import B2CTestKit
import B2CTokenCache
import Foundation
import Testing

/// The rules of a change that waits: which records it replaces, and what replaces it.
@Suite(.timeLimit(.minutes(10))) struct WaitingChangesTests {
  private static let base = Samples.record("base")

  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let change: WaitingChanges.Change
    let stored: TokenRecord?
    let result: TokenRecord?
  }

  private static func signedIn(at seconds: Double, byServer serverSeconds: Double? = nil) -> TokenRecord {
    var record = Samples.record("other")
    record.signedInAt = Samples.date(seconds)
    record.serverSignedInAt = serverSeconds.map(Samples.date)
    return record
  }

  static let rows: [Row] = {
    let new = Samples.record("new")
    let removal = WaitingChanges.Change.removal(signedInUpTo: signedIn(at: 100).signInDates)
    // The device's clock was set back before the next sign-in, or ahead before the last one.
    let afterSettingBack = signedIn(at: -3_600, byServer: 110)
    let beforeSettingBack = signedIn(at: 3_600, byServer: 90)
    var claims = base
    claims.claims["name"] = "Changed"
    return [
      Row(testDescription: "its own record", change: .record(new, replacing: [base]), stored: base, result: new),
      Row(testDescription: "newer claims", change: .record(new, replacing: [base]), stored: claims, result: new),
      Row(
        testDescription: "one that was made on it and was written all the same",
        change: .record(new, replacing: [base, Samples.record("first")]), stored: Samples.record("first"), result: new),
      Row(testDescription: "a sign-out", change: .record(new, replacing: [base]), stored: nil, result: nil),
      Row(
        testDescription: "a newer sign-in", change: .record(new, replacing: [base]), stored: signedIn(at: 50),
        result: signedIn(at: 50)),
      Row(
        testDescription: "another's refresh", change: .record(new, replacing: [base]),
        stored: Samples.record("rotated"),
        result: Samples.record("rotated")),
      Row(testDescription: "a removal", change: removal, stored: signedIn(at: 100), result: nil),
      Row(
        testDescription: "a removal and a later sign-in", change: removal, stored: signedIn(at: 101),
        result: signedIn(at: 101)),
      Row(
        testDescription: "a removal and a sign-in after the clock was set back", change: removal,
        stored: afterSettingBack, result: afterSettingBack),
      Row(
        testDescription: "a removal after the clock was set back", change: removal, stored: beforeSettingBack,
        result: nil),
      Row(testDescription: "a removal of nothing", change: removal, stored: nil, result: nil),
    ]
  }()

  @Test("A change that waits replaces the record it was made for, and no other", arguments: rows)
  func applied(_ row: Row) {
    #expect(row.change.applied(to: row.stored) == row.result)
  }

  @Test("A damaged record does not keep a removal waiting")
  func damaged() async throws {
    let cache = DamagedCache()
    let waiting = WaitingChanges()
    let shared = cache.shared(on: TestClock(advancesItself: false))
    waiting.add(for: Samples.key, to: shared, on: TestClock(advancesItself: false)) { _ in
      .removal(signedInUpTo: Samples.record("any").signInDates)
    }
    try await waiting.write(Samples.key)
    #expect(waiting.entry(for: Samples.key) == nil)
    #expect(cache.removals.withLock { $0 } == 1)
  }
}

/// A cache whose record cannot be read, but removed.
private final class DamagedCache: TokenCache {
  let removals = Locked(0)

  func record(for key: TokenCacheKey) async throws -> TokenRecord? { throw TokenCacheError(.damaged, "Half a record.") }
  func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {}
  func removeRecord(for key: TokenCacheKey) async throws { removals.withLock { $0 += 1 } }
  func keys() async throws -> [TokenCacheKey] { [Samples.key] }
}
