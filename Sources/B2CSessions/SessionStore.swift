package import B2CCore
package import B2CTokenCache
internal import Foundation

/// The one owner of what is known beside the records of a token cache, for every connector over it in this process.
///
/// Nothing else touches the cache. Changes of one key happen one after another, and each is a function of the record of one
/// sign-in: it is applied to what is there, or dropped when another sign-in or none is.
package final class SessionStore: Sendable {
  package typealias Change = @Sendable (TokenRecord) -> TokenRecord

  /// The record after a refresh that the cache has refused to store: its refresh token exists nowhere else.
  struct Pending: Sendable {
    let record: TokenRecord
    /// The stamp of the record that it was made of.
    let base: UUID
    let change: Change
  }

  struct State: Sendable {
    var pending: [TokenCacheKey: Pending] = [:] {
      didSet { if pending.isEmpty { kept = nil } }
    }
    /// This store, while its pending records are in no other place: connectors come and go.
    var kept: SessionStore?
    /// Who is known as current, and since which sign-in.
    var current: [Client: (key: TokenCacheKey, place: SignInPlace)] = [:]
    /// The number of sign-ins and sign-outs: a look-up that began before the last one must not set `current`.
    var changes = 0
    /// The highest position that was seen.
    var highestPosition = Int64.min
    /// Whether all records have been looked at.
    var hasLooked = false
    /// When a token was renewed last that had not expired, and until when it is not renewed again.
    var tried: [TokenFlight: ClosedRange<Date>] = [:]
    /// How long no token of a user is renewed that has not expired: the server asked to wait, or the user refused.
    var waits: [TokenCacheKey: ClosedRange<Date>] = [:]

    /// Forgets what is known of a record that was replaced or removed.
    mutating func forget(_ key: TokenCacheKey) {
      pending[key] = nil
      waits[key] = nil
      tried = tried.filter { $0.key.key != key }
    }
  }

  /// How long a call waits for other calls and other processes, twice the limit of a request, and on which clock.
  package struct Wait: Sendable {
    package let limit: Duration
    package let clock: any Clock<Duration>

    package init(requestLimit: Duration, clock: any Clock<Duration>) {
      limit = requestLimit * 2
      self.clock = clock
    }
  }

  private static let attempts = 10

  /// Only this module reaches the cache: everything else works on records.
  let cache: any TokenCache
  let state = Locked(State())
  /// The queue of the changes of each key.
  private let turns = KeyedLock<TokenCacheKey>()
  /// The second queue of each key, for refreshes: in this process nothing else keeps two of them apart.
  let refreshes = KeyedLock<TokenCacheKey>()
  /// The refreshes under way.
  package let flights = SharedWork<TokenFlight, CachedAccessToken>()
  /// The users who are being asked before a refresh: one answer counts for every flight that waits for it.
  package let questions = SharedWork<TokenCacheKey, Void>()
  /// The observers of the sessions of every connector.
  package let observers = SessionObservers()

  /// Makes a store; ``of(_:)`` does it, once for each cache.
  init(_ cache: any TokenCache) { self.cache = cache }

  // MARK: Changing

  /// Stores the record of a sign-in over whatever is there, and makes its user the current one.
  ///
  /// - Throws: ``ConnectorError`` with code `tokenCache`; nothing is changed then.
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
        // The other connectors of this authority and client look it up.
        state.current = state.current.filter { !$0.key.hasSameUsers(as: client) }
        // Of two sign-ins at the same time the one with the later place stays current, whichever is stored last.
        state.current[client] = known.flatMap { $0.place > place ? $0 : nil } ?? (key, place)
      }
    }
    observers.changed()
    // The sign-in is done: what cannot be removed now is found again.
    try? await removeDamaged(wait)
  }

  /// Removes the damaged records that were found; they do not say whose they are.
  ///
  /// - Throws: ``ConnectorError`` with code `tokenCache` when one cannot be removed.
  package func removeDamaged(alsoNewer: Bool = false, _ wait: Wait) async throws {
    guard let cache = cache as? StoredTokenCache else { return }
    try await limited(wait) { [self] in
      try await wrappingCacheErrors("changed") { try await cache.removeDamaged(alsoNewer: alsoNewer) }
    }
  }

  /// Changes the record of one sign-in.
  ///
  /// - Parameters:
  ///   - session: The session as it was read.
  ///   - isKept: Whether the changed record is kept in memory while the cache refuses it.
  ///   - wait: How long to wait for other calls and processes.
  ///   - change: Returns the record as it shall be; it may be called more than once.
  /// - Returns: The changed record; `nil` when another sign-in or none is there.
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

  /// Removes whatever is there of a user.
  ///
  /// - Throws: ``ConnectorError`` with code `tokenCache`; the user is still signed in then.
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

  /// Tries once to write every record that the cache has refused.
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

  /// Writes the record that the cache has refused; drops it when its sign-in has gone.
  func writePending(_ key: TokenCacheKey) async throws {
    for _ in 0..<Self.attempts {
      guard let pending = state.withLock({ $0.pending[key] }) else { return }
      let stored = try await cache.record(for: key)
      var isDone = true
      // The same stamp: it was written, though the cache reported an error.
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
    // There is no other writer: this is the key's turn.
    try await cache.store(next, for: key)
    return true
  }

  private static func changed(_ record: TokenRecord, _ change: Change) -> TokenRecord {
    var next = change(record)
    next.stamp = UUID()
    return next
  }

  // MARK: Turns

  /// Runs a change after those of the same key that came before.
  ///
  /// The change always begins, also if the caller is cancelled: a new refresh token that the cache does not take has to become
  /// pending.
  func inTurn<Value: Sendable>(
    _ key: TokenCacheKey, _ wait: Wait, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await Task { try await turns.withLock(key) { try await limited(wait, body) } }.value
  }

  /// Runs a change, which the caller's cancellation does not stop.
  ///
  /// A cache that waits for another process is cancelled when the time is over.
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
