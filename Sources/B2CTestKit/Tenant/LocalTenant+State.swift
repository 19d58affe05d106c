internal import B2CCore
internal import Foundation

/// The data that a tenant keeps between requests.
struct LocalTenantState: Sendable {
  var users: [LocalUser]
  var redirectURIs: [String]
  var behavior: LocalTenant.Behavior
  var keys: [TestSigningKey] = [TestSigningKey.shared].compactMap { $0 }
  var counters = LocalTenant.Counters()
  /// The sessions of browsers, by the values of their cookies.
  var sessions: [Secret: (userID: String, since: Date)] = [:]
  var codes: [Secret: IssuedGrant] = [:]
  var refreshTokens: [Secret: IssuedGrant] = [:]
  var revokedGrants: Set<UUID> = []
  var devices: [Secret: LocalDevice] = [:]

  func user(email: String) -> LocalUser? { users.first { ASCIIText.isSameIgnoringCase($0.email, email) } }

  func user(id: String) -> LocalUser? { users.first { ASCIIText.isSame($0.id, id) } }
}

/// A user's session in one browser.
typealias LocalSession = (user: LocalUser, since: Date)

/// The consent of a user to the app, given in one policy, which all tokens issued for it share.
struct LocalGrant: Sendable {
  let id = UUID()
  let userID: String
  let policyID: String?
  let scopes: [String]
  let authenticatedAt: Date
  /// The query of the authorization request, or empty if a device was approved.
  var request: [String: String] = [:]
  var isNewUser = false
}

/// The grant behind an authorization code or a refresh token that was given out.
struct IssuedGrant: Sendable {
  let grant: LocalGrant
  let expiresAt: Date
  var isSpent = false
}

/// A device that waits for its user to approve it (RFC 8628).
struct LocalDevice: Sendable {
  enum Decision: Sendable { case pending, approved(userID: String), denied, used }

  let userCode: String
  let scopes: [String]
  let expiresAt: Date
  var decision = Decision.pending
}

/// The state that a test can read and change.
extension LocalTenant {
  /// The behavior of the tenant, by default that of a correct provider of its shape.
  public var behavior: Behavior {
    get { state.withLock { $0.behavior } }
    set { state.withLock { $0.behavior = newValue } }
  }

  /// The faults that apply to requests, by default none, in addition to ``behavior``.
  public var faults: [LocalFault] {
    get { exchange.state.withLock { $0.faults } }
    set { exchange.state.withLock { $0.faults = newValue } }
  }

  /// The requests that the tenant received in memory and over HTTP, in order, of a long run at least the newest 10,000.
  public var requests: [RecordedRequest] { exchange.state.withLock { $0.log.records } }

  /// Clears ``requests`` and sets ``counters`` to zero, but keeps tokens and sessions.
  public func clearRequests() {
    exchange.state.withLock { $0.log.clear() }
    state.withLock { $0.counters = Counters() }
  }

  /// The numbers of requests that the tenant has received since it was created or ``clearRequests()`` was called.
  public var counters: Counters { state.withLock { $0.counters } }

  /// The users that the tenant knows: those it was created with and those who signed up.
  public var users: [LocalUser] {
    get { state.withLock { $0.users } }
    set { state.withLock { $0.users = newValue } }
  }

  /// Returns the user with an email address.
  ///
  /// - Parameter email: The email address, in any case.
  /// - Returns: The user, or `nil` if no user has the address.
  public func user(email: String) -> LocalUser? { state.withLock { $0.user(email: email) } }

  func user(id: String) -> LocalUser? { state.withLock { $0.user(id: id) } }

  /// The app's registered redirect URIs, which can change because a test may learn its loopback port only later.
  public var redirectURIs: [String] {
    get { state.withLock { $0.redirectURIs } }
    set { state.withLock { $0.redirectURIs = newValue } }
  }

  /// The published signing keys, of which the first one signs.
  package var signingKeys: [TestSigningKey] { state.withLock { $0.keys } }

  /// Signs with a new RSA key from now on.
  ///
  /// - Parameter keepsOld: Whether the old keys remain published, by default true.
  /// - Throws: An error of the system if it cannot create a key.
  public func rotateKeys(keepingOld keepsOld: Bool = true) throws {
    rotateKeys(to: try TestSigningKey(), keepingOld: keepsOld)
  }

  /// Signs with a given key from now on.
  package func rotateKeys(to key: TestSigningKey, keepingOld keepsOld: Bool = true) {
    state.withLock { $0.keys = [key] + (keepsOld ? $0.keys : []) }
  }

  /// Revokes all refresh tokens of a user, as an administrator does.
  ///
  /// - Parameter user: The user, who is found by `id`. With `nil`, the default, the tokens of all users are revoked.
  public func revokeGrants(of user: LocalUser? = nil) { state.withLock { $0.revokeGrants(of: user?.id) } }

  /// Ends all browser sessions at the tenant, so that the next sign-in shows a page.
  public func endSessions() { state.withLock { $0.sessions = [:] } }

  /// The number of browser sessions.
  package var sessionCount: Int { state.withLock { $0.sessions.count } }
}
