internal import B2CCore
internal import B2CTokenCache
internal import Foundation

/// The one owner of what is known beside the records of a token cache, for every connector over it in this process.
///
/// Nothing else touches the cache. Changes of one key happen one after another, and each is a function of the record of one
/// sign-in: it is applied to what is there, or dropped when another sign-in or none is.
package final class SessionStore: Sendable {
  typealias Change = @Sendable (TokenRecord) -> TokenRecord

  /// The record after a refresh that the cache has refused to store: its refresh token exists nowhere else.
  private struct Pending: Sendable {
    let record: TokenRecord
    /// The stamp of the record that it was made of.
    let base: UUID
    let change: Change
  }

  private struct State: Sendable {
    var pending: [TokenCacheKey: Pending] = [:] {
      didSet { if pending.isEmpty { kept = nil } }
    }
    /// This store, while its pending records are in no other place: connectors come and go.
    var kept: SessionStore?
    var current: [Client: TokenCacheKey] = [:]
    /// How often a user came or went: who was looked up before must not be current after it.
    var changes = 0
    /// When a token was renewed last that had not expired, and until when it is not renewed again.
    var tried: [TokenFlight: ClosedRange<Date>] = [:]
  }

  private static let attempts = 10

  let cache: any TokenCache
  private let state = Locked(State())
  /// The queue of the changes of each key.
  private let turns = KeyedLock<TokenCacheKey>()
  /// The second queue of each key, for refreshes.
  let refreshes = KeyedLock<TokenCacheKey>()
  /// The refreshes under way.
  let flights = SharedWork<TokenFlight, CachedAccessToken>()
  /// What users are being asked before a flight begins; nothing waits for it but its callers.
  let questions = SharedWork<TokenFlight, Void>()

  /// Whether a refresh is under way, or its user is being asked.
  func isUnderWay(_ flight: TokenFlight) -> Bool { flights.isUnderWay(flight) || questions.isUnderWay(flight) }
  /// The observers of the sessions of every connector.
  let observers = SessionObservers()

  /// Makes a store; ``of(_:)`` does it, once for each cache.
  init(_ cache: any TokenCache) {
    self.cache = cache
  }

  // MARK: Reading

  /// Returns the record of a key, as a refresh has left it where the cache has refused that.
  ///
  /// - Throws: ``ConnectorError`` with code `tokenCache`; `CancellationError`.
  func record(_ key: TokenCacheKey) async throws -> TokenRecord? {
    guard state.withLock({ $0.pending[key] != nil }) else { return try await read(key) }
    // In its turn: what another caller writes meanwhile would be in neither place that is looked at.
    return try await inTurn(key) { [self] in
      try? await writePending(key)
      return try await read(key)
    }
  }

  private func read(_ key: TokenCacheKey) async throws -> TokenRecord? {
    let stored = try await failing("read") { try await cache.record(for: key) }
    let pending = state.withLock { $0.pending[key]?.record }
    return pending.flatMap { $0.signIn == stored?.signIn ? $0 : nil } ?? stored
  }

  /// Returns the session of the current user: of the one who signed in last, or whom the settings require.
  ///
  /// - Parameters:
  ///   - client: Whose current user it is.
  ///   - looksAgain: Whether to list the cache although the current user is known.
  ///   - now: The time; a sign-in in the future counts as the oldest.
  ///   - isRequired: Whether a user may be current.
  /// - Returns: The session; `nil` when no user may be current.
  /// - Throws: The cache's error, when the record of the one who may be current cannot be read now: a cache
  ///   that fails signs no user out, and gives no caller the token of another user.
  func current(
    of client: Client, looksAgain: Bool, now: Date, where isRequired: (Session) -> Bool
  ) async throws -> Session? {
    let (known, changes) = state.withLock { ($0.current[client], $0.changes) }
    if let known {
      do {
        if let record = try await record(known), !looksAgain { return Session(key: known, record: record) }
      } catch let error as ConnectorError where !error.isRetryable {
        // One that never can be read is passed by, as in the listing.
      }
    }
    let (sessions, failure) = try await sessions(of: client)
    if let failure, failure.isRetryable { throw failure }
    let signedIn = { (session: Session) in
      // Not the current one: a clock that is set back for a moment switches no user.
      session.record.signedInAt > now && session.key != known ? Date.distantPast : session.record.signedInAt
    }
    // Of two at the same instant, as on a test's clock, the known one stays.
    let latest = sessions.filter(isRequired).max {
      signedIn($0) == signedIn($1) ? $1.key == known : signedIn($0) < signedIn($1)
    }
    if latest == nil, let failure { throw failure }
    let isAnother = state.withLock { state in
      guard state.changes == changes else { return false }
      state.current[client] = latest?.key
      return known != nil && known != latest?.key
    }
    if isAnother { observers.changed() }
    return latest
  }

  /// Returns the sessions that can be read, and why others cannot: one bad record does not hide the others.
  ///
  /// - Throws: The cache's error when it cannot be listed.
  func sessions(of client: Client) async throws -> (sessions: [Session], failure: ConnectorError?) {
    await writeAllPending()
    var sessions: [Session] = []
    var failure: ConnectorError?
    for key in try await keys(of: client) {
      do {
        if let record = try await record(key) { sessions.append(Session(key: key, record: record)) }
      } catch let error as ConnectorError {
        if failure?.isRetryable != true { failure = error }
      }
    }
    return (sessions, failure)
  }

  /// Returns the keys of the users of an authority and client, also of records that exist in memory alone.
  ///
  /// - Throws: The cache's error when it cannot be listed.
  func keys(of client: Client) async throws -> Set<TokenCacheKey> {
    let listed = try await failing("listed") { try await cache.keys() }
    return Set((listed + state.withLock { Array($0.pending.keys) }).filter(client.isOwn))
  }

  // MARK: Changing

  /// Stores the record of a sign-in over whatever is there, and makes its user the current one.
  ///
  /// - Throws: ``ConnectorError`` with code `tokenCache`; nothing is changed then.
  func signIn(_ record: TokenRecord, _ key: TokenCacheKey, of client: Client) async throws {
    try await inTurn(key) { [self] in
      try await failing("written") { try await cache.store(record, for: key) }
      state.withLock { state in
        state.changes += 1
        state.pending[key] = nil
        state.tried = state.tried.filter { $0.key.key != key }
        // The other connectors of this authority and client look it up.
        state.current = state.current.filter {
          $0.key.authority != client.authority || $0.key.clientID != client.clientID
        }
        state.current[client] = key
      }
    }
    observers.changed()
  }

  /// Changes the record of one sign-in.
  ///
  /// - Parameters:
  ///   - session: The session as it was read.
  ///   - isKept: Whether the changed record is kept in memory while the cache refuses it.
  ///   - change: Returns the record as it shall be; it may be called more than once.
  /// - Returns: The changed record; `nil` when another sign-in or none is there.
  /// - Throws: ``ConnectorError`` with code `tokenCache`.
  func update(
    _ session: Session, isKept: Bool = false, _ change: @escaping Change
  ) async throws -> TokenRecord? {
    let updated = try await inTurn(session.key) { [self] in
      try? await writePending(session.key)
      return try await replace(session, isKept: isKept, change)
    }
    observers.changed()
    return updated
  }

  /// Removes whatever is there of a user.
  ///
  /// - Throws: ``ConnectorError`` with code `tokenCache`; the user is still signed in then.
  func remove(_ key: TokenCacheKey) async throws {
    try await inTurn(key) { [self] in
      try await failing("changed") { try await cache.removeRecord(for: key) }
      state.withLock { state in
        state.changes += 1
        state.pending[key] = nil
        state.tried = state.tried.filter { $0.key.key != key }
        state.current = state.current.filter { $0.value != key }
      }
    }
  }

  /// Tries once to write every record that the cache has refused.
  func writeAllPending() async {
    for key in state.withLock({ Array($0.pending.keys) }) {
      try? await inTurn(key) { try await self.writePending(key) }
    }
  }

  private func replace(_ session: Session, isKept: Bool, _ change: @escaping Change) async throws -> TokenRecord? {
    let key = session.key
    // What waits has not been written: this change comes after it.
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
        own: .tokenCache, "A token record could not be changed: others change it all the time.", isRetryable: true)
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
  private func writePending(_ key: TokenCacheKey) async throws {
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

  // MARK: Refreshing

  /// Whether a token that has not expired may be renewed: at most once a minute, and not before the server wants it.
  func mayTry(_ flight: TokenFlight, now: Date) -> Bool {
    // A clock that was set back holds nothing back.
    state.withLock { $0.tried[flight]?.contains(now) != true }
  }

  /// Notes that a token is being renewed, or that the server asks to wait before the next time.
  func noteTry(_ flight: TokenFlight, now: Date, wait: TimeInterval = 60) {
    state.withLock { state in
      // A server for many users does not keep what is over.
      if state.tried.count >= 1_024 { state.tried = state.tried.filter { $0.value.contains(now) } }
      state.tried[flight] = now...now.addingTimeInterval(max(wait, 60))
    }
  }

  /// Waits for the refreshes under way, then tries once to write what the cache has refused.
  package func close() async {
    await flights.wait()
    await writeAllPending()
  }

  // MARK: Turns

  /// Runs a change after those of the same key that came before; neither waiting nor the change is cancelled.
  private func inTurn<Value: Sendable>(
    _ key: TokenCacheKey, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await Task { try await turns.withLock(key, body) }.value
  }
}
