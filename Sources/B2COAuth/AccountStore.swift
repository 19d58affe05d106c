internal import B2CCore
internal import Foundation

/// Finds the token records of this authority and client in the cache: which is whose, and who is current.
///
/// The current record is the one signed in last. Which one that is needs no separate store, so any cache works. Where
/// the settings require a user, no other user's record is current.
struct AccountStore: Sendable {
  let authority: String
  let clientID: String
  let cache: RecordCache
  private let requiredUser: String?
  /// Microsoft ignores the case of GUIDs; elsewhere every byte counts, so nothing may be folded.
  let isMicrosoft: Bool
  // Saves listing the keys at each call (benchmark row 1); a handle whose record is gone is looked up anew.
  private let current = Locked(Handles())

  /// An account and a policy as callers name them; `nil` for any.
  private struct Handle: Hashable {
    let accountID: String?
    let policy: String?
  }

  private struct Handles: Sendable {
    var keys: [Handle: TokenCacheKey] = [:]
    /// How often a user came or went: what was looked up before that must not be kept after it.
    var changes = 0
    var latestSignIn = Date.distantPast
  }

  init(configuration: OAuthConfiguration, cache: RecordCache) {
    authority = configuration.authority.cacheID
    isMicrosoft = configuration.authority.kind(for: configuration.defaultPolicy) != .openIDConnect
    clientID = isMicrosoft ? configuration.clientID.lowercased() : configuration.clientID
    requiredUser = configuration.requiredUser.flatMap { $0.isEmpty ? nil : $0 }
    self.cache = cache
  }

  func key(accountID: String, policy: Policy?) -> TokenCacheKey {
    TokenCacheKey(
      authority: authority, policy: policy?.key ?? "", clientID: clientID, accountID: folded(accountID))
  }

  /// An account id as it is in this authority's keys.
  func folded(_ accountID: String) -> String {
    AccountIdentity.accountID(accountID, isMicrosoft: isMicrosoft)
  }

  /// Whether a key is of this authority and client, and of an account if one is named, by its folded id.
  func isOwn(_ key: TokenCacheKey, foldedID: String?) -> Bool {
    key
      == TokenCacheKey(
        authority: authority, policy: key.policy, clientID: clientID, accountID: foldedID ?? key.accountID)
  }

  /// The record to use: of an account if one is named, by a policy if one is named, else the latest.
  ///
  /// - Throws: The cache's error when a record cannot be read that may be the current one: no one gets the token of
  ///   another user, and no one counts as signed out, because a cache fails.
  func record(accountID: String?, policy: Policy?) async throws -> StoredRecord? {
    let handle = Handle(accountID: accountID, policy: policy?.key)
    let (known, changes) = current.withLock { ($0.keys[handle], $0.changes) }
    if let known, let record = try await cache.record(for: known) { return StoredRecord(key: known, record: record) }
    if let accountID, let policy {
      // Only one key is possible, so nothing has to be listed (benchmark row 7).
      let key = key(accountID: accountID, policy: policy)
      let record = try await cache.record(for: key)
      current.withLock { if $0.changes == changes { $0.keys[handle] = record.map { _ in key } } }
      return record.map { StoredRecord(key: key, record: $0) }
    }
    let (records, failure) = try await read(accountID: accountID, policy: policy)
    let latest = records.first { accountID != nil || isRequired($0) }
    if let failure, latest == nil || (accountID == nil && !Self.isLasting(failure)) { throw failure }
    current.withLock { if $0.changes == changes { $0.keys[handle] = latest?.key } }
    return latest
  }

  /// All records that can be read, the latest first; of an account or by a policy, if one is named.
  ///
  /// - Throws: The cache's error when it cannot be listed.
  func records(accountID: String? = nil, policy: Policy? = nil) async throws -> [StoredRecord] {
    try await read(accountID: accountID, policy: policy).records
  }

  /// The records that can be read, and why others cannot: one bad record does not hide the others.
  func read(
    accountID: String? = nil, policy: Policy? = nil
  ) async throws -> (records: [StoredRecord], failure: (any Error)?) {
    var records: [StoredRecord] = []
    var failure: (any Error)?
    let foldedID = accountID.map(folded)
    for key in try await cache.keys()
    where isOwn(key, foldedID: foldedID) && (policy == nil || key.policy == policy?.key) {
      do {
        if let record = try await cache.record(for: key) { records.append(StoredRecord(key: key, record: record)) }
      } catch let error as CancellationError {
        throw error
      } catch {
        if failure.map(Self.isLasting) ?? true { failure = error }
      }
    }
    return (records.sorted { $0.record.signedInAt > $1.record.signedInAt }, failure)
  }

  /// Returns the time to keep with a sign-in: now, but later than that of any sign-in before it here.
  func signInDate(_ now: Date, after stored: Date?) -> Date {
    current.withLock { handles in
      let latest = max(handles.latestSignIn, stored ?? .distantPast)
      handles.latestSignIn = max(now, latest.addingTimeInterval(0.001))
      return handles.latestSignIn
    }
  }

  /// Takes note of a sign-in: its record is current now.
  func signedIn(_ key: TokenCacheKey) {
    current.withLock { handles in
      handles.changes += 1
      handles.keys = [:]
      for account in [nil, key.accountID] {
        for policy in [nil, key.policy] { handles.keys[Handle(accountID: account, policy: policy)] = key }
      }
    }
  }

  /// Forgets which records are current, after one went.
  ///
  /// - Returns: The keys of those that were known.
  @discardableResult
  func forgetCurrent() -> Set<TokenCacheKey> {
    current.withLock { handles in
      defer { handles.keys = [:] }
      handles.changes += 1
      return Set(handles.keys.values)
    }
  }

  private func isRequired(_ stored: StoredRecord) -> Bool {
    requiredUser.map {
      UserInfo(claims: stored.record.claims, isMicrosoft: isMicrosoft).isUser($0, isMicrosoft: isMicrosoft)
    } ?? true
  }

  /// Whether reading the record again will fail again, so that waiting for it would keep all other callers out.
  private static func isLasting(_ error: any Error) -> Bool {
    let code = ((error as? OAuthError)?.underlying as? TokenCacheError)?.code
    return code == .newerVersion || code == .decryptionFailed
  }
}

/// One record of the cache with its key: what one person granted by one policy.
struct StoredRecord: Sendable {
  let key: TokenCacheKey
  let record: TokenRecord
}
