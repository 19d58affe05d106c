internal import B2CCore
internal import Foundation

/// Turns a verified sign-in into the one record it leaves behind.
struct GrantWriter: Sendable {
  let services: OAuthServices

  // Claims that belong to one token and not to the person.
  private static let claimsOfToken: Set<String> = [
    "iss", "aud", "exp", "nbf", "iat", "nonce", "tfp", "acr", "azp", "at_hash", "c_hash", "ver", "auth_time", "sub",
  ]

  /// Writes the result of a sign-in.
  ///
  /// A policy that edits the profile or resets the password changes the claims of the person who is signed in, and leaves
  /// no session. So does the password-reset step of a sign-in, for whomever it is: the sign-in itself follows.
  func write(
    _ response: TokenResponse, claims: [String: JSONValue], provider: Provider, scopes: [String], sent: [String],
    correlationID: UUID,
    isPasswordResetStep: Bool = false
  ) async throws -> SignInResult {
    let isMicrosoft = services.grants.isMicrosoft
    let user = UserInfo(claims: claims, isMicrosoft: isMicrosoft)
    try checkRequiredUser(user)
    let identity = AccountIdentity(
      claims: claims, clientInfo: response.clientInfo, policy: provider.policy, issuer: provider.metadata.issuer,
      isMicrosoft: isMicrosoft)
    let now = services.environment.now()
    let record = TokenRecord(
      claims: claims, homeAccountID: identity.homeAccountID, signedInAt: services.grants.signInDate(now),
      policyID: provider.policy?.id
    ).merging(response, requested: scopes, sent: sent, now: now)

    let leavesNoSession = isPasswordResetStep || updatesAccountOnly(provider.policy)
    if leavesNoSession {
      if !isPasswordResetStep { try await checkIsCurrent(identity) }
      for grant in try await services.grants.grants(accountID: identity.accountID) {
        try await services.cache.update(grant.key) { Self.adopting(claims, in: $0) }
      }
    } else {
      let key = services.grants.key(accountID: identity.accountID, policy: provider.policy)
      try await services.cache.store(record, for: key)
      services.grants.signedIn(key)
    }
    services.sessions.changed()
    let grants = try await services.grants.grants(accountID: identity.accountID)
    return SignInResult(
      account: Account(
        grants: grants, fallback: record, id: identity.accountID, now: now, isMicrosoft: isMicrosoft),
      user: user,
      accessToken: record.accessTokens.first.map { AccessToken($0, accountID: identity.accountID) },
      idToken: response.idToken, policy: provider.policy, correlationID: correlationID,
      profileInfo: response.profileInfo,
      unknownMembers: response.unknownMembers)
  }

  /// Whether the caller asked for a policy that changes an account and does not sign in.
  ///
  /// The settings' key or the caller says so; the words of a policy's name say nothing.
  private func updatesAccountOnly(_ policy: Policy?) -> Bool {
    guard let policy else { return false }
    return policy.kind == .profileEdit || policy.kind == .passwordReset
      || policy == services.configuration.passwordResetPolicy
  }

  /// Refuses an edit or a reset that another person finished than the one who is signed in.
  private func checkIsCurrent(_ identity: AccountIdentity) async throws {
    guard let current = try await services.grants.grant(accountID: nil, policy: nil),
      current.key.accountID != identity.accountID
    else { return }
    throw OAuthError(
      .wrongUser, "Another person finished the page than the one who is signed in.",
      recoverySuggestion: "Sign out first, or run the policy as the user who is signed in.")
  }

  private func checkRequiredUser(_ user: UserInfo) throws(OAuthError) {
    guard let required = services.configuration.requiredUser, !required.isEmpty, !user.isUser(required) else { return }
    throw OAuthError(
      .wrongUser, "Another user signed in than the one the settings require.",
      recoverySuggestion: "Sign in as the user that userId names, or remove userId from the settings.")
  }

  private static func adopting(_ claims: [String: JSONValue], in record: TokenRecord) -> TokenRecord {
    var copy = record
    copy.claims.merge(claims.filter { !claimsOfToken.contains($0.key) }) { _, new in new }
    return copy
  }
}

extension Account {
  /// The account of a person's grants, the latest first.
  init(grants: [Grant], fallback: TokenRecord, id: String, now: Date, isMicrosoft: Bool) {
    let latest = grants.first?.record ?? fallback
    let user = UserInfo(claims: latest.claims, isMicrosoft: isMicrosoft)
    self.init(
      id: id, homeAccountID: latest.homeAccountID ?? id, username: user.username, name: user.name,
      policyIDs: grants.compactMap(\.record.policyID), claims: user, hasSession: latest.hasSession(now: now))
  }
}
