#if os(Linux)
  import B2CTokenCache

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

  /// A token cache of four methods, as an app writes it over a database: a class without any lock.
  class FourMethodCache: TokenCache, @unchecked Sendable {
    let table: RecordTable
    /// The process it belongs to; `nil` for a cache that looks at the table from outside.
    let process: AppProcess?

    init(_ table: RecordTable, _ process: AppProcess?) {
      self.table = table
      self.process = process
    }

    func record(for key: TokenCacheKey) async throws -> TokenRecord? {
      try await access(writing: false)
      return table.records[key]
    }

    func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
      try await access(writing: true)
      table.records[key] = record
    }

    func removeRecord(for key: TokenCacheKey) async throws {
      try await access(writing: true)
      table.records[key] = nil
    }

    func keys() async throws -> [TokenCacheKey] {
      try await access(writing: false)
      return table.keys
    }

    func access(writing: Bool) async throws {
      guard let process else { return }
      await process.gate()
      if table.slowness > 0 {
        // What is asked for has to be done, also for a task that is cancelled.
        let time = machine.draw.below(table.slowness)
        await Task.detached { try? await Task.sleep(for: .microseconds(time)) }.value
        await process.gate()
      }
      process.world.noteAccess(by: process)
      await process.gate()
      if table.trouble.fails(writing: writing) {
        process.world.noteStoreFault(in: process)
        throw TokenCacheError(writing ? .unwritable : .unreadable, "The simulated database is in trouble.")
      }
    }
  }

  /// A cache over the same table that processes share: atomic updates, and a lock for each refresh.
  final class SharedDatabaseCache: FourMethodCache, SharedTokenCache, @unchecked Sendable {
    func update(
      _ key: TokenCacheKey, _ change: @escaping @Sendable (TokenRecord?) -> TokenRecord?
    ) async throws -> TokenRecord? {
      try await access(writing: true)
      let new = change(table.records[key])
      table.records[key] = new
      return new
    }

    func withRefreshLock<Result: Sendable>(
      for key: TokenCacheKey, _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
      guard let process else { return try await body() }
      let deadline = machine.uptime + 30_000_000_000
      while let holder = table.locks[key], !holder.isDead {
        guard machine.uptime < deadline else {
          throw TokenCacheError(.lockTimedOut, "The simulated refresh lock is not free.")
        }
        try await Task.sleep(for: .milliseconds(5))
        await process.gate()
      }
      try Task.checkCancellation()
      table.locks[key] = process
      defer { if !process.isDead { table.locks[key] = nil } }
      return try await body()
    }
  }
#endif
