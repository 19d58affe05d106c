import B2CTokenCache
import Foundation

/// What is wrong with a store at the moment.
struct StoreTrouble {
  /// Nothing can be written.
  var isFull = false
  /// Nothing can be read or written.
  var isUnreachable = false
  /// The number of the next accesses that fail, one after another; then the store is well again.
  var failingAccesses = 0
  /// How many accesses go well before those.
  var sparedAccesses = 0
  /// The parts that refuse while the rest is well.
  var refusals: [Refusal] = []

  /// Returns what the next access throws if a part refuses it; counts it.
  mutating func refusal(of kind: Access, _ userID: String?) -> (any Error)? {
    guard let index = refusals.firstIndex(where: { $0.concerns(kind, userID) }) else { return nil }
    defer {
      refusals[index].times -= 1
      refusals.removeAll { $0.times == 0 }
    }
    return refusals[index].error
  }

  /// Whether an access fails; counts it.
  mutating func fails(writing: Bool) -> Bool {
    if failingAccesses > 0 {
      guard sparedAccesses == 0 else {
        sparedAccesses -= 1
        return false
      }
      failingAccesses -= 1
      return true
    }
    return isUnreachable || (isFull && writing)
  }
}

/// What a cache can ask of a store.
enum Access: CaseIterable {
  case reading, listing, writing, removing
}

/// A part of a store that refuses alone: one kind of access, of everybody's records or of one person's.
struct Refusal {
  let kind: Access
  /// Whose records it is about; everybody's for `nil`.
  let person: String?
  /// How often it refuses; the default lasts until the store is well again.
  var times = Int.max
  /// What a database throws, since files have errors of their own.
  var error: any Error = DriverError()

  func concerns(_ kind: Access, _ userID: String?) -> Bool {
    kind == self.kind && (person.map { userID?.contains($0) == true } ?? true)
  }
}

/// What a driver of a database throws: no error of this package.
struct DriverError: Error {}

/// A database in memory that outlives the processes: what the caches below are over.
final class RecordTable: @unchecked Sendable {
  var records: [TokenCacheKey: TokenRecord] = [:]
  var trouble = StoreTrouble()
  /// Who holds the refresh lock of a key.
  var locks: [TokenCacheKey: AppProcess] = [:]
  /// The longest time that an access takes, in microseconds.
  var slowness = 0

  /// The keys in an order that does not depend on memory addresses.
  var keys: [TokenCacheKey] { records.keys.sorted { $0.canonicalText < $1.canonicalText } }

  /// One access of a process, which takes its time and may fail.
  func access(_ kind: Access, _ key: TokenCacheKey? = nil, by process: AppProcess) async throws {
    await process.gate()
    if slowness > 0 {
      // What is asked for has to be done, also for a task that is cancelled.
      let time = machine.draw.below(slowness)
      await Task.detached { try? await Task.sleep(for: .microseconds(time)) }.value
      await process.gate()
    }
    process.world.noteAccess(by: process)
    await process.gate()
    if let error = trouble.refusal(of: kind, key?.userID) {
      process.world.noteStoreFault(in: process, kind)
      throw error
    }
    if trouble.fails(writing: kind == .writing || kind == .removing) {
      process.world.noteStoreFault(in: process, kind)
      throw ConnectorError(.tokenCache, "The simulated database is in trouble.", isRetryable: true)
    }
  }
}

/// A token cache of four methods, as an app writes it over a database, without any lock.
class FourMethodCache: TokenCache, @unchecked Sendable {
  fileprivate let table: RecordTable
  fileprivate let process: AppProcess

  init(_ table: RecordTable, _ process: AppProcess) {
    self.table = table
    self.process = process
  }

  func record(for key: TokenCacheKey) async throws -> TokenRecord? {
    try await table.access(.reading, key, by: process)
    return table.records[key]
  }

  func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
    try await table.access(.writing, key, by: process)
    table.records[key] = record
  }

  func removeRecord(for key: TokenCacheKey) async throws {
    try await table.access(.removing, key, by: process)
    table.records[key] = nil
  }

  func keys() async throws -> [TokenCacheKey] {
    try await table.access(.listing, by: process)
    return table.keys
  }
}

/// A cache over the same table that processes share: replacements that compare, and a lock for each refresh.
final class SharedDatabaseCache: FourMethodCache, SharedTokenCache, @unchecked Sendable {
  func replace(_ key: TokenCacheKey, expecting stamp: UUID, with record: TokenRecord) async throws -> Bool {
    try await table.access(.writing, key, by: process)
    guard table.records[key]?.stamp == stamp else { return false }
    table.records[key] = record
    return true
  }

  func withRefreshLock(for key: TokenCacheKey, _ work: RefreshWork) async throws {
    let deadline = machine.uptime + 30_000_000_000
    while let holder = table.locks[key], !holder.isDead {
      guard machine.uptime < deadline else {
        throw ConnectorError(.tokenCache, "The simulated refresh lock is not free.", isRetryable: true)
      }
      try await Task.sleep(for: .milliseconds(5))
      await process.gate()
    }
    try Task.checkCancellation()
    table.locks[key] = process
    defer { if !process.isDead { table.locks[key] = nil } }
    await work()
  }
}
