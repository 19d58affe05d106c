internal import Foundation

/// Gathers the scattered entries of the format into records.
struct MSALCacheReader {
  private struct Identity: Hashable {
    let environment: String
    let homeAccountID: String
    let clientID: String
  }

  /// What belongs to a person and a client: the refresh token, which is good for every tenant, and the rest by tenant.
  private struct Draft {
    var refreshToken: Secret?
    var tenants: [String: Tokens] = [:]
    var latest: Date?
  }

  private struct Tokens {
    var idToken: Secret?
    var accessTokens: [CachedAccessToken] = []
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
      environment: MSALEnvironment.preferred(environment), homeAccountID: home.lowercased(),
      clientID: client.lowercased())
    var draft = drafts[identity] ?? Draft()
    let tenant = (entry.text("realm") ?? "").lowercased()
    switch section {
    case .account: break
    case .idToken: draft.tenants[tenant, default: Tokens()].idToken = Secret(secret)
    case .refreshToken: draft.refreshToken = Secret(secret)
    case .accessToken: read(entry, secret, of: tenant, into: &draft)
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
      let account = accounts[Self.accountName(identity.homeAccountID, identity.environment)]
      let tenants = byTenant(draft, home, account)
      let main = mainTenant(Array(tenants.keys), home)
      for (tenant, tokens) in tenants.sorted(by: { $0.key < $1.key }) {
        guard draft.refreshToken != nil || !tokens.accessTokens.isEmpty else {
          skipped.append("\(home.accountID): neither a refresh token nor a valid access token")
          continue
        }
        let url = authority(environment: identity.environment, tenant: tenant, isMain: tenant == main)
        entries.append(
          MSALCacheImport.Entry(
            key: TokenCacheKey(
              authority: url, policy: home.policy, clientID: identity.clientID, accountID: home.accountID),
            record: record(draft, tokens, home, identity.homeAccountID, account)))
      }
    }
    return (entries, skipped)
  }

  /// The tokens of each tenant; those without a tenant are the account's, or else the home tenant's.
  private func byTenant(_ draft: Draft, _ home: HomeAccountID, _ account: MSALEntry?) -> [String: Tokens] {
    var tenants = draft.tenants
    if let homeless = tenants.removeValue(forKey: "") ?? (tenants.isEmpty ? Tokens() : nil) {
      let tenant = account?.text("realm")?.lowercased() ?? home.tenantID
      var tokens = tenants[tenant] ?? Tokens()
      tokens.accessTokens += homeless.accessTokens
      tokens.idToken = tokens.idToken ?? homeless.idToken
      tenants[tenant] = tokens
    }
    return tenants
  }

  /// The tenant that the settings' authority stands for: the one it names, else the person's own.
  private func mainTenant(_ tenants: [String], _ home: HomeAccountID) -> String? {
    if tenants.count == 1 { return tenants.first }
    let path = authority.flatMap { URL(string: $0)?.path.lowercased().split(separator: "/").map(String.init) } ?? []
    return tenants.first(where: path.contains) ?? tenants.first { $0 == home.tenantID }
  }

  private mutating func read(
    _ entry: MSALEntry, _ secret: String, of tenant: String, into draft: inout Draft
  ) {
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
    draft.tenants[tenant, default: Tokens()].accessTokens.append(
      CachedAccessToken(
        token: Secret(secret), scopes: entry.scopes, receivedAt: received, expiresAt: ends,
        refreshAt: entry.date("refresh_on")))
  }

  private func record(
    _ draft: Draft, _ tokens: Tokens, _ home: HomeAccountID, _ homeAccountID: String, _ account: MSALEntry?
  ) -> TokenRecord {
    TokenRecord(
      refreshToken: draft.refreshToken, idToken: tokens.idToken, claims: claims(tokens, home, account),
      homeAccountID: homeAccountID, accessTokens: tokens.accessTokens, signedInAt: draft.latest ?? now,
      policyID: home.policy.isEmpty ? nil : home.policy)
  }

  /// The claims of the id_token, which the library has checked when it got it, else what the account says.
  private func claims(_ tokens: Tokens, _ home: HomeAccountID, _ account: MSALEntry?) -> [String: JSONValue] {
    let parts = tokens.idToken?.value.split(separator: ".", omittingEmptySubsequences: false) ?? []
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

  private func authority(environment: String, tenant: String, isMain: Bool) -> String {
    if isMain, let authority, URL(string: authority)?.host.map(MSALEnvironment.preferred) == environment {
      return authority
    }
    return "https://\(environment)/\(tenant)"
  }

  private static func accountName(_ home: String, _ environment: String) -> String {
    "\(home.lowercased())|\(MSALEnvironment.preferred(environment))"
  }
}
