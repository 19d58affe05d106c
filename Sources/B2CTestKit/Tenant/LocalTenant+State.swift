internal import B2CCore
internal import Foundation

/// All that a tenant remembers.
struct LocalTenantState: Sendable {
  var users: [LocalUser]
  var redirectURIs: [String]
  var behavior: LocalTenant.Behavior
  var keys: [TestSigningKey] = [TestSigningKey.shared].compactMap { $0 }
  var counters = LocalTenant.Counters()
  /// The sessions in browsers, by their cookies.
  var sessions: [Secret: (userID: String, since: Date)] = [:]
  var codes: [Secret: IssuedGrant] = [:]
  var refreshTokens: [Secret: IssuedGrant] = [:]
  var revokedGrants: Set<UUID> = []
  var devices: [Secret: LocalDevice] = [:]

  func user(email: String) -> LocalUser? { users.first { ASCIIText.isSameIgnoringCase($0.email, email) } }

  func user(id: String) -> LocalUser? { users.first { ASCIIText.isSame($0.id, id) } }
}

/// A person's session in one browser.
typealias LocalSession = (user: LocalUser, since: Date)

/// A person's grant to the app by one policy.
struct LocalGrant: Sendable {
  let id = UUID()
  let userID: String
  let policyID: String?
  let scopes: [String]
  let authenticatedAt: Date
  /// The query of the authorization request; empty for the grant of a device.
  var request: [String: String] = [:]
  var isNewUser = false
}

/// The grant behind an authorization code or a refresh token that was given out.
struct IssuedGrant: Sendable {
  let grant: LocalGrant
  let expiresAt: Date
  var isSpent = false
}

/// A device that waits for its user (RFC 8628).
struct LocalDevice: Sendable {
  enum Decision: Sendable { case pending, approved(userID: String), denied, used }

  let userCode: String
  let scopes: [String]
  let expiresAt: Date
  var decision = Decision.pending
}

/// The state that a test can read and change.
extension LocalTenant {
  /// How the tenant behaves, right or wrong.
  public var behavior: Behavior {
    get { state.withLock { $0.behavior } }
    set { state.withLock { $0.behavior = newValue } }
  }

  /// The rules by which the tenant's answers go wrong, whatever its behaviour.
  public var faults: [LocalFault] {
    get { exchange.state.withLock { $0.faults } }
    set { exchange.state.withLock { $0.faults = newValue } }
  }

  /// Everything the tenant was asked, on both fronts, in order; of a long run the newest 10,000 requests at
  /// least.
  public var requests: [RecordedRequest] { exchange.state.withLock { $0.log.records } }

  /// Forgets what the tenant was asked and sets ``counters`` to zero; tokens and sessions stay.
  public func clearRequests() {
    exchange.state.withLock { $0.log.clear() }
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
  /// - Returns: The person, or `nil` when no one has it.
  public func user(email: String) -> LocalUser? { state.withLock { $0.user(email: email) } }

  func user(id: String) -> LocalUser? { state.withLock { $0.user(id: id) } }

  /// The app's registered redirect URIs; a loopback port becomes known late, so they can be changed.
  public var redirectURIs: [String] {
    get { state.withLock { $0.redirectURIs } }
    set { state.withLock { $0.redirectURIs = newValue } }
  }

  /// The published signing keys, the one that signs first.
  package var signingKeys: [TestSigningKey] { state.withLock { $0.keys } }

  /// Signs with a fresh RSA key from now on.
  ///
  /// - Parameter keepsOld: Whether the old keys stay published.
  /// - Throws: An error when the system cannot make a key.
  public func rotateKeys(keepingOld keepsOld: Bool = true) throws {
    rotateKeys(to: try TestSigningKey(), keepingOld: keepsOld)
  }

  /// Signs with a given key from now on.
  package func rotateKeys(to key: TestSigningKey, keepingOld keepsOld: Bool = true) {
    state.withLock { $0.keys = [key] + (keepsOld ? $0.keys : []) }
  }

  /// Revokes all refresh tokens of a person, as an administrator or a changed password does.
  ///
  /// - Parameter user: The person, by `id`; those of all users are revoked for `nil`.
  public func revokeGrants(of user: LocalUser? = nil) { state.withLock { $0.revokeGrants(of: user?.id) } }

  /// Ends all browser sessions at the tenant.
  public func endSessions() { state.withLock { $0.sessions = [:] } }

  /// How many browser sessions there are.
  package var sessionCount: Int { state.withLock { $0.sessions.count } }
}
