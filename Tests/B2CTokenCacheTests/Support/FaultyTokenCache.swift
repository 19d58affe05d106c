import B2CCore
import B2CTokenCache

/// A sound cache in memory with a switch for each fault.
final class FaultyTokenCache: ExclusiveTokenCache {
  struct Behaviour: Sendable {
    var reading: @Sendable (TokenCacheKey, TokenRecord?) throws -> TokenRecord? = { $1 }
    var storing: @Sendable (TokenCacheKey, TokenRecord?, TokenRecord) -> TokenRecord? = { $2 }
    var removing: @Sendable (TokenCacheKey, Bool) throws -> Void = { _, _ in }
    var listing: @Sendable ([TokenCacheKey]) -> [TokenCacheKey] = { $0 }
    /// What a key is kept under.
    var naming: @Sendable (TokenCacheKey) -> TokenCacheKey = { $0 }
    var listsStoredKeys = false
    var removes = true
    var capacity = Int.max
    var writesInTwoSteps = false
    var excludes = true
    /// The key whose turn is taken for a key.
    var locking: @Sendable (TokenCacheKey) -> TokenCacheKey = { $0 }
    var releasesAfterErrors = true
    var lockTimeout = Duration.seconds(30)
    /// Called before a store inside exclusive access, which then never returns.
    var stuckInside: (@Sendable () -> Void)?
  }

  private let behaviour: Behaviour
  private let records = Locked<[TokenCacheKey: TokenRecord]>([:])
  private let stored = Locked<Set<TokenCacheKey>>([])
  // Turns are not waited for long, so that a cache that waits for itself is found soon.
  private let turns: InMemoryTokenCache
  @TaskLocal private static var isInside = false

  init(_ change: (inout Behaviour) -> Void) {
    var behaviour = Behaviour()
    change(&behaviour)
    self.behaviour = behaviour
    turns = InMemoryTokenCache(lockTimeout: behaviour.lockTimeout)
  }

  func record(for key: TokenCacheKey) async throws -> TokenRecord? {
    try behaviour.reading(key, records.withLock { $0[behaviour.naming(key)] })
  }

  func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
    if let stuckInside = behaviour.stuckInside, Self.isInside {
      stuckInside()
      try await Task.sleep(for: .seconds(3600))
    }
    let name = behaviour.naming(key)
    if behaviour.writesInTwoSteps {
      records.withLock { $0[name, default: record].refreshToken = record.refreshToken }
      for _ in 0..<5 { await Task.yield() }
    }
    records.withLock { records in
      guard records.count < behaviour.capacity else { return }
      if let kept = behaviour.storing(key, records[name], record) { records[name] = kept }
    }
    stored.withLock { _ = $0.insert(key) }
  }

  func removeRecord(for key: TokenCacheKey) async throws {
    let isThere = records.withLock { $0[behaviour.naming(key)] != nil }
    try behaviour.removing(key, isThere)
    if behaviour.removes {
      records.withLock { $0[behaviour.naming(key)] = nil }
      stored.withLock { _ = $0.remove(key) }
    }
  }

  func keys() async throws -> [TokenCacheKey] {
    behaviour.listing(
      behaviour.listsStoredKeys ? Array(stored.withLock { $0 }) : records.withLock { Array($0.keys) })
  }

  func withExclusiveAccess<Result: Sendable>(
    to key: TokenCacheKey, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    guard behaviour.excludes else { return try await body() }
    return try await turns.withExclusiveAccess(to: behaviour.locking(key)) {
      do {
        return try await Self.$isInside.withValue(true) { try await body() }
      } catch  where !behaviour.releasesAfterErrors {
        throw TokenCacheError(.unwritable, "Something else.")
      }
    }
  }
}

/// An instance that answers from what it has read before, whatever others have done since.
final class RememberingTokenCache: TokenCache {
  private let store: Locked<[TokenCacheKey: TokenRecord]>
  private let remembered = Locked<[TokenCacheKey: TokenRecord]>([:])

  init(store: Locked<[TokenCacheKey: TokenRecord]>) {
    self.store = store
  }

  func record(for key: TokenCacheKey) async throws -> TokenRecord? {
    if let record = remembered.withLock({ $0[key] }) { return record }
    let record = store.withLock { $0[key] }
    remembered.withLock { $0[key] = record }
    return record
  }

  func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
    store.withLock { $0[key] = record }
    remembered.withLock { $0[key] = record }
  }

  func removeRecord(for key: TokenCacheKey) async throws {
    store.withLock { $0[key] = nil }
    remembered.withLock { $0[key] = nil }
  }

  func keys() async throws -> [TokenCacheKey] { store.withLock { Array($0.keys) } }
}

/// An instance that lists and reads what others store, but goes on reading what they have removed.
final class StaleAfterRemovalCache: TokenCache {
  private let store: Locked<[TokenCacheKey: TokenRecord]>
  private let remembered = Locked<[TokenCacheKey: TokenRecord]>([:])

  init(store: Locked<[TokenCacheKey: TokenRecord]>) {
    self.store = store
  }

  func record(for key: TokenCacheKey) async throws -> TokenRecord? {
    let current = store.withLock { $0[key] }
    return remembered.withLock { remembered in
      if let current { remembered[key] = current }
      return remembered[key]
    }
  }

  func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
    store.withLock { $0[key] = record }
  }

  func removeRecord(for key: TokenCacheKey) async throws {
    store.withLock { $0[key] = nil }
    remembered.withLock { $0[key] = nil }
  }

  func keys() async throws -> [TokenCacheKey] { store.withLock { Array($0.keys) } }
}
