internal import Foundation

/// Gathers the scattered entries of the format into records.
struct MSALCacheReader {
  private struct Identity: Hashable {
    let environment: String
    let homeAccountID: String
    let clientID: String
  }

  private struct Draft {
    var realm: String?
    var refreshToken: Secret?
    var idToken: Secret?
    var accessTokens: [CachedAccessToken] = []
    var latest: Date?
  }

  private let authority: String?
  private let now: Date
  private var drafts: [Identity: Draft] = [:]
  /// Accounts are written without a client.
  private var accounts: [String: MSALEntry] = [:]
  private var skipped: [String] = []

  init(authority: String?, now: Date) {
    self.authority = authority
    self.now = now
  }

  mutating func read(_ entry: MSALEntry, in section: MSALSection) {
    guard let home = entry.text("home_account_id"), let environment = entry.text("environment") else {
      skipped.append("\(section.rawValue): an entry without a person, as an app's own tokens are")
      return
    }
    if section == .account {
      accounts[Self.accountName(home, environment)] = entry
      return
    }
    guard let client = entry.text("client_id"), let secret = entry.text("secret") else {
      skipped.append("\(section.rawValue): an entry without client or secret")
      return
    }
    let identity = Identity(
      environment: environment.lowercased(), homeAccountID: home.lowercased(), clientID: client.lowercased())
    var draft = drafts[identity] ?? Draft()
    draft.realm = draft.realm ?? entry.text("realm")
    switch section {
    case .account: break
    case .idToken: draft.idToken = Secret(secret)
    case .refreshToken: draft.refreshToken = Secret(secret)
    case .accessToken: read(entry, secret, into: &draft)
    }
    drafts[identity] = draft
  }

  /// Makes the records of all that was read.
  func finish() -> (entries: [MSALCacheImport.Entry], skipped: [String]) {
    var entries: [MSALCacheImport.Entry] = []
    var skipped = skipped
    for (identity, draft) in drafts.sorted(by: { $0.key.homeAccountID < $1.key.homeAccountID }) {
      guard let home = HomeAccountID(identity.homeAccountID) else {
        skipped.append("an account whose id is not <person>.<tenant>")
        continue
      }
      guard draft.refreshToken != nil || !draft.accessTokens.isEmpty else {
        skipped.append("\(home.accountID): neither a refresh token nor a valid access token")
        continue
      }
      let account = accounts[Self.accountName(identity.homeAccountID, identity.environment)]
      let realm = draft.realm ?? account?.text("realm") ?? home.tenantID
      entries.append(
        MSALCacheImport.Entry(
          key: TokenCacheKey(
            authority: authority(environment: identity.environment, realm: realm), policy: home.policy,
            clientID: identity.clientID, accountID: home.accountID),
          record: record(draft, home, identity.homeAccountID, account)))
    }
    return (entries, skipped)
  }

  private mutating func read(_ entry: MSALEntry, _ secret: String, into draft: inout Draft) {
    let received = entry.date("cached_at") ?? now
    draft.latest = max(draft.latest ?? received, received)
    guard entry.isBearer else {
      skipped.append("AccessToken: a token that is bound to a key")
      return
    }
    guard let ends = entry.date("expires_on"), ends > now else {
      skipped.append("AccessToken: a token that has ended")
      return
    }
    draft.accessTokens.append(
      CachedAccessToken(
        token: Secret(secret), scopes: entry.scopes, receivedAt: received, expiresAt: ends,
        refreshAt: entry.date("refresh_on")))
  }

  private func record(
    _ draft: Draft, _ home: HomeAccountID, _ homeAccountID: String, _ account: MSALEntry?
  ) -> TokenRecord {
    TokenRecord(
      refreshToken: draft.refreshToken, idToken: draft.idToken, claims: claims(draft, home, account),
      homeAccountID: homeAccountID, accessTokens: draft.accessTokens, signedInAt: draft.latest ?? now,
      policyID: home.policy.isEmpty ? nil : home.policy)
  }

  /// The claims of the id_token, which the library has checked when it got it, else what the account says.
  private func claims(_ draft: Draft, _ home: HomeAccountID, _ account: MSALEntry?) -> [String: JSONValue] {
    let parts = draft.idToken?.value.split(separator: ".", omittingEmptySubsequences: false) ?? []
    if parts.count == 3, let payload = Base64URL.decode(parts[1]),
      let claims = try? JSONDecoder().decode([String: JSONValue].self, from: payload)
    {
      return claims
    }
    var claims: [String: JSONValue] = ["oid": .string(home.objectID), "tid": .string(home.tenantID)]
    if let name = account?.text("username") { claims["preferred_username"] = .string(name) }
    if let name = account?.text("name") { claims["name"] = .string(name) }
    return claims
  }

  private func authority(environment: String, realm: String) -> String {
    if let authority, URL(string: authority)?.host?.lowercased() == environment { return authority }
    return "https://\(environment)/\(realm)"
  }

  private static func accountName(_ home: String, _ environment: String) -> String {
    "\(home)|\(environment)".lowercased()
  }
}
