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

  /// The base after a refresh at a provider that leaves the refresh token as it was.
  private static func renewed(_ mark: String, at seconds: Double) -> TokenRecord {
    var record = base
    record.accessTokens = [
      CachedAccessToken(
        token: Secret("canary-access-\(mark)"), scopes: ["read"], receivedAt: Samples.date(seconds),
        expiresAt: Samples.date(seconds + 3_600), refreshAt: nil)
    ]
    return record
  }

  static let rows: [Row] = {
    let new = Samples.record("new")
    let own = signedIn(at: 100, byServer: 200)
    let removal = WaitingChanges.Change.removal(.only(own.signInDates))
    var renewed = own
    renewed.refreshToken = Secret("renewed")
    let unread = WaitingChanges.Change.removal(.upTo(own.signInDates))
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
      Row(testDescription: "a removal", change: removal, stored: own, result: nil),
      Row(testDescription: "a removal and its own refresh", change: removal, stored: renewed, result: nil),
    ]
      + [[101, 201], [-3_600, 201], [101, -3_600]].map { (dates: [Double]) in
        let other = signedIn(at: dates[0], byServer: dates[1])
        return Row(
          testDescription: "a removal and another sign-in, at \(dates)", change: removal, stored: other, result: other)
      }
      + [[100, 200], [99, 201], [101, 199], [-3_600, 300], [3_600, 100]].map { (dates: [Double]) in
        Row(
          testDescription: "a removal of what could not be read, at \(dates)", change: unread,
          stored: signedIn(at: dates[0], byServer: dates[1]), result: nil)
      } + [
        Row(
          testDescription: "a removal of what could not be read, and a sign-in later by both clocks", change: unread,
          stored: signedIn(at: 101, byServer: 201), result: signedIn(at: 101, byServer: 201)),
        Row(testDescription: "a removal of nothing", change: removal, stored: nil, result: nil),
      ]
  }()

  /// Refreshes at a provider that may leave the refresh token as it was.
  static let refreshes: [Row] = [
    Row(
      testDescription: "another's later refresh without rotation",
      change: .record(renewed("own", at: 10), replacing: [base]), stored: renewed("other", at: 20),
      result: renewed("other", at: 20)),
    Row(
      testDescription: "another's earlier refresh without rotation",
      change: .record(renewed("own", at: 20), replacing: [base]), stored: renewed("other", at: 10),
      result: renewed("own", at: 20)),
    Row(
      testDescription: "its own record, by a clock that was set back since",
      change: .record(renewed("own", at: 10), replacing: [renewed("first", at: 100)]),
      stored: renewed("first", at: 100), result: renewed("own", at: 10)),
    Row(
      testDescription: "another's later refresh, with a refresh token that this one has rotated",
      change: .record(Samples.record("new"), replacing: [base]), stored: renewed("other", at: 20),
      result: Samples.record("new")),
  ]

  @Test("A change that waits replaces the record it was made for, and no other", arguments: rows + refreshes)
  func applied(_ row: Row) {
    #expect(row.change.applied(to: row.stored) == row.result)
  }

  @Test("A change that a sign-in has made needless while it was being written changes nothing")
  func forgottenMeanwhile() async throws {
    let hasRead = TestGate()
    let cache = PlainTokenCache(readGate: hasRead)
    let waiting = WaitingChanges()
    let clock = TestClock(advancesItself: false)
    let any = SignInDates(device: .distantFuture, server: .distantFuture)
    waiting.add(for: Samples.key, to: cache.shared(on: clock), on: clock) { _ in .removal(.upTo(any)) }
    let entry = try #require(waiting.entry(for: Samples.key))
    await cache.store(Samples.record("again"), for: Samples.key)
    let writing = Task { try await waiting.write(Samples.key) }
    await hasRead.waitForArrivals(1)
    waiting.forget(Samples.key, entry)
    hasRead.open()
    try await writing.value
    #expect(await cache.keys() == [Samples.key])
  }

  @Test(
    "A damaged record does not keep a removal waiting; one of a newer version or another key stays, if the own was read",
    arguments: [
      (TokenCacheError.Code.damaged, true, 1), (.damaged, false, 1), (.newerVersion, true, 0),
      (.newerVersion, false, 1),
      (.decryptionFailed, true, 0), (.unreadable, false, 0),
    ])
  func unreadable(_ code: TokenCacheError.Code, _ wasRead: Bool, _ removals: Int) async throws {
    let cache = UnreadableCache(code: code)
    let waiting = WaitingChanges()
    let shared = cache.shared(on: TestClock(advancesItself: false))
    let dates = Samples.record("any").signInDates
    waiting.add(for: Samples.key, to: shared, on: TestClock(advancesItself: false)) { _ in
      .removal(wasRead ? .only(dates) : .upTo(dates))
    }
    if removals == 0 {
      await #expect(throws: TokenCacheError.self) { try await waiting.write(Samples.key) }
    } else {
      try await waiting.write(Samples.key)
    }
    #expect((waiting.entry(for: Samples.key) == nil) == (removals > 0))
    #expect(cache.removals.withLock { $0 } == removals)
  }
}

/// A cache whose record cannot be read, but removed.
private final class UnreadableCache: TokenCache {
  let code: TokenCacheError.Code
  let removals = Locked(0)

  init(code: TokenCacheError.Code) {
    self.code = code
  }

  func record(for key: TokenCacheKey) async throws -> TokenRecord? { throw TokenCacheError(code, "Half a record.") }
  func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {}
  func removeRecord(for key: TokenCacheKey) async throws { removals.withLock { $0 += 1 } }
  func keys() async throws -> [TokenCacheKey] { [Samples.key] }
}
