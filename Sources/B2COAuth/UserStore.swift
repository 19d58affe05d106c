internal import B2CCore
internal import Foundation

/// Finds the token records of this authority and client in the cache: which is whose, and who is current.
///
/// The current record is the one signed in last. Which one that is needs no separate store, so any cache works. Where
/// the settings require a user, no other user's record is current. What was found is known to every client of the cache.
struct UserStore: Sendable {
  let authority: String
  let clientID: String
  let cache: RecordCache
  /// Microsoft ignores the case of GUIDs; elsewhere every byte counts, so nothing may be folded.
  let isMicrosoft: Bool
  private let requiredUser: String?
  private let known: KnownKeys
  /// The keys of the configured policies; one without a policy where the authority has none.
  private let configuredPolicies: Set<String>
  /// Whether a user can have records by other policies than the configured ones, which the app names itself.
  private let hasPolicies: Bool
  private let now: @Sendable () -> Date

  init(configuration: OAuthConfiguration, cache: RecordCache, now: @escaping @Sendable () -> Date) {
    authority = configuration.authority.cacheID
    let kind = configuration.authority.kind(for: configuration.defaultPolicy)
    isMicrosoft = kind != .openIDConnect
    clientID = isMicrosoft ? configuration.clientID.lowercased() : configuration.clientID
    requiredUser = configuration.requiredUser.flatMap { $0.isEmpty ? nil : $0 }
    configuredPolicies = Set(([configuration.defaultPolicy] + configuration.knownPolicies).map { $0?.key ?? "" })
    hasPolicies = kind == .b2c || (kind == .ciam && configuration.authority.takesPolicies) || configuredPolicies != [""]
    known = cache.state.knownKeys(authority: authority, clientID: clientID)
    self.cache = cache
    self.now = now
  }

  func key(userID: String, policy: Policy?) -> TokenCacheKey {
    key(foldedID: folded(userID), policy: policy?.key ?? "")
  }

  private func key(foldedID: String, policy: String) -> TokenCacheKey {
    TokenCacheKey(authority: authority, policy: policy, clientID: clientID, userID: foldedID)
  }

  /// A user id as it is in this authority's keys.
  func folded(_ userID: String) -> String {
    UserIdentity.userID(userID, isMicrosoft: isMicrosoft)
  }

  /// Whether a key is of this authority and client, and of a user if one is named, by its folded id.
  func isOwn(_ key: TokenCacheKey, foldedID: String?) -> Bool {
    key == self.key(foldedID: foldedID ?? key.userID, policy: key.policy)
  }

  // MARK: One record

  /// The record to use: of the named user, else of the current one; by the named policy, else the latest.
  ///
  /// A known record without a session is looked up anew: the user may have signed in again elsewhere.
  ///
  /// - Parameters:
  ///   - userID: The user; the current one for `nil`.
  ///   - policy: The policy; any for `nil`.
  ///   - looksAgain: Whether to look up the current user anew unless the cache says that nothing has changed.
  /// - Returns: The record with its key; `nil` when there is none.
  /// - Throws: The cache's error when a record cannot be read that may be the current one: no one gets the token of
  ///   another user, and no one counts as signed out, because a cache fails.
  func record(userID: String?, policy: Policy?, looksAgain: Bool = false) async throws -> StoredRecord? {
    if userID == nil, let policy {
      // The current user's by this policy, not that of another user who came by it.
      let current = try await record(userID: nil, policy: nil, looksAgain: looksAgain)
      guard let current, current.key.policy != policy.key else { return current }
      return try await record(userID: current.key.userID, policy: policy)
    }
    let lookup = KnownKeys.Lookup(userID: userID, policy: policy?.key, requiredUser: requiredUser)
    let (entry, changes) = known.entry(for: lookup)
    // Another process may have brought a later session; what has one possible key is the same.
    let stamp = userID == nil || (policy == nil && hasPolicies) ? await cache.changeStamp() : nil
    if let entry {
      do {
        // Also where it is looked up anew: while the current user's record cannot be read, no other user is current.
        let record = try await cache.record(for: entry.key)
        if entry.stamp == stamp, !looksAgain || stamp != nil, let record, record.hasSession(now: now()) {
          return StoredRecord(key: entry.key, record: record)
        }
      } catch let error where userID != nil && policy == nil && !(error is CancellationError) {
        // A named person may have another session, by another policy: one bad record does not hide the others.
      }
    }
    let (found, isSure) = try await find(userID: userID, policy: policy)
    if isSure, known.remember(found?.key, stamp: stamp, for: lookup, ifStill: changes), userID == nil {
      cache.state.observers.changed()
    }
    return found
  }

  /// Looks a record up.
  ///
  /// - Returns: The record, and whether it is the right one also when another can be read again.
  private func find(userID: String?, policy: Policy?) async throws -> (record: StoredRecord?, isSure: Bool) {
    guard let userID else {
      let (records, failure) = try await read()
      let latest = records.first(where: isRequired)
      if let failure, latest == nil || !Self.isLasting(failure) { throw failure }
      return (latest, true)
    }
    if let policy {
      // Only one key is possible (benchmark row 7).
      let key = key(userID: userID, policy: policy)
      return (try await cache.record(for: key).map { StoredRecord(key: key, record: $0) }, true)
    }
    let (records, failure) = try await read(userID: userID)
    if let failure, records.isEmpty { throw failure }
    return (records.first, failure.map(Self.isLasting) ?? true)
  }

  // MARK: Several records

  /// All records that can be read, the latest first; of a user, if one is named.
  ///
  /// - Throws: The cache's error when it cannot be listed.
  func records(userID: String? = nil) async throws -> [StoredRecord] {
    try await read(userID: userID).records
  }

  /// The records that can be read, and why others cannot: one bad record does not hide the others.
  ///
  /// The records of a user are found by the policies that are known, without listing the cache; only where none of
  /// them has a session may there be one by another policy.
  func read(userID: String? = nil) async throws -> (records: [StoredRecord], failure: (any Error)?) {
    guard let userID else {
      return try await read(try await cache.keys().filter { isOwn($0, foldedID: nil) })
    }
    let foldedID = folded(userID)
    let likely = likelyKeys(foldedID)
    let found = try await read(likely)
    guard hasPolicies, found.failure == nil, !found.records.contains(where: { $0.record.hasSession(now: now()) })
    else { return found }
    let all = Set(try await cache.keys().filter { isOwn($0, foldedID: foldedID) })
    return all.isSubset(of: likely) ? found : try await read(all)
  }

  private func read(
    _ keys: some Collection<TokenCacheKey>
  ) async throws -> (records: [StoredRecord], failure: (any Error)?) {
    var records: [StoredRecord] = []
    var failure: (any Error)?
    for key in keys {
      do {
        guard let record = try await cache.record(for: key) else { continue }
        records.append(StoredRecord(key: key, record: record))
        known.note(policy: key.policy, record: record)
      } catch let error as CancellationError {
        throw error
      } catch {
        if failure.map(Self.isLasting) ?? true { failure = error }
      }
    }
    return (Self.latestFirst(records), failure)
  }

  private static func latestFirst(_ records: [StoredRecord]) -> [StoredRecord] {
    var sorted = records.sorted { $0.record.signInDates.server > $1.record.signInDates.server }
    // Neighbours whose order the server's time does not tell.
    for index in sorted.indices.dropFirst() {
      var place = index
      while place > 0, sorted[place].record.signInDates.isAfter(sorted[place - 1].record.signInDates) {
        sorted.swapAt(place, place - 1)
        place -= 1
      }
    }
    return sorted
  }

  // MARK: Signing in and out

  /// Returns the dates to keep with a sign-in: this device's, and the server's, which sign-ins are ordered by.
  ///
  /// - Parameters:
  ///   - serverTime: The server's time, as far as it is known.
  ///   - keeps: Whether a sign-in is known by them from now on.
  /// - Returns: Dates later than those of any known sign-in.
  func nextSignInDates(serverTime: Date, keeps: Bool = false) -> SignInDates {
    known.nextSignInDates(now: SignInDates(device: now(), server: serverTime), keeps: keeps)
  }

  /// Makes the record of a sign-in the current one, for every client of the cache.
  func signedIn(_ key: TokenCacheKey, at date: Date) {
    known.signedIn(key, at: date, requiredUser: requiredUser)
  }

  /// The keys under which a user's records are expected; another policy may have brought further ones.
  func likelyKeys(_ foldedID: String) -> Set<TokenCacheKey> {
    Set(configuredPolicies.union(known.policies).map { key(foldedID: foldedID, policy: $0) })
  }

  /// Forgets the keys of a user, or of all users, and who is current.
  ///
  /// - Returns: The keys that were known.
  @discardableResult
  func forget(foldedID: String?) -> Set<TokenCacheKey> {
    known.forget(userID: foldedID)
  }

  private func isRequired(_ stored: StoredRecord) -> Bool {
    requiredUser.map {
      UserInfo(stored, now: now(), isMicrosoft: isMicrosoft).isUser($0, isMicrosoft: isMicrosoft)
    } ?? true
  }

  /// Whether reading the record again will fail again, so that waiting for it would keep all other callers out.
  private static func isLasting(_ error: any Error) -> Bool {
    let code = ((error as? ConnectorError)?.underlying as? TokenCacheError)?.code
    return code == .newerVersion || code == .decryptionFailed
  }
}

/// One record of the cache with its key: what one person granted by one policy.
struct StoredRecord: Sendable {
  let key: TokenCacheKey
  var record: TokenRecord
}
