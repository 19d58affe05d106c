internal import B2CCore
internal import Foundation

/// Finds the grants of this authority and client in the cache.
///
/// The current grant is the one signed in last. Which one that is needs no store of its own, so every cache will do.
struct GrantDirectory: Sendable {
  let authority: String
  let clientID: String
  let cache: GrantCache
  // Saves listing the keys at each call; a handle whose record is gone is looked up anew.
  private let current = Locked<[String: TokenCacheKey]>([:])

  init(configuration: OAuthConfiguration, cache: GrantCache) {
    authority = configuration.authority.cacheID
    clientID = configuration.clientID
    self.cache = cache
  }

  func key(accountID: String, policy: Policy?) -> TokenCacheKey {
    TokenCacheKey(authority: authority, policy: policy?.key ?? "", clientID: clientID, accountID: accountID)
  }

  /// The grant to use: of an account if one is named, by a policy if one is named, else the latest.
  func grant(accountID: String?, policy: Policy?) async throws -> Grant? {
    let handle = (accountID?.lowercased() ?? "") + "|" + (policy?.key ?? "")
    if let key = current.withLock({ $0[handle] }), let record = try await cache.record(for: key) {
      return Grant(key: key, record: record)
    }
    let latest = try await grants(accountID: accountID, policy: policy).first
    current.withLock { $0[handle] = latest?.key }
    return latest
  }

  /// All grants, the latest first; of an account or by a policy, if one is named.
  func grants(accountID: String? = nil, policy: Policy? = nil) async throws -> [Grant] {
    let wanted = TokenCacheKey(
      authority: authority, policy: policy?.key ?? "", clientID: clientID, accountID: accountID ?? "")
    var grants: [Grant] = []
    for key in try await cache.keys()
    where key.authority == wanted.authority && key.clientID == wanted.clientID
      && (policy == nil || key.policy == wanted.policy) && (accountID == nil || key.accountID == wanted.accountID)
    {
      // A record that is damaged must not hide the others; using it by its key still says what is wrong.
      if let record = try? await cache.record(for: key) { grants.append(Grant(key: key, record: record)) }
    }
    return grants.sorted { $0.record.signedInAt > $1.record.signedInAt }
  }

  /// Forgets which grants are current, after one came or went.
  func forgetCurrent() {
    current.withLock { $0 = [:] }
  }
}
