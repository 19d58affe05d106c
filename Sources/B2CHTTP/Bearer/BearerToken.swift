package import B2CCore

/// An access token and the user it belongs to; they travel together, so that no request is repeated for another user.
package struct BearerToken: Sendable, Hashable, Redacted {
  /// The token.
  package let token: Secret
  /// The id of the user that the token belongs to; `nil` where the provider knows no users.
  package let userID: String?

  /// Makes a token with its user.
  ///
  /// - Parameters:
  ///   - token: The token.
  ///   - userID: The id of the user; `nil` where the provider knows no users.
  package init(_ token: Secret, userID: String? = nil) {
    self.token = token
    self.userID = userID
  }

  /// The type's name: neither the token nor the user.
  package var description: String { "BearerToken" }
}
