internal import B2CCore
internal import Foundation

/// Counts the tokens that an API has refused in a row, so that an API that refuses all of them costs two refreshes.
///
/// The count is per user and set of scopes. It starts again when a token was accepted.
struct RefusedTokens: Sendable {
  private struct Target: Hashable, Sendable {
    let key: TokenCacheKey
    let scopes: Set<String>
  }

  private struct Count: Sendable {
    var refused = 0
    var latest: Secret?
  }

  /// How many tokens in a row are replaced.
  private static let limit = 2
  private let counts = Locked<[Target: Count]>([:])

  /// Notes that an API has refused a token.
  ///
  /// - Parameters:
  ///   - entry: The refused token, the newest of its record.
  ///   - key: The record's key.
  ///   - scopes: The scopes of the call.
  ///   - now: The time. A token that has lived half of its life may be replaced in any case.
  /// - Returns: Whether another refresh may bring a better one.
  func note(
    _ entry: CachedAccessToken, for key: TokenCacheKey, _ scopes: [String], now: Date
  ) -> Bool {
    let refused = counts.withLock { counts in
      var count = counts[Target(key: key, scopes: Scopes.ofAPI(scopes))] ?? Count()
      if count.latest != entry.token {
        count.refused += 1
        count.latest = entry.token
      }
      counts[Target(key: key, scopes: Scopes.ofAPI(scopes))] = count
      return count.refused
    }
    let age = now.timeIntervalSince(entry.receivedAt)
    let life = entry.expiresAt.timeIntervalSince(entry.receivedAt)
    // A clock that was set back makes no token young.
    return refused <= Self.limit || age < 0 || age >= life / 2
  }

  /// Starts counting again for a user and a set of scopes, after one of its tokens was accepted.
  func startAgain(for userID: String?, _ scopes: [String]) {
    counts.withLock { counts in
      guard !counts.isEmpty else { return }
      let scopes = Scopes.ofAPI(scopes)
      counts = counts.filter { target, _ in
        target.scopes != scopes || (userID != nil && target.key.userID != userID)
      }
    }
  }
}
