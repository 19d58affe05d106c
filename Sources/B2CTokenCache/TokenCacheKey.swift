internal import B2CCore

/// The key of a token record, which consists of an authority, a client ID and a user's id.
///
/// Two keys are equal if all three parts are equal byte by byte, so `é` as one code point and as two are different
/// users. If a provider ignores case, the SDK changes the parts to lower case before it creates the key.
public struct TokenCacheKey: Sendable, Hashable, Codable {
  /// The scheme, host, port and tenant of the authority, for example
  /// `https://contoso.b2clogin.com/contoso.onmicrosoft.com`.
  package let authority: String
  /// The application (client) ID.
  package let clientID: String
  /// The user's id, as in `UserInfo`.
  public let userID: String

  /// Creates a key from its three parts, which are not changed.
  ///
  /// - Parameters:
  ///   - authority: The scheme, host, port and tenant of the authority.
  ///   - clientID: The application (client) ID.
  ///   - userID: The user's id.
  package init(authority: String, clientID: String, userID: String) {
    self.authority = authority
    self.clientID = clientID
    self.userID = userID
  }

  /// The key as a unique ASCII string, in which the three parts are percent-encoded and joined by `|`.
  ///
  /// Use it for example as the primary key of a database. Its form never changes, so strings of older versions remain
  /// valid.
  public var canonicalText: String {
    [authority, clientID, userID].map { FormEncoding.escape($0) }.joined(separator: "|")
  }

  /// Creates a key from its canonical text.
  ///
  /// - Parameter canonicalText: A value of ``canonicalText``. The result is `nil` for any other string.
  public init?(canonicalText: String) {
    let parts = canonicalText.split(separator: "|", omittingEmptySubsequences: false).map(FormEncoding.unescape)
    guard parts.count == 3 else { return nil }
    self.init(authority: parts[0], clientID: parts[1], userID: parts[2])
    guard self.canonicalText == canonicalText else { return nil }
  }

  /// Compares the parts byte by byte, because Swift's own comparison treats two spellings of `é` as one user.
  ///
  /// - Parameters:
  ///   - left: The first key.
  ///   - right: The second key.
  /// - Returns: Whether the keys are equal.
  public static func == (left: TokenCacheKey, right: TokenCacheKey) -> Bool {
    ASCIIText.isSame(left.userID, right.userID) && ASCIIText.isSame(left.clientID, right.clientID)
      && ASCIIText.isSame(left.authority, right.authority)
  }
}
