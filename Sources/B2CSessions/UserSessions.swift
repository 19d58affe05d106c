internal import B2CCore
package import B2CTokenCache
package import Foundation

/// The users of one authority and client ID, according to their records.
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

  /// Returns the record of a key, with the errors of ``SessionStore/record(_:_:)``.
  package func record(_ key: TokenCacheKey) async throws -> TokenRecord? { try await store.record(key, wait) }

  /// Returns the session of the given user, whose record is read directly, or of the current user.
  ///
  /// - Throws: ``ConnectorError`` with code `tokenCache`; `CancellationError`.
  package func session(_ userID: String?, looksAgain: Bool = false) async throws -> SessionStore.Session? {
    if let userID {
      let key = client.key(userID)
      return try await record(key).map { SessionStore.Session(key: key, record: $0) }
    }
    return try await store.current(of: client, looksAgain: looksAgain, wait, where: mayBeCurrent)
  }

  /// Whether the settings allow a user to be current, by the claims or because the sign-in matched this setting.
  private func mayBeCurrent(_ session: SessionStore.Session) -> Bool {
    guard let required = client.requiredUser else { return true }
    return user(session).isUser(required, isMicrosoft: client.isMicrosoft)
      || session.record.requiredUser.map { ASCIIText.isSame($0, required) } == true
  }

  package func user(_ session: SessionStore.Session) -> UserInfo {
    UserInfo(
      id: session.key.userID, claims: session.record.claims,
      hasSession: session.record.hasSession(now: now()), isMicrosoft: client.isMicrosoft)
  }

  /// Returns the users whose records can be read: the current user, and then the others, latest sign-in first.
  ///
  /// - Throws: ``ConnectorError`` with code `tokenCache` if the cache cannot be listed, or if no record can be read.
  package func users() async throws -> [UserInfo] {
    // Another process may have signed a user in. The list must begin with the user whom the next call is about.
    _ = try? await store.current(of: client, looksAgain: true, wait, where: mayBeCurrent)
    var (sessions, failures) = try await store.sessions(of: client, wait)
    if let failure = failures.first, sessions.isEmpty { throw failure }
    sessions.sort { $0.record.place > $1.record.place }
    let current = store.knownCurrent(of: client)
    return (sessions.filter { $0.key == current } + sessions.filter { $0.key != current }).map(user)
  }

  /// Returns the user with an id, or `nil` if no such user is stored.
  package func user(id: String) async throws -> UserInfo? { try await session(id).map(user) }

  /// Returns the state of the current user's session, after listing the cache again.
  package func sessionState() async throws -> SessionState {
    let state = try await state(looksAgain: true)
    // Another process may have ended the session. Then the observers must get the same state as this caller.
    store.observers.changed()
    return state
  }

  /// Returns the state of the current user's session.
  ///
  /// - Parameter looksAgain: Whether to list the cache, because another process may have signed a user in.
  /// - Returns: The state, which is `signedOut` if there is no record.
  /// - Throws: The cache's error.
  private func state(looksAgain: Bool) async throws -> SessionState {
    guard let session = try await session(nil, looksAgain: looksAgain) else { return .signedOut }
    let user = user(session)
    return user.hasSession ? .signedIn(user) : .expired(user)
  }

  /// The state now, and the state after each change.
  package var states: AsyncStream<SessionState> {
    store.observers.states(on: wait.clock) { try await state(looksAgain: false) }
  }

  /// Waits for the refreshes in flight, for at most `wait.limit`, and writes the records that the cache refused.
  package func close() async { await store.close(wait) }
}
