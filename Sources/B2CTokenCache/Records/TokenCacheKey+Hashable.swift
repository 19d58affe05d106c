extension TokenCacheKey {
  /// Feeds the parts that tell keys apart: the person and the policy.
  ///
  /// Authority and client are the same for nearly all keys of a process and would only cost time.
  ///
  /// - Parameter hasher: The hasher to feed.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(accountID)
    hasher.combine(policy)
  }

  /// Compares all four parts, the one that differs most first.
  ///
  /// - Parameters:
  ///   - left: One key.
  ///   - right: The other.
  /// - Returns: Whether they are the same.
  public static func == (left: TokenCacheKey, right: TokenCacheKey) -> Bool {
    left.accountID == right.accountID && left.policy == right.policy && left.clientID == right.clientID
      && left.authority == right.authority
  }
}
