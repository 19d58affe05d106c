internal import B2CCore

/// Changes that a token cache has refused: a rotated refresh token on a full disk is the only good one.
///
/// Each key has at most one, and every client of the cache reads it. One task writes them as soon as the cache takes
/// them: after 1, 5, 30 and 60 seconds, then each minute. It keeps the cache alive, and no client.
package final class WaitingChanges: Sendable {
  /// A change of one record.
  package enum Change: Sendable {
    /// A record in place of one of those that it was made from; where another has taken their place, or the session was
    /// renewed later, it is dropped.
    case record(TokenRecord, replacing: [TokenRecord])
    /// The removal by a sign-out.
    case removal(Ended)

    /// The record as it is after the change.
    package func applied(to stored: TokenRecord?) -> TokenRecord? {
      guard let stored else { return nil }
      switch self {
      case .record(let new, let bases):
        let isMeant = bases.contains { $0.isSameSession(as: stored) }
        return isMeant && !Self.isRenewal(stored, of: bases, after: new) ? new : stored
      case .removal(let ended):
        return ended.contains(stored.signInDates) ? nil : stored
      }
    }

    /// Whether another process has renewed the session later than a record that waits: a provider that does not rotate leaves
    /// the refresh token as it was.
    private static func isRenewal(_ stored: TokenRecord, of bases: [TokenRecord], after new: TokenRecord) -> Bool {
      guard stored.isSameSession(as: new), let latest = stored.accessTokens.first,
        // What is replaced may look later, by a clock that was set back since.
        !bases.contains(where: { $0.accessTokens.contains { $0.token == latest.token } })
      else { return false }
      return new.accessTokens.first.map { $0.receivedAt < latest.receivedAt } ?? true
    }
  }

  /// The sign-ins that a sign-out has ended: a later one by another process stays.
  package enum Ended: Sendable {
    /// The one whose record was there. No clock is asked: a refresh keeps the dates, and another sign-in has others.
    case only(SignInDates)
    /// Those up to a moment, where the record could not be read; what is later by one clock only may be older.
    case upTo(SignInDates)

    fileprivate func contains(_ dates: SignInDates) -> Bool {
      switch self {
      case .only(let own): dates == own
      case .upTo(let last): dates.device <= last.device || dates.server <= last.server
      }
    }
  }

  /// A change with the number that tells it from one that has replaced it meanwhile.
  package struct Entry: Sendable {
    package let change: Change
    let number: Int
    /// The cache that refused it: wrappers of one cache may seal with different keys.
    let cache: any SharedTokenCache
  }

  private struct Content: Sendable {
    var entries: [TokenCacheKey: Entry] = [:]
    var nextNumber = 0
    var isRetrying = false
  }

  private let content = Locked(Content())

  package init() {}

  /// Returns the change that waits for a key.
  package func entry(for key: TokenCacheKey) -> Entry? {
    content.withLock { $0.entries.isEmpty ? nil : $0.entries[key] }
  }

  /// The keys that changes wait for.
  package var keys: Set<TokenCacheKey> { content.withLock { Set($0.entries.keys) } }

  /// Keeps a change until the cache takes it.
  ///
  /// - Parameters:
  ///   - key: The record's key.
  ///   - cache: The cache that refused it.
  ///   - clock: The clock of the pauses.
  ///   - change: Returns the change, given the one that waits already; `nil` keeps what is there.
  package func add(
    for key: TokenCacheKey, to cache: any SharedTokenCache, on clock: any Clock<Duration>,
    _ change: (Change?) -> Change?
  ) {
    let startsTask = content.withLock { content -> Bool in
      guard let new = change(content.entries[key]?.change) else { return false }
      content.nextNumber += 1
      content.entries[key] = Entry(change: new, number: content.nextNumber, cache: cache)
      defer { content.isRetrying = true }
      return !content.isRetrying
    }
    guard startsTask else { return }
    // Without a parent: it outlives the call, and every client of the cache.
    Task { [self] in await retry(clock) }
  }

  /// Forgets a change that was written or has become needless, unless another has replaced it meanwhile.
  package func forget(_ key: TokenCacheKey, _ entry: Entry) {
    content.withLock { content in
      if content.entries[key]?.number == entry.number { content.entries[key] = nil }
    }
  }

  /// Writes the change that waits for a key, if there is one.
  ///
  /// - Throws: The cache's error; the change goes on waiting.
  package func write(_ key: TokenCacheKey) async throws {
    guard let entry = entry(for: key) else { return }
    do {
      _ = try await entry.cache.update(key) { [self] stored in
        // A sign-in may have stored its record meanwhile, or a newer change taken this one's place.
        isCurrent(entry, for: key) ? entry.change.applied(to: stored) : stored
      }
    } catch {
      // What cannot be read cannot be compared either; the user has signed out, so it goes.
      guard case .removal(let ended) = entry.change, let error = error as? TokenCacheError, error.isOfRecord else {
        throw error
      }
      // The one to be removed could be read: what a newer version or another key has written is another, or stays unused.
      if case .only = ended, error.code != .damaged { throw error }
      guard isCurrent(entry, for: key) else { return }
      try await entry.cache.removeRecord(for: key)
    }
    forget(key, entry)
  }

  private func isCurrent(_ entry: Entry, for key: TokenCacheKey) -> Bool {
    self.entry(for: key)?.number == entry.number
  }

  /// Tries once to write every change that waits.
  package func writeAll() async {
    for key in content.withLock({ Array($0.entries.keys) }) { try? await write(key) }
  }

  private func retry(_ clock: any Clock<Duration>) async {
    var pauses = [1, 5, 30].makeIterator()
    while true {
      // A clock that cannot wait ends the task; the next call that finds the change starts another by its own failure.
      guard (try? await clock.sleep(for: .seconds(pauses.next() ?? 60))) != nil else { break }
      await writeAll()
      let isDone = content.withLock { content -> Bool in
        if content.entries.isEmpty { content.isRetrying = false }
        return content.entries.isEmpty
      }
      if isDone { return }
    }
    content.withLock { $0.isRetrying = false }
  }
}

extension TokenCacheError {
  /// Whether it is about what one record holds, and not about the store.
  fileprivate var isOfRecord: Bool { [.damaged, .decryptionFailed, .newerVersion].contains(code) }
}
