#if os(Linux)
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

    var isAny: Bool { isFull || isUnreachable || failingAccesses > 0 }

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
  }

  extension RecordTable {
    /// One access of a process, which takes its time and may fail; `nil` for a look from outside.
    func access(by process: AppProcess, writing: Bool) async throws {
      await process.gate()
      if slowness > 0 {
        // What is asked for has to be done, also for a task that is cancelled.
        let time = machine.draw.below(slowness)
        await Task.detached { try? await Task.sleep(for: .microseconds(time)) }.value
        await process.gate()
      }
      process.world.noteAccess(by: process)
      await process.gate()
      if trouble.fails(writing: writing) {
        process.world.noteStoreFault(in: process)
        throw ConnectorError(.tokenCache, "The simulated database is in trouble.", isRetryable: true)
      }
    }
  }

  /// A token cache of four methods, as an app writes it over a database: an actor without any lock.
  actor FourMethodCache: TokenCache {
    private let table: RecordTable
    private let process: AppProcess

    init(_ table: RecordTable, _ process: AppProcess) {
      self.table = table
      self.process = process
    }

    func record(for key: TokenCacheKey) async throws -> TokenRecord? {
      try await table.access(by: process, writing: false)
      return table.records[key]
    }

    func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
      try await table.access(by: process, writing: true)
      table.records[key] = record
    }

    func removeRecord(for key: TokenCacheKey) async throws {
      try await table.access(by: process, writing: true)
      table.records[key] = nil
    }

    func keys() async throws -> [TokenCacheKey] {
      try await table.access(by: process, writing: false)
      return table.keys
    }
  }

  /// A cache over the same table that processes share: replacements that compare, and a lock for each refresh.
  actor SharedDatabaseCache: SharedTokenCache {
    private let table: RecordTable
    private let process: AppProcess
    private let four: FourMethodCache

    init(_ table: RecordTable, _ process: AppProcess) {
      self.table = table
      self.process = process
      four = FourMethodCache(table, process)
    }

    func record(for key: TokenCacheKey) async throws -> TokenRecord? { try await four.record(for: key) }
    func store(_ record: TokenRecord, for key: TokenCacheKey) async throws { try await four.store(record, for: key) }
    func removeRecord(for key: TokenCacheKey) async throws { try await four.removeRecord(for: key) }
    func keys() async throws -> [TokenCacheKey] { try await four.keys() }

    func replace(_ key: TokenCacheKey, expecting stamp: UUID, with record: TokenRecord) async throws -> Bool {
      try await table.access(by: process, writing: true)
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
#endif
