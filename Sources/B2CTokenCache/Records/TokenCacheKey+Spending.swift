extension TokenCacheKey {
  private static let spendingMark = "#spending"

  /// The key to hold while the refresh token of this key is spent.
  ///
  /// Nothing is stored under it. It is a key of its own, so that a sign-out takes the record's key at once and need not
  /// wait for a request under way. Whoever holds it may take the record's key inside, never the other way around.
  public var forSpending: TokenCacheKey {
    isForSpending
      ? self
      : TokenCacheKey(
        authority: authority, policy: policy, clientID: clientID, accountID: accountID + Self.spendingMark)
  }

  /// Whether this is a key that is held while another's refresh token is spent.
  ///
  /// A cache whose keys share a fixed number of locks keeps those of such keys apart from the others'.
  public var isForSpending: Bool { accountID.hasSuffix(Self.spendingMark) }
}
