internal import B2CCore

extension TokenCacheKey {
  /// Takes parts that are in lower case already, without walking through them again.
  package init(lowercasedAuthority authority: String, policy: String, clientID: String, accountID: String) {
    self.authority = authority
    self.policy = policy
    self.clientID = clientID
    self.accountID = accountID
  }

  /// The key as one text that no other key has: the four parts, percent-encoded, with `|` between them.
  ///
  /// It serves as the primary key of a database or the name of an item; it never changes its form.
  public var canonicalText: String {
    [authority, policy, clientID, accountID].map(FormEncoding.escape).joined(separator: "|")
  }

  /// Reads a key back from its text.
  ///
  /// - Parameter canonicalText: What ``canonicalText`` gave; the result is `nil` for any other text.
  public init?(canonicalText: String) {
    let parts = canonicalText.split(separator: "|", omittingEmptySubsequences: false).map(FormEncoding.unescape)
    guard parts.count == 4 else { return nil }
    self.init(authority: parts[0], policy: parts[1], clientID: parts[2], accountID: parts[3])
    guard self.canonicalText == canonicalText else { return nil }
  }
}
