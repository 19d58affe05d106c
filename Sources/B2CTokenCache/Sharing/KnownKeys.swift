internal import B2CCore
package import Foundation

/// The keys that calls of one authority and client have found, by what the calls asked for.
///
/// They save listing the cache at each call (benchmark row 1). Every client over the same cache uses the same ones, so
/// that all agree on who is current.
package final class KnownKeys: Sendable {
  /// The request of a call, as the caller wrote it; `nil` for any.
  package struct Lookup: Hashable, Sendable {
    let userID: String?
    let policy: String?
    let requiredUser: String?

    package init(userID: String?, policy: String?, requiredUser: String? = nil) {
      self.userID = userID
      self.policy = policy
      // A required user limits who is current, not who can be named.
      self.requiredUser = userID == nil ? requiredUser : nil
    }
  }

  /// A key that was found.
  package struct Entry: Sendable {
    package let key: TokenCacheKey
    /// The cache's change stamp when it was found.
    package let stamp: Int?
  }

  private struct Content: Sendable {
    var entries: [Lookup: Entry] = [:]
    /// How often a user came or went: what was looked up before must not be kept after it.
    var changes = 0
    var latest = SignInDates(device: .distantPast, server: .distantPast)
    var policies: Set<String> = []
  }

  private let content = Locked(Content())

  /// The policies that any user is known to have signed in by.
  package var policies: Set<String> { content.withLock { $0.policies } }

  /// Returns the entry of a look-up, and the number of changes for ``remember(_:stamp:for:ifStill:)``.
  package func entry(for lookup: Lookup) -> (entry: Entry?, changes: Int) {
    content.withLock { ($0.entries[lookup], $0.changes) }
  }

  /// Keeps what a look-up has found, unless a user came or went meanwhile.
  ///
  /// - Returns: Whether another user was known before: a user came or went elsewhere.
  package func remember(_ key: TokenCacheKey?, stamp: Int?, for lookup: Lookup, ifStill changes: Int) -> Bool {
    content.withLock { content in
      guard content.changes == changes else { return false }
      let before = content.entries[lookup]
      content.entries[lookup] = key.map { Entry(key: $0, stamp: stamp) }
      if lookup.userID == nil, let key {
        // Whose latest session this is, is found by it also where the user is named.
        content.entries = content.entries.filter {
          $0.key.userID == nil || $0.key.policy != nil || $0.value.key.userID != key.userID
            || $0.value.key == key
        }
      }
      return before != nil && before?.key != key
    }
  }

  /// Notes the sign-ins that a listing has found.
  package func note(policy: String, record: TokenRecord) {
    content.withLock { content in
      content.policies.insert(policy)
      let dates = record.signInDates
      content.latest = SignInDates(
        device: max(content.latest.device, dates.device), server: max(content.latest.server, dates.server))
    }
  }

  /// The dates for a new sign-in.
  ///
  /// - Parameters:
  ///   - now: The time by both clocks.
  ///   - keeps: Whether later ones shall be later than these, too.
  /// - Returns: Now, by both clocks, but later than any known sign-in.
  package func nextSignInDates(now: SignInDates, keeps: Bool) -> SignInDates {
    content.withLock { content in
      let next = SignInDates(
        device: Self.date(now.device, after: content.latest.device),
        server: Self.date(now.server, after: content.latest.server))
      if keeps { content.latest = next }
      return next
    }
  }

  private static func date(_ date: Date, after latest: Date) -> Date {
    let later = max(date, latest.addingTimeInterval(0.001))
    // As it is read back from its stored form, so that a record is equal to itself after that.
    return Date(timeIntervalSince1970: later.timeIntervalSince1970)
  }

  /// Makes the record of a sign-in the current one, unless a later one is; other users keep their entries.
  package func signedIn(_ key: TokenCacheKey, at date: Date, requiredUser: String?) {
    content.withLock { content in
      content.changes += 1
      content.policies.insert(key.policy)
      content.entries = content.entries.filter { $0.key.userID != nil && $0.value.key.userID != key.userID }
      var lookups = [nil, key.policy].map { Lookup(userID: key.userID, policy: $0) }
      if date >= content.latest.device {
        lookups.append(Lookup(userID: nil, policy: nil, requiredUser: requiredUser))
      }
      for lookup in lookups { content.entries[lookup] = Entry(key: key, stamp: nil) }
    }
  }

  /// Forgets who is current, and the entries of a user, or of all users.
  ///
  /// - Parameter userID: The user, folded as in keys; `nil` for all.
  /// - Returns: The keys that were known of the forgotten users.
  @discardableResult
  package func forget(userID: String?) -> Set<TokenCacheKey> {
    content.withLock { content in
      content.changes += 1
      let isForgotten = { (entry: Entry) in userID == nil || entry.key.userID == userID }
      let keys = Set(content.entries.values.filter(isForgotten).map(\.key))
      content.entries = content.entries.filter { $0.key.userID != nil && !isForgotten($0.value) }
      return keys
    }
  }
}
