internal import B2CCore
package import B2CTokenCache
internal import Foundation

/// Reads records and finds the current user.
///
/// Only a sign-in or a sign-out, here or in another process, makes another user current.
extension SessionStore {
  // MARK: Records

  /// Returns the record of a key, including a refreshed record that the cache refused to store.
  ///
  /// - Throws: ``ConnectorError`` with code `tokenCache`; `CancellationError`.
  package func record(_ key: TokenCacheKey, _ wait: Wait) async throws -> TokenRecord? {
    guard state.withLock({ $0.pending[key] != nil }) else { return try await read(key) }
    // Read inside the key's queue. Otherwise another caller could store the pending record between the two reads, and
    // this call would miss it.
    return try await inTurn(key, wait) { [self] in
      try? await writePending(key)
      return try await read(key)
    }
  }

  func read(_ key: TokenCacheKey) async throws -> TokenRecord? {
    let stored = try await wrappingCacheErrors("read", canLast: true) { try await cache.record(for: key) }
    if let stored { saw(stored.position) }
    let pending = state.withLock { $0.pending[key]?.record }
    return pending.flatMap { $0.signIn == stored?.signIn ? $0 : nil } ?? stored
  }

  /// Returns the sessions that can be read, and the errors of all other records, which do not hide the readable ones.
  ///
  /// - Throws: The cache's error if the cache cannot be listed.
  package func sessions(
    of client: Client, _ wait: Wait
  ) async throws -> (sessions: [Session], failures: [ConnectorError]) {
    await writeAllPending(wait)
    var sessions: [Session] = []
    var (keys, failures) = try await keys(of: client)
    for key in keys {
      do {
        if let record = try await record(key, wait) { sessions.append(Session(key: key, record: record)) }
      } catch let error as ConnectorError {
        failures.append(error)
      }
    }
    return (sessions, failures)
  }

  /// Returns the key of the user who is known as current.
  package func knownCurrent(of client: Client) -> TokenCacheKey? { state.withLock { $0.current[client]?.key } }

  /// Returns the keys of a client's users, and the errors of records whose key cannot be read.
  ///
  /// The keys of records that exist only in memory are included.
  ///
  /// - Throws: The cache's error if the cache cannot be listed.
  package func keys(of client: Client) async throws -> (keys: Set<TokenCacheKey>, failures: [ConnectorError]) {
    let (keys, failures) = try await listing()
    return (keys.union(state.withLock { $0.pending.keys }).filter(client.isOwn), failures)
  }

  /// Returns all keys in the cache, and the errors of records whose key cannot be read.
  func listing() async throws -> (keys: Set<TokenCacheKey>, failures: [ConnectorError]) {
    try await wrappingCacheErrors("listed") {
      guard let cache = cache as? StoredTokenCache else { return (Set(try await cache.keys()), []) }
      let (keys, failures) = try await cache.listing()
      return (Set(keys), failures)
    }
  }

  // MARK: The current user

  /// Returns the session of the current user, who signed in last of the users whom the settings allow.
  ///
  /// An error never makes another user current. If the record of the known current user cannot be read, this user
  /// remains current until a later sign-in is found. If no user is known, any record that cannot be read may be the
  /// current user's.
  ///
  /// - Parameters:
  ///   - client: The client whose current user is wanted.
  ///   - looksAgain: Whether to list the cache even if the current user is known, in case that has changed.
  ///   - wait: How long to wait for other calls.
  ///   - isRequired: Whether the settings allow a user to be current.
  /// - Returns: The session, or `nil` if no user may be current.
  /// - Throws: The cache's error if a record that may be the current user's cannot be read.
  package func current(
    of client: Client, looksAgain: Bool, _ wait: Wait, where isRequired: (Session) -> Bool
  ) async throws -> Session? {
    let (known, changes) = state.withLock { ($0.current[client], $0.changes) }
    var place: SignInPlace?
    var failure: ConnectorError?
    if let known {
      do {
        if let record = try await record(known.key, wait) {
          if !looksAgain { return Session(key: known.key, record: record) }
          place = record.place
        }
      } catch let error as ConnectorError {
        guard looksAgain else { throw error }
        (place, failure) = (known.place, error)
      }
    }
    let (sessions, failures) = try await sessions(of: client, wait)
    let latest = sessions.filter(isRequired).max { $0.record.place < $1.record.place }
    // Only a later sign-in replaces a user whose record cannot be read.
    if let place, latest.map({ $0.record.place < place }) ?? true, let error = failure ?? failures.first { throw error }
    // A record without a known position may be the latest one. If the current user is known, a record that can never be
    // read does not count. It would block all calls for ever, because a sign-in removes only damaged records, and these
    // have the highest position.
    let mayBeLatest = failures.first { error in
      guard let position = error.recordPosition else { return place == nil || error.isRetryable }
      return position >= latest?.record.position ?? .min
    }
    if let mayBeLatest { throw mayBeLatest }
    let isAnother = state.withLock { state in
      guard state.changes == changes else { return false }
      state.current[client] = latest.map { ($0.key, $0.record.place) }
      return known != nil && known?.key != latest?.key
    }
    if isAnother { observers.changed() }
    return latest
  }

  // MARK: Positions

  func saw(_ position: Int64) { state.withLock { $0.highestPosition = max($0.highestPosition, position) } }

  /// Reads the positions of all records once, so that the first sign-in of this process gets a later one.
  ///
  /// A cache with more than 1,000 users belongs to a server, which names its users and needs no current one, so the
  /// records are not read.
  func lookOnce() async {
    guard !state.withLock({ $0.hasLooked }), let (keys, failures) = try? await listing() else { return }
    var canLookAgain = failures.contains(where: \.isRetryable)
    for key in keys where keys.count <= 1_000 {
      do {
        _ = try await read(key)
      } catch {
        canLookAgain = canLookAgain || (error as? ConnectorError)?.isRetryable == true
      }
    }
    state.withLock { [canLookAgain] in $0.hasLooked = !canLookAgain }
  }

  /// Returns the position of a new sign-in: higher than all seen positions, and at least the time in milliseconds.
  ///
  /// The time makes the positions of different processes comparable.
  func nextPosition(at now: Date) -> Int64 {
    let milliseconds = Int64(exactly: (now.timeIntervalSince1970 * 1_000).rounded(.down)) ?? 0
    return state.withLock { state in
      let highest = state.highestPosition
      state.highestPosition = max(milliseconds, highest < .max ? highest + 1 : .max)
      return state.highestPosition
    }
  }

  // MARK: The errors of a cache

  /// Runs a call of the cache and turns its errors into errors of this package.
  ///
  /// - Parameters:
  ///   - verb: The participle of the failed action, for the error message.
  ///   - canLast: Whether a lasting error means that the record can never be read, so that the user must sign in again.
  ///   - body: The call.
  /// - Returns: The result of the call.
  /// - Throws: ``ConnectorError`` with code `tokenCache`; `CancellationError`.
  func wrappingCacheErrors<Value>(
    _ verb: String, canLast: Bool = false, _ body: () async throws -> Value
  ) async throws -> Value {
    do {
      return try await body()
    } catch {
      let error = Self.wrapped(error, verb)
      guard canLast, var lasting = error as? ConnectorError, !lasting.isRetryable else { throw error }
      // The package's own caches set this themselves, because a keychain that refuses a call may hold a good record.
      if !(cache is StoredTokenCache) { lasting.needsInteraction = true }
      if let position = lasting.recordPosition, position < .max { saw(position) }
      throw lasting
    }
  }

  /// Returns a cache's error as an error of this package, unless it already is one.
  ///
  /// Nothing is known about the errors of a driver, so they count as retryable. A record that cannot be decoded is a
  /// lasting error.
  static func wrapped(_ error: any Error, _ verb: String) -> any Error {
    // If the task is not cancelled, the cancellation is an error of the driver.
    if error is CancellationError, Task.isCancelled { return error }
    if let error = error as? ConnectorError, error.code == .tokenCache { return error }
    return ConnectorError(
      own: .tokenCache, "The token cache could not be \(verb).",
      isRetryable: (error as? ConnectorError)?.isRetryable ?? !(error is DecodingError), underlying: error)
  }
}
