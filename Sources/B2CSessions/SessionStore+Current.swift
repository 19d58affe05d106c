internal import B2CCore
internal import B2CTokenCache
internal import Foundation

/// Who is current: only a sign-in or a sign-out changes it, here or in another process.
extension SessionStore {
  /// Returns the session of the current user: of the one who signed in last, or whom the settings require.
  ///
  /// An error makes no other user current. The user who is known as current stays current while the record cannot be read,
  /// until a later sign-in is found. If no user is known, a record that cannot be read may be the current user's.
  ///
  /// - Parameters:
  ///   - client: Whose current user it is.
  ///   - looksAgain: Whether to list the cache although the current user is known.
  ///   - wait: How long to wait for other calls.
  ///   - isRequired: Whether a user may be current.
  /// - Returns: The session; `nil` when no user may be current.
  /// - Throws: The cache's error, when the record of the one who may be current cannot be read.
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
    // Only a later sign-in takes the place of a user whose record cannot be read.
    if let place, latest.map({ $0.record.place < place }) ?? true, let error = failure ?? failures.first { throw error }
    // A record without a known position may be the latest one. If the current user is known, one that can never be read does
    // not count, because no sign-in would remove it: a sign-in removes damaged items only, whose position is the highest.
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

  /// Looks at the positions of all records once, so that the first sign-in of this process comes after them.
  ///
  /// A cache of more than 1,000 users belongs to a server, which names its users and has no current one.
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

  /// Takes the position of a sign-in: after all that were seen, and in all processes about the time of it.
  func nextPosition(at now: Date) -> Int64 {
    let milliseconds = Int64(exactly: (now.timeIntervalSince1970 * 1_000).rounded(.down)) ?? 0
    return state.withLock { state in
      let highest = state.highestPosition
      state.highestPosition = max(milliseconds, highest < .max ? highest + 1 : .max)
      return state.highestPosition
    }
  }
}
