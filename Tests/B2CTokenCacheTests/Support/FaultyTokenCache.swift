import B2CTokenCache
import Foundation
import TestSupport

/// A cache in memory that keeps the rules, except for those that its behaviour breaks.
final class FaultyTokenCache: SharedTokenCache {
  struct Behaviour: Sendable {
    /// Whether the store of the records is there.
    var isReachable = true
    var reading: @Sendable (TokenRecord?) throws -> TokenRecord? = { $0 }
    /// Returns what a store keeps of the old record and the new one.
    var storing: @Sendable (TokenRecord?, TokenRecord) -> TokenRecord? = { $1 }
    var writesInTwoSteps = false
    /// Returns whether a record is removed, given whether there is one.
    var removing: @Sendable (Bool) throws -> Bool = { _ in true }
    var listing: @Sendable ([TokenCacheKey]) -> [TokenCacheKey] = { $0 }
    /// Returns the key that a record is kept under.
    var naming: @Sendable (TokenCacheKey) -> TokenCacheKey = { $0 }
    /// Returns whether a record may be replaced by one that expects a stamp.
    var comparing: @Sendable (TokenRecord?, UUID) -> Bool = { $0?.stamp == $1 }
    var writesReplacements = true
    var replacesInTwoSteps = false
    var locking: @Sendable (FaultyTokenCache, TokenCacheKey, RefreshWork) async throws -> Void = {
      try await $0.turns.withRefreshLock(for: $1, $2)
    }
  }

  let records = Locked<[TokenCacheKey: TokenRecord]>([:])
  let turns = SharedMemoryCache()
  private let stored = Locked<Set<TokenCacheKey>>([])
  private let behaviour: Behaviour

  init(_ change: (inout Behaviour) -> Void) {
    var behaviour = Behaviour()
    change(&behaviour)
    self.behaviour = behaviour
  }

  private func reachStore() throws {
    if !behaviour.isReachable { throw Failure("The store cannot be reached.") }
  }

  func record(for key: TokenCacheKey) async throws -> TokenRecord? {
    try reachStore()
    return try behaviour.reading(records.withLock { $0[behaviour.naming(key)] })
  }

  func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
    try reachStore()
    let name = behaviour.naming(key)
    if behaviour.writesInTwoSteps {
      records.withLock { $0[name, default: record].refreshToken = record.refreshToken }
      for _ in 0..<5 { await Task.yield() }
    }
    records.withLock { records in
      if let kept = behaviour.storing(records[name], record) { records[name] = kept }
    }
    stored.withLock { _ = $0.insert(key) }
  }

  func removeRecord(for key: TokenCacheKey) async throws {
    try reachStore()
    let name = behaviour.naming(key)
    guard try behaviour.removing(records.withLock { $0[name] != nil }) else { return }
    records.withLock { $0[name] = nil }
    stored.withLock { _ = $0.remove(key) }
  }

  func keys() async throws -> [TokenCacheKey] {
    try reachStore()
    return behaviour.listing(Array(stored.withLock { $0 }))
  }

  func replace(_ key: TokenCacheKey, expecting stamp: UUID, with record: TokenRecord) async throws -> Bool {
    try reachStore()
    let name = behaviour.naming(key)
    if behaviour.replacesInTwoSteps {
      guard behaviour.comparing(records.withLock({ $0[name] }), stamp) else { return false }
      for _ in 0..<5 { await Task.yield() }
    }
    return records.withLock { records in
      guard behaviour.replacesInTwoSteps || behaviour.comparing(records[name], stamp) else { return false }
      if behaviour.writesReplacements { records[name] = record }
      return true
    }
  }

  func withRefreshLock(for key: TokenCacheKey, _ work: RefreshWork) async throws {
    try await behaviour.locking(self, key, work)
  }
}

/// An instance over a shared store that remembers what it has read.
final class RememberingTokenCache: WrappingCache {
  /// When an answer comes from memory.
  enum Fault: CaseIterable { case always, afterARemoval }

  let inner: any TokenCache
  private let remembered = Locked<[TokenCacheKey: TokenRecord]>([:])
  private let fault: Fault

  init(over store: any TokenCache, _ fault: Fault) {
    inner = store
    self.fault = fault
  }

  func record(for key: TokenCacheKey) async throws -> TokenRecord? {
    let current = try await inner.record(for: key)
    return remembered.withLock { remembered in
      if let known = remembered[key], fault == .always || current == nil { return known }
      remembered[key] = current
      return current
    }
  }

  func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
    try await inner.store(record, for: key)
    remembered.withLock { $0[key] = record }
  }

  func removeRecord(for key: TokenCacheKey) async throws {
    try await inner.removeRecord(for: key)
    remembered.withLock { $0[key] = nil }
  }
}
