package import B2CCore
package import B2CTokenCache
internal import Foundation

/// The one owner of a token cache, for every connector in this process that uses this cache.
///
/// No other type reads or writes the cache. The changes of one key run one after another. Each change is a function of
/// the record of one sign-in. If another sign-in or no record is in the cache by then, the change is dropped.
package final class SessionStore: Sendable {
  package typealias Change = @Sendable (TokenRecord) -> TokenRecord

  /// A refreshed record that the cache refused to store, whose refresh token exists nowhere else.
  struct Pending: Sendable {
    let record: TokenRecord
    /// The stamp of the record before the change.
    let base: UUID
    let change: Change
  }

  struct State: Sendable {
    var pending: [TokenCacheKey: Pending] = [:] {
      didSet { if pending.isEmpty { kept = nil } }
    }
    /// This store itself while it has pending records, because the connectors that hold it may be released.
    var kept: SessionStore?
    /// The user who is known as current, and the place of that user's sign-in in the order of all sign-ins.
    var current: [Client: (key: TokenCacheKey, place: SignInPlace)] = [:]
    /// The number of sign-ins and sign-outs.
    ///
    /// A look-up that began before the last one must not set `current`.
    var changes = 0
    var highestPosition = Int64.min
    /// Whether this store has looked at all records once.
    var hasLooked = false
    /// The minute after the last renewal of a token, in which a token that has not expired is not renewed again.
    var tried: [TokenFlight: ClosedRange<Date>] = [:]
    /// The time in which a user's valid token is not renewed, because the server asked to wait or the user refused.
    var waits: [TokenCacheKey: ClosedRange<Date>] = [:]

    /// Forgets the state of a record that was replaced or removed.
    mutating func forget(_ key: TokenCacheKey) {
      pending[key] = nil
      waits[key] = nil
      tried = tried.filter { $0.key.key != key }
    }
  }

  /// The time that a call waits for other calls and other processes, and the clock for it.
  ///
  /// The limit is twice that of a request, so that a request of another caller ends before it.
  package struct Wait: Sendable {
    package let limit: Duration
    package let clock: any Clock<Duration>

    package init(requestLimit: Duration, clock: any Clock<Duration>) {
      limit = requestLimit * 2
      self.clock = clock
    }
  }

  private static let attempts = 10

  /// The cache, which only this module uses, so that everything else works with records.
  let cache: any TokenCache
  let state = Locked(State())
  /// The queue of each key, in which its changes run one after another.
  private let turns = KeyedLock<TokenCacheKey>()
  /// The second queue of each key, which runs one refresh at a time, because caches only exclude other processes.
  let refreshes = KeyedLock<TokenCacheKey>()
  /// The refreshes in flight.
  package let flights = SharedWork<TokenFlight, CachedAccessToken>()
  /// The questions to users before a refresh, whose answer counts for all flights of the user that wait.
  package let questions = SharedWork<TokenCacheKey, Void>()
  /// The observers of the sessions of every connector.
  package let observers = SessionObservers()

  /// Creates a store, which only ``of(_:)`` does, once for each cache.
  init(_ cache: any TokenCache) { self.cache = cache }

  // MARK: Changing

  /// Stores the record of a sign-in over any existing record, and makes its user the current one.
  ///
  /// - Throws: ``ConnectorError`` with code `tokenCache` if the cache refuses the record. Nothing has changed then.
  package func signIn(_ record: TokenRecord, _ key: TokenCacheKey, of client: Client, _ wait: Wait) async throws {
    await lookOnce()
    try await inTurn(key, wait) { [self] in
      var record = record
      record.position = nextPosition(at: record.signedInAt)
      try await wrappingCacheErrors("written") { [record] in try await cache.store(record, for: key) }
      let place = record.place
      state.withLock { state in
        state.changes += 1
        state.forget(key)
        let known = state.current[client]
        // The connectors with other settings for the same users must look up their current user again.
        state.current = state.current.filter { !$0.key.hasSameUsers(as: client) }
        // If two users sign in at the same time, the later place is current, whichever record is stored last.
        state.current[client] = known.flatMap { $0.place > place ? $0 : nil } ?? (key, place)
      }
    }
    observers.changed()
    // The sign-in is complete. A damaged item that cannot be removed now is found again by the next sign-in.
    try? await removeDamaged(wait)
  }

  /// Removes the damaged records that were found, which do not say whose they are.
  ///
  /// - Throws: ``ConnectorError`` with code `tokenCache` if one of them cannot be removed.
  package func removeDamaged(alsoNewer: Bool = false, _ wait: Wait) async throws {
    guard let cache = cache as? StoredTokenCache else { return }
    try await limited(wait) { [self] in
      try await wrappingCacheErrors("changed") { try await cache.removeDamaged(alsoNewer: alsoNewer) }
    }
  }

  /// Changes the record of one sign-in.
  ///
  /// - Parameters:
  ///   - session: The session as the caller read it.
  ///   - isKept: Whether the changed record is kept in memory if the cache refuses it.
  ///   - wait: How long to wait for other calls and processes.
  ///   - change: Returns the changed record. It may be called more than once.
  /// - Returns: The changed record, or `nil` if another sign-in or no record is in the cache.
  /// - Throws: ``ConnectorError`` with code `tokenCache`.
  package func update(
    _ session: Session, isKept: Bool = false, _ wait: Wait, _ change: @escaping Change
  ) async throws -> TokenRecord? {
    let updated = try await inTurn(session.key, wait) { [self] in
      try? await writePending(session.key)
      return try await replace(session, isKept: isKept, change)
    }
    observers.changed()
    return updated
  }

  /// Removes a user's record, whatever it contains.
  ///
  /// - Throws: ``ConnectorError`` with code `tokenCache` if the cache refuses. The user is still signed in then.
  package func remove(_ key: TokenCacheKey, _ wait: Wait) async throws {
    try await inTurn(key, wait) { [self] in
      try await wrappingCacheErrors("changed") { try await cache.removeRecord(for: key) }
      state.withLock { state in
        state.changes += 1
        state.forget(key)
        state.current = state.current.filter { $0.value.key != key }
      }
    }
  }

  /// Tries once to write every record that the cache refused to store.
  func writeAllPending(_ wait: Wait) async {
    for key in state.withLock({ Array($0.pending.keys) }) {
      try? await inTurn(key, wait) { try await self.writePending(key) }
    }
  }

  private func replace(_ session: Session, isKept: Bool, _ change: @escaping Change) async throws -> TokenRecord? {
    let key = session.key
    // A pending change is not stored yet, so this one is applied on top of it.
    let pending = state.withLock { $0.pending[key] }.flatMap { $0.record.signIn == session.record.signIn ? $0 : nil }
    let whole: Change = if let pending { { change(pending.change($0)) } } else { change }
    let latest = pending?.record ?? session.record
    var (base, next) = (pending?.base ?? latest.stamp, Self.changed(latest, change))
    do {
      for _ in 0..<Self.attempts {
        guard let stored = try await cache.record(for: key), stored.signIn == session.record.signIn else {
          return nil
        }
        (base, next) = (stored.stamp, Self.changed(stored, whole))
        if try await swap(key, stored, next) {
          state.withLock { $0.pending[key] = nil }
          return next
        }
      }
      throw ConnectorError(
        own: .tokenCache,
        "The token record could not be updated: \(Self.attempts) attempts conflicted with other writers.",
        isRetryable: true)
    } catch {
      if isKept {
        let pending = Pending(record: next, base: base, change: whole)
        state.withLock { state in
          guard [nil, next.signIn].contains(state.pending[key]?.record.signIn) else { return }
          state.pending[key] = pending
          state.kept = self
        }
      }
      throw Self.wrapped(error, "written")
    }
  }

  /// Writes the pending record of a key, or drops it if its sign-in is gone.
  func writePending(_ key: TokenCacheKey) async throws {
    for _ in 0..<Self.attempts {
      guard let pending = state.withLock({ $0.pending[key] }) else { return }
      let stored = try await cache.record(for: key)
      var isDone = true
      // With the same stamp, the record was written although the cache reported an error.
      if let stored, stored.signIn == pending.record.signIn, stored.stamp != pending.record.stamp {
        let next = stored.stamp == pending.base ? pending.record : Self.changed(stored, pending.change)
        isDone = try await swap(key, stored, next)
      }
      if isDone {
        state.withLock { $0.pending[key] = nil }
        return
      }
    }
  }

  private func swap(_ key: TokenCacheKey, _ stored: TokenRecord, _ next: TokenRecord) async throws -> Bool {
    if let shared = cache as? any SharedTokenCache {
      return try await shared.replace(key, expecting: stored.stamp, with: next)
    }
    // No other process writes to this cache, and no other call of this process writes to this key now.
    try await cache.store(next, for: key)
    return true
  }

  private static func changed(_ record: TokenRecord, _ change: Change) -> TokenRecord {
    var next = change(record)
    next.stamp = UUID()
    return next
  }

  // MARK: Turns

  /// Runs a change after the earlier changes of the same key.
  ///
  /// The change always begins, even if the caller is cancelled, because a new refresh token that the cache refuses must
  /// become pending.
  func inTurn<Value: Sendable>(
    _ key: TokenCacheKey, _ wait: Wait, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await Task { try await turns.withLock(key) { try await limited(wait, body) } }.value
  }

  /// Runs a change that continues even if the caller is cancelled.
  ///
  /// When the time is over, the change is cancelled, so that a cache stops waiting for another process.
  private func limited<Value: Sendable>(
    _ wait: Wait, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let change = Task(operation: body)
    let limit = Task {
      try await wait.clock.sleep(for: wait.limit, tolerance: .milliseconds(100))
      change.cancel()
    }
    defer { limit.cancel() }
    do {
      return try await change.value
    } catch is CancellationError {
      throw ConnectorError(
        own: .tokenCache, "The token record was not free for a change within \(wait.limit).",
        recoverySuggestion: "Try again later.", isRetryable: true)
    }
  }
}
