package import B2CCore

/// An access token and the account it belongs to; they travel together, so that no request is repeated for another user.
package struct BearerToken: Sendable, Hashable, Redacted {
  /// The token.
  package let token: Secret
  /// The id of the account that the token belongs to; `nil` where the provider knows no accounts.
  package let accountID: String?

  /// Makes a token with its account.
  ///
  /// - Parameters:
  ///   - token: The token.
  ///   - accountID: The id of the account; `nil` where the provider knows no accounts.
  package init(_ token: Secret, accountID: String? = nil) {
    self.token = token
    self.accountID = accountID
  }

  /// The type's name: neither the token nor the account.
  package var description: String { "BearerToken" }
}
