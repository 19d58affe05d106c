import B2CCore
import B2CTestKit
import B2CTokenCache
import TestSupport

/// A cache in memory that keeps the rules, with a switch for each fault.
final class FaultyTokenCache: SharedTokenCache {
  struct Behaviour: Sendable {
    var reading: @Sendable (TokenCacheKey, TokenRecord?) throws -> TokenRecord? = { $1 }
    var storing: @Sendable (TokenCacheKey, TokenRecord?, TokenRecord) -> TokenRecord? = { $2 }
    var removing: @Sendable (TokenCacheKey, Bool) throws -> Void = { _, _ in }
    var listing: @Sendable ([TokenCacheKey]) -> [TokenCacheKey] = { $0 }
    /// The key that a record is kept under.
    var naming: @Sendable (TokenCacheKey) -> TokenCacheKey = { $0 }
    var listsStoredKeys = false
    var removes = true
    var writesInTwoSteps = false
    var updatesAtomically = true
    /// Takes the old record and the changed one, and returns the one to keep.
    var updating: @Sendable (TokenRecord?, TokenRecord?) -> TokenRecord? = { $1 }
    var excludes = true
    var passesErrorsOn = true
  }

  private let behaviour: Behaviour
  private let records = Locked<[TokenCacheKey: TokenRecord]>([:])
  private let stored = Locked<Set<TokenCacheKey>>([])
  private let updates = InMemoryTokenCache(lockTimeout: .patience)
  private let turns = InMemoryTokenCache(lockTimeout: .patience)

  init(_ change: (inout Behaviour) -> Void) {
    var behaviour = Behaviour()
    change(&behaviour)
    self.behaviour = behaviour
  }

  func record(for key: TokenCacheKey) async throws -> TokenRecord? {
    try behaviour.reading(key, records.withLock { $0[behaviour.naming(key)] })
  }

  func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
    let name = behaviour.naming(key)
    if behaviour.writesInTwoSteps {
      records.withLock { $0[name, default: record].refreshToken = record.refreshToken }
      for _ in 0..<5 { await Task.yield() }
    }
    records.withLock { records in
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

  func update(
    _ key: TokenCacheKey, _ change: @escaping @Sendable (TokenRecord?) -> TokenRecord?
  ) async throws -> TokenRecord? {
    guard behaviour.updatesAtomically else { return try await changing(key, change) }
    return try await updates.withRefreshLock(for: behaviour.naming(key)) { try await changing(key, change) }
  }

  private func changing(
    _ key: TokenCacheKey, _ change: @Sendable (TokenRecord?) -> TokenRecord?
  ) async throws -> TokenRecord? {
    let old = records.withLock { $0[behaviour.naming(key)] }
    for _ in 0..<5 { await Task.yield() }
    let new = behaviour.updating(old, change(old))
    if let new {
      try await store(new, for: key)
    } else if old != nil {
      try await removeRecord(for: key)
    }
    return new
  }

  func withRefreshLock<Result: Sendable>(
    for key: TokenCacheKey, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    guard behaviour.excludes else { return try await held(body) }
    return try await turns.withRefreshLock(for: behaviour.naming(key)) { try await held(body) }
  }

  private func held<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
    do {
      return try await body()
    } catch  where !behaviour.passesErrorsOn {
      throw TokenCacheError(.unwritable, "Something else.")
    }
  }
}

/// A cache of the four methods alone.
actor PlainTokenCache: TokenCache {
  private var records: [TokenCacheKey: TokenRecord] = [:]
  private(set) var changes = 0
  private let readGate: TestGate?

  init(readGate: TestGate? = nil) {
    self.readGate = readGate
  }

  func record(for key: TokenCacheKey) async throws -> TokenRecord? {
    let record = records[key]
    try await readGate?.wait()
    return record
  }

  func store(_ record: TokenRecord, for key: TokenCacheKey) {
    changes += 1
    records[key] = record
  }

  func removeRecord(for key: TokenCacheKey) {
    changes += 1
    records[key] = nil
  }

  func keys() -> [TokenCacheKey] { Array(records.keys) }
}

/// An instance over a shared dictionary that remembers what it has read.
final class RememberingTokenCache: TokenCache {
  /// When an answer comes from memory.
  enum Fault: CaseIterable {
    case always
    case afterARemoval
  }

  private let store: Locked<[TokenCacheKey: TokenRecord]>
  private let remembered = Locked<[TokenCacheKey: TokenRecord]>([:])
  private let fault: Fault

  init(store: Locked<[TokenCacheKey: TokenRecord]>, _ fault: Fault) {
    self.store = store
    self.fault = fault
  }

  func record(for key: TokenCacheKey) async throws -> TokenRecord? {
    let current = store.withLock { $0[key] }
    return remembered.withLock { remembered in
      if let known = remembered[key], fault == .always || current == nil { return known }
      remembered[key] = current
      return current
    }
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
