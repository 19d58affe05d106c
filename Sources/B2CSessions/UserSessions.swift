internal import B2CCore
package import B2CTokenCache
package import Foundation

/// The users of one authority and client, by their records.
package struct UserSessions: Sendable {
  package let store: SessionStore
  package let client: SessionStore.Client
  package let wait: SessionStore.Wait
  package let now: @Sendable () -> Date

  package init(
    store: SessionStore, client: SessionStore.Client, wait: SessionStore.Wait, now: @escaping @Sendable () -> Date
  ) {
    self.store = store
    self.client = client
    self.wait = wait
    self.now = now
  }

  /// Returns the record of a key; throws as ``SessionStore/record(_:_:)``.
  package func record(_ key: TokenCacheKey) async throws -> TokenRecord? { try await store.record(key, wait) }

  /// A user's session: of the named one, without a listing, else of the current one.
  ///
  /// - Throws: ``ConnectorError`` with code `tokenCache`; `CancellationError`.
  package func session(_ userID: String?, looksAgain: Bool = false) async throws -> SessionStore.Session? {
    if let userID {
      let key = client.key(userID)
      return try await record(key).map { SessionStore.Session(key: key, record: $0) }
    }
    return try await store.current(of: client, looksAgain: looksAgain, wait, where: mayBeCurrent)
  }

  /// Whether the settings allow a user to be current: by the present claims, or by those of the sign-in.
  private func mayBeCurrent(_ session: SessionStore.Session) -> Bool {
    guard let required = client.requiredUser else { return true }
    return user(session).isUser(required, isMicrosoft: client.isMicrosoft)
      || session.record.requiredUser.map { ASCIIText.isSame($0, required) } == true
  }

  /// The user of a session.
  package func user(_ session: SessionStore.Session) -> UserInfo {
    UserInfo(
      id: session.key.userID, claims: session.record.claims,
      hasSession: session.record.hasSession(now: now()), isMicrosoft: client.isMicrosoft)
  }

  /// The users whose records can be read: the current one first, then the others, the latest sign-in first.
  ///
  /// - Throws: ``ConnectorError`` with code `tokenCache` when they cannot be listed, or none can be read.
  package func users() async throws -> [UserInfo] {
    // Another process may have signed a user in. The first user in the list has to be the one of the next call.
    _ = try? await store.current(of: client, looksAgain: true, wait, where: mayBeCurrent)
    var (sessions, failures) = try await store.sessions(of: client, wait)
    if let failure = failures.first, sessions.isEmpty { throw failure }
    sessions.sort { $0.record.place > $1.record.place }
    let current = store.knownCurrent(of: client)
    return (sessions.filter { $0.key == current } + sessions.filter { $0.key != current }).map(user)
  }

  /// The user with an id; `nil` when no such user is stored.
  package func user(id: String) async throws -> UserInfo? { try await session(id).map(user) }

  /// The state of the current user's session, looked up anew.
  package func sessionState() async throws -> SessionState {
    let state = try await state(looksAgain: true)
    // Another process may have ended the session: observers are told what this caller is.
    store.observers.changed()
    return state
  }

  /// The state of the current user's session.
  ///
  /// - Parameter looksAgain: Whether the cache is listed, as another process may have signed a user in.
  /// - Returns: The state; `signedOut` when there is no record.
  /// - Throws: The cache's error.
  private func state(looksAgain: Bool) async throws -> SessionState {
    guard let session = try await session(nil, looksAgain: looksAgain) else { return .signedOut }
    let user = user(session)
    return user.hasSession ? .signedIn(user) : .expired(user)
  }

  /// The states now and after each change.
  package var states: AsyncStream<SessionState> {
    store.observers.states(on: wait.clock) { try await state(looksAgain: false) }
  }

  /// Waits for the refreshes that were sent, twice the limit of a request at most, and writes what the cache has refused.
  package func close() async { await store.close(wait) }
}
