/// One copy of what thousands of records have in common: authority, policy, client, scopes.
///
/// Each text of its own costs its bytes and an allocation; with it, ten thousand accounts cost little more than their
/// tokens.
struct SharedParts: Sendable {
  /// More different values than this are no common ones.
  private static let limit = 512

  private var texts: Set<String> = []
  private var scopeSets: Set<Set<String>> = []

  /// The same key, with parts that others have, too.
  mutating func share(_ key: TokenCacheKey) -> TokenCacheKey {
    TokenCacheKey(
      authority: share(key.authority), policy: share(key.policy), clientID: share(key.clientID),
      accountID: key.accountID)
  }

  /// The same record, with parts that others have, too.
  mutating func share(_ record: TokenRecord) -> TokenRecord {
    var record = record
    record.policyID = record.policyID.map { share($0) }
    for index in record.accessTokens.indices {
      record.accessTokens[index].scopes = share(record.accessTokens[index].scopes)
    }
    return record
  }

  private mutating func share(_ text: String) -> String {
    if texts.count >= Self.limit { texts = [] }
    return texts.insert(text).memberAfterInsert
  }

  private mutating func share(_ scopes: Set<String>) -> Set<String> {
    if scopeSets.count >= Self.limit { scopeSets = [] }
    return scopeSets.insert(scopes).memberAfterInsert
  }
}
