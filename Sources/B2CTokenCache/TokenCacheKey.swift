internal import B2CCore

/// The key of a token record: one authority, policy, client and user.
///
/// A key is a plain value. Nothing is folded or normalised: two keys are equal when all four parts are equal byte by byte,
/// so `é` in one code point and in two are different users. Where a provider ignores case, the caller folds the parts
/// before it makes the key.
public struct TokenCacheKey: Sendable, Hashable, Codable {
  /// The authority: scheme, host, port and tenant, such as `https://contoso.b2clogin.com/contoso.onmicrosoft.com`.
  public let authority: String
  /// The policy, or an empty string for an authority that has none.
  public let policy: String
  /// The application (client) ID.
  public let clientID: String
  /// The user id, as the provider's kind makes it.
  public let userID: String

  /// Creates a key from its four parts, taken as they are.
  ///
  /// - Parameters:
  ///   - authority: The authority: scheme, host, port and tenant.
  ///   - policy: The policy's id, or an empty string where there is none.
  ///   - clientID: The application (client) ID.
  ///   - userID: The user id.
  public init(authority: String, policy: String, clientID: String, userID: String) {
    self.authority = authority
    self.policy = policy
    self.clientID = clientID
    self.userID = userID
  }

  /// The key as one unique string: the four parts, percent-encoded, joined by `|`.
  ///
  /// It serves as the primary key of a database or the name of an item; its form never changes.
  public var canonicalText: String {
    [authority, policy, clientID, userID].map(FormEncoding.escape).joined(separator: "|")
  }

  /// Reads a key back from its canonical text.
  ///
  /// - Parameter canonicalText: A value of ``canonicalText``; the result is `nil` for any other string.
  public init?(canonicalText: String) {
    let parts = canonicalText.split(separator: "|", omittingEmptySubsequences: false).map(FormEncoding.unescape)
    guard parts.count == 4 else { return nil }
    self.init(authority: parts[0], policy: parts[1], clientID: parts[2], userID: parts[3])
    guard self.canonicalText == canonicalText else { return nil }
  }

  /// Compares all four parts byte by byte: Swift's own comparison takes two forms of `é` for one user.
  ///
  /// - Parameters:
  ///   - left: One key.
  ///   - right: The other.
  /// - Returns: Whether they are the same.
  public static func == (left: TokenCacheKey, right: TokenCacheKey) -> Bool {
    ASCIIText.isSame(left.userID, right.userID) && ASCIIText.isSame(left.policy, right.policy)
      && ASCIIText.isSame(left.clientID, right.clientID) && ASCIIText.isSame(left.authority, right.authority)
  }
}
