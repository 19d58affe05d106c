internal import B2CCore

extension TokenCacheKey {
  /// Takes parts that are in lower case already, without walking through them again.
  package init(lowercasedAuthority authority: String, policy: String, clientID: String, accountID: String) {
    self.authority = authority
    self.policy = policy
    self.clientID = clientID
    self.accountID = accountID
  }

  /// The key as one text that no other key has: the four parts, escaped, with `|` between them.
  package var canonicalText: String {
    [authority, policy, clientID, accountID].map(FormEncoding.escape).joined(separator: "|")
  }

  /// Reads ``canonicalText`` back; `nil` for any other text.
  package init?(canonicalText: String) {
    let parts = canonicalText.split(separator: "|", omittingEmptySubsequences: false).map(FormEncoding.unescape)
    guard parts.count == 4 else { return nil }
    self.init(authority: parts[0], policy: parts[1], clientID: parts[2], accountID: parts[3])
    guard self.canonicalText == canonicalText else { return nil }
  }
}
