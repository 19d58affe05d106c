import B2CCore
import B2CTestKit
import B2CTokenCache
import Foundation
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
    /// Whether a record may be replaced by one that expects a stamp.
    var comparing: @Sendable (TokenRecord?, UUID) -> Bool = { $0?.stamp == $1 }
    var writesReplacements = true
    var replacesInTwoSteps = false
    var excludes = true
    var heedsCancellation = true
    var restoresAfterWork = false
    /// Runs the work of a refresh lock.
    var working: @Sendable (RefreshWork) async -> Void = { await $0() }
  }

  private let behaviour: Behaviour
  private let records = Locked<[TokenCacheKey: TokenRecord]>([:])
  private let stored = Locked<Set<TokenCacheKey>>([])
  private let turns = SharedMemoryCache()

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

  func replace(_ key: TokenCacheKey, expecting stamp: UUID, with record: TokenRecord) async throws -> Bool {
    let name = behaviour.naming(key)
    if behaviour.replacesInTwoSteps {
      guard behaviour.comparing(records.withLock({ $0[name] }), stamp) else { return false }
      for _ in 0..<5 { await Task.yield() }
      records.withLock { $0[name] = record }
      return true
    }
    return records.withLock { records in
      guard behaviour.comparing(records[name], stamp) else { return false }
      if behaviour.writesReplacements { records[name] = record }
      return true
    }
  }

  func withRefreshLock(for key: TokenCacheKey, _ work: RefreshWork) async throws {
    guard behaviour.excludes else { return await behaviour.working(work) }
    let name = behaviour.naming(key)
    let body: @Sendable () async throws -> Void = { [self] in
      try await turns.underRefreshLock(of: name) { [self] in
        let before = records.withLock { $0[name] }
        await behaviour.working(work)
        if behaviour.restoresAfterWork { records.withLock { $0[name] = before } }
      }
    }
    if behaviour.heedsCancellation { try await body() } else { try await Task(operation: body).value }
  }
}

/// A cache of the four methods alone.
actor PlainTokenCache: TokenCache {
  private var records: [TokenCacheKey: TokenRecord] = [:]

  func record(for key: TokenCacheKey) -> TokenRecord? { records[key] }
  func store(_ record: TokenRecord, for key: TokenCacheKey) { records[key] = record }
  func removeRecord(for key: TokenCacheKey) { records[key] = nil }
  func keys() -> [TokenCacheKey] { Array(records.keys) }
}

/// A process's view of a shared dictionary that has its own refresh locks.
final class SeparateLocksCache: SharedTokenCache {
  private let store: SharedMemoryCache
  private let own = SharedMemoryCache()

  init(_ store: SharedMemoryCache) {
    self.store = store
  }

  func record(for key: TokenCacheKey) async -> TokenRecord? { await store.record(for: key) }
  func store(_ record: TokenRecord, for key: TokenCacheKey) async { await store.store(record, for: key) }
  func removeRecord(for key: TokenCacheKey) async { await store.removeRecord(for: key) }
  func keys() async -> [TokenCacheKey] { await store.keys() }
  func replace(_ key: TokenCacheKey, expecting stamp: UUID, with record: TokenRecord) async -> Bool {
    await store.replace(key, expecting: stamp, with: record)
  }
  func withRefreshLock(for key: TokenCacheKey, _ work: RefreshWork) async throws {
    try await own.withRefreshLock(for: key, work)
  }
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
