/// What a record belongs to: one person's grant by one policy of one authority to one client.
///
/// All parts are compared and kept in lower case, because Azure AD B2C matches them without regard to case and answers
/// in either.
public struct TokenCacheKey: Sendable, Hashable, Codable {
  /// The authority: scheme, host, port and tenant, such as `https://contoso.b2clogin.com/contoso.onmicrosoft.com`.
  public let authority: String
  /// The policy, or an empty text for an authority that has none.
  public let policy: String
  /// The application (client) id.
  public let clientID: String
  /// The person: `<object id>.<tenant id>`.
  public let accountID: String

  /// Makes a key; every part is turned into lower case.
  ///
  /// - Parameters:
  ///   - authority: The authority: scheme, host, port and tenant.
  ///   - policy: The policy's id, or an empty text where there is none.
  ///   - clientID: The application (client) id.
  ///   - accountID: The person: `<object id>.<tenant id>`.
  public init(authority: String, policy: String, clientID: String, accountID: String) {
    self.authority = authority.lowercased()
    self.policy = policy.lowercased()
    self.clientID = clientID.lowercased()
    self.accountID = accountID.lowercased()
  }
}
