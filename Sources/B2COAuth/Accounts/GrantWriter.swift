internal import B2CCore
internal import Foundation

/// Turns a verified sign-in into the one record it leaves behind.
struct GrantWriter: Sendable {
  let services: OAuthServices

  // Claims that belong to one token and not to the person.
  private static let claimsOfToken: Set<String> = [
    "iss", "aud", "exp", "nbf", "iat", "nonce", "tfp", "acr", "azp", "at_hash", "c_hash", "ver", "auth_time", "sub",
  ]

  /// Writes what a sign-in brought; one that is a detour of another updates who is known and leaves no session of its own.
  func write(
    _ response: TokenResponse, claims: [String: JSONValue], provider: Provider, scopes: [String], sent: [String],
    correlationID: UUID,
    isDetour: Bool = false
  ) async throws -> SignInResult {
    let user = UserInfo(claims: claims)
    try checkRequiredUser(user)
    let identity = AccountIdentity(
      claims: claims, clientInfo: response.clientInfo, policy: provider.policy, issuer: provider.metadata.issuer)
    let now = services.environment.now()
    let record = TokenRecord(
      claims: claims, homeAccountID: identity.homeAccountID, signedInAt: services.grants.signInDate(now),
      policyID: provider.policy?.id
    ).merging(response, requested: scopes, sent: sent, now: now)

    let others = try await services.grants.grants(accountID: identity.accountID)
    if isDetour || (updatesProfileOnly(provider.policy) && !others.isEmpty) {
      for grant in others {
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
      account: Account(grants: grants, fallback: record, id: identity.accountID, now: now), user: user,
      accessToken: record.accessTokens.first.map { AccessToken($0, accountID: identity.accountID) },
      policy: provider.policy, correlationID: correlationID, profileInfo: response.profileInfo,
      unknownMembers: response.unknownMembers)
  }

  /// Whether the policy changes a person's data and is none to be signed in by.
  private func updatesProfileOnly(_ policy: Policy?) -> Bool {
    guard let policy else { return false }
    return policy.kind == .profileEdit || policy.kind == .passwordReset
      || policy == services.configuration.passwordResetPolicy
  }

  private func checkRequiredUser(_ user: UserInfo) throws(OAuthError) {
    guard let required = services.configuration.requiredUser, !required.isEmpty, !user.isUser(required) else { return }
    throw OAuthError(
      .wrongUser, "Somebody else signed in than the user the settings require.",
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
  init(grants: [Grant], fallback: TokenRecord, id: String, now: Date) {
    let latest = grants.first?.record ?? fallback
    let user = UserInfo(claims: latest.claims)
    self.init(
      id: id, homeAccountID: latest.homeAccountID ?? id, username: user.username, name: user.name,
      policyIDs: grants.compactMap(\.record.policyID), claims: user, hasSession: latest.hasSession(now: now))
  }
}
