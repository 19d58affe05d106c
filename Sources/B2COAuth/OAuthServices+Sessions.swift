internal import B2CCore

/// The users of this authority and client, by their records.
extension OAuthServices {
  /// A user's session: of the named one, without a listing, else of the current one.
  ///
  /// - Throws: ``ConnectorError`` with code `tokenCache`; `CancellationError`.
  func session(_ userID: String?, looksAgain: Bool = false) async throws -> SessionStore.Session? {
    if let userID {
      let key = client.key(folded(userID))
      return try await store.record(key).map { SessionStore.Session(key: key, record: $0) }
    }
    return try await store.current(of: client, looksAgain: looksAgain, now: environment.now()) { session in
      client.requiredUser.map { user(session).isUser($0, isMicrosoft: isMicrosoft) } ?? true
    }
  }

  /// The user of a session.
  func user(_ session: SessionStore.Session) -> UserInfo {
    UserInfo(
      id: session.key.userID, claims: session.record.claims,
      hasSession: session.record.hasSession(now: environment.now()), isMicrosoft: isMicrosoft)
  }

  /// The users whose records can be read, the latest sign-in first.
  ///
  /// - Throws: ``ConnectorError`` with code `tokenCache` when they cannot be listed, or none can be read.
  package func users() async throws -> [UserInfo] {
    let (sessions, failure) = try await store.sessions(of: client)
    if let failure, sessions.isEmpty { throw failure }
    return sessions.sorted { $0.record.signedInAt > $1.record.signedInAt }.map(user)
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
    store.observers.states(on: environment.clock) { [self] in try await state(looksAgain: false) }
  }

  /// A user id as it is in this authority's keys.
  func folded(_ userID: String) -> String { UserIdentity.userID(userID, isMicrosoft: isMicrosoft) }
}
