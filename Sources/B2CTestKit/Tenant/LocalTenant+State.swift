internal import B2CCore

/// What a test can look at and change.
extension LocalTenant {
  /// How the tenant behaves, right or wrong.
  public var behavior: Behavior {
    get { state.withLock { $0.behavior } }
    set { state.withLock { $0.behavior = newValue } }
  }

  /// The rules by which the tenant's answers go wrong, whatever its behaviour.
  public var faults: [LocalFault] {
    get { exchange.faults }
    set { exchange.faults = newValue }
  }

  /// Everything the tenant was asked, on both fronts, in order; of a long run the newest 10,000 requests at
  /// least.
  public var requests: [RecordedRequest] { exchange.records }

  /// Forgets what the tenant was asked and sets ``counters`` to zero; tokens and sessions stay.
  public func clearRequests() {
    exchange.clearRecords()
    state.withLock { $0.counters = Counters() }
  }

  /// How often the tenant was asked for what.
  public var counters: Counters { state.withLock { $0.counters } }

  /// The people the tenant knows: those given at the start and those who signed up.
  public var users: [LocalUser] {
    get { state.withLock { $0.users } }
    set { state.withLock { $0.users = newValue } }
  }

  /// Finds a person.
  ///
  /// - Parameter email: The email, in any case.
  /// - Returns: The person, or `nil` when nobody has it.
  public func user(email: String) -> LocalUser? { state.withLock { $0.user(email: email) } }

  /// The app's registered redirect URIs, compared exactly; a loopback port becomes known late, so they can be changed.
  public var redirectURIs: [String] {
    get { state.withLock { $0.redirectURIs } }
    set { state.withLock { $0.redirectURIs = newValue } }
  }

  /// The published signing keys, the one that signs first.
  public var signingKeys: [TestSigningKey] { state.withLock { $0.keys } }

  /// Signs with a new key from now on.
  ///
  /// - Parameters:
  ///   - key: The new key; a fresh RSA key for `nil`.
  ///   - keepsOld: Whether the old keys stay published.
  /// - Throws: ``TestSigningKeyError`` when the system cannot make a key.
  public func rotateKeys(to key: TestSigningKey? = nil, keepingOld keepsOld: Bool = true) throws {
    let key = try key ?? TestSigningKey(.rs256)
    state.withLock { $0.keys = [key] + (keepsOld ? $0.keys : []) }
  }

  /// Ends all refresh tokens of a person, as an administrator's revocation or a changed password does.
  ///
  /// - Parameter email: The person's email; everybody's tokens end for `nil`.
  public func revokeGrants(of email: String? = nil) {
    state.withLock { state in
      let userID = email.map { state.user(email: $0)?.id ?? "" }
      for token in state.refreshTokens.values where userID == nil || token.grant.userID == userID {
        state.revokedGrants.insert(token.grant.id)
      }
    }
  }

  /// Ends all browser sessions at the tenant.
  public func endSessions() { state.withLock { $0.sessions = [:] } }

  /// How many browser sessions there are.
  public var sessionCount: Int { state.withLock { $0.sessions.count } }
}
