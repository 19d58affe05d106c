internal import B2CCore

/// The key of a token record: one authority, client and user.
///
/// A key is a plain value. Nothing is folded or normalised: two keys are equal when all three parts are equal byte by byte,
/// so `é` in one code point and in two are different users. If a provider ignores case, the caller folds the parts
/// before it makes the key.
public struct TokenCacheKey: Sendable, Hashable, Codable {
  /// The authority: scheme, host, port and tenant, such as `https://contoso.b2clogin.com/contoso.onmicrosoft.com`.
  package let authority: String
  /// The application (client) ID.
  package let clientID: String
  /// The id of the user, as in `UserInfo`.
  public let userID: String

  /// Creates a key from its three parts, taken as they are.
  ///
  /// - Parameters:
  ///   - authority: The authority: scheme, host, port and tenant.
  ///   - clientID: The application (client) ID.
  ///   - userID: The id of the user.
  package init(authority: String, clientID: String, userID: String) {
    self.authority = authority
    self.clientID = clientID
    self.userID = userID
  }

  /// The key as one unique string: the three parts, percent-encoded, joined by `|`.
  ///
  /// It serves as the primary key of a database or the name of an item; its form never changes.
  public var canonicalText: String {
    [authority, clientID, userID].map { FormEncoding.escape($0) }.joined(separator: "|")
  }

  /// Reads a key back from its canonical text.
  ///
  /// - Parameter canonicalText: A value of ``canonicalText``; the result is `nil` for any other string.
  public init?(canonicalText: String) {
    let parts = canonicalText.split(separator: "|", omittingEmptySubsequences: false).map(FormEncoding.unescape)
    guard parts.count == 3 else { return nil }
    self.init(authority: parts[0], clientID: parts[1], userID: parts[2])
    guard self.canonicalText == canonicalText else { return nil }
  }

  /// Compares all parts byte by byte: Swift's own comparison takes two forms of `é` for one user.
  ///
  /// - Parameters:
  ///   - left: The first key.
  ///   - right: The second key.
  /// - Returns: Whether they are the same.
  public static func == (left: TokenCacheKey, right: TokenCacheKey) -> Bool {
    ASCIIText.isSame(left.userID, right.userID) && ASCIIText.isSame(left.clientID, right.clientID)
      && ASCIIText.isSame(left.authority, right.authority)
  }
}
