public import B2CCore

/// An access token and the account it belongs to; they travel together, so that no request is repeated for another user.
public struct BearerToken: Sendable, Hashable, Redacted {
  /// The token.
  public let token: Secret
  /// The id of the account that the token belongs to; `nil` where the provider knows no accounts.
  public let accountID: String?

  /// Makes a token with its account.
  ///
  /// - Parameters:
  ///   - token: The token.
  ///   - accountID: The id of the account; `nil` where the provider knows no accounts.
  public init(_ token: Secret, accountID: String? = nil) {
    self.token = token
    self.accountID = accountID
  }

  /// The type's name: neither the token nor the account.
  public var description: String { "BearerToken" }
}
