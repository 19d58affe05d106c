internal import B2CCore
internal import Foundation

/// All that a tenant remembers.
struct LocalTenantState: Sendable {
  var users: [LocalUser]
  var redirectURIs: [String]
  var behavior: LocalTenant.Behavior
  var keys: [TestSigningKey] = [TestSigningKey.shared].compactMap { $0 }
  var counters = LocalTenant.Counters()
  var sessions: [String: LocalSession] = [:]
  var pages: [String: LocalSignInPage] = [:]
  var codes: [String: IssuedCode] = [:]
  var refreshTokens: [String: IssuedRefreshToken] = [:]
  var revokedGrants: Set<String> = []
  var devices: [String: LocalDevice] = [:]
  var front: LocalFront?

  init(users: [LocalUser], redirectURIs: [String], behavior: LocalTenant.Behavior) {
    self.users = users
    self.redirectURIs = redirectURIs
    self.behavior = behavior
  }

  func user(email: String) -> LocalUser? {
    users.first { $0.email.lowercased() == email.lowercased() }
  }

  func user(id: String) -> LocalUser? { users.first { $0.id == id } }
}

/// A person's session in one browser.
struct LocalSession: Sendable {
  let userID: String
  let authenticatedAt: Date
}

/// A page that waits to be posted, with the request it belongs to.
struct LocalSignInPage: Sendable {
  let request: AuthorizeRequest
  let csrf: String
  var stage: LocalPageStage
  /// The person who has signed in before the last page, such as the profile page.
  var userID: String?
  /// The pages that were shown before this one: the browser's back button brings them again.
  var earlier: [LocalPageStep] = []

  /// The page as it was shown at a step, counted from 0; the newest for a step that never was.
  func at(step: Int?) -> LocalSignInPage {
    guard let step, earlier.indices.contains(step) else { return self }
    var copy = self
    copy.stage = earlier[step].stage
    copy.userID = earlier[step].userID
    copy.earlier = Array(earlier[..<step])
    return copy
  }
}

/// One of the pages that a person is led through.
struct LocalPageStep: Sendable {
  let stage: LocalPageStage
  let userID: String?
}

/// Which page of a policy is shown.
enum LocalPageStage: Sendable, Hashable {
  case signIn(offersSignUp: Bool)
  case signUp
  case chooseAccount
  case editProfile
  case resetPassword
  case identityProvider(String)
}

/// What a person has granted to a client by one policy.
struct LocalGrant: Sendable {
  let id: String
  let userID: String
  let clientID: String
  let policyID: String?
  let scopes: [String]
  let authenticatedAt: Date
  var isNewUser = false
}

/// An authorization code that was given out.
struct IssuedCode: Sendable {
  let grant: LocalGrant
  let request: AuthorizeRequest
  let issuedAt: Date
  var isSpent = false
}

/// A refresh token that was given out.
struct IssuedRefreshToken: Sendable {
  let grant: LocalGrant
  let issuedAt: Date
  let expiresAt: Date
  var isSpent = false
}

/// A device that waits for its user (RFC 8628).
struct LocalDevice: Sendable {
  enum Decision: Sendable { case pending, approved(userID: String), denied, spent }

  let userCode: String
  let scopes: [String]
  let wantsClientInfo: Bool
  let expiresAt: Date
  var interval: Int
  var lastPollAt: Date?
  var decision = Decision.pending
}
