public import B2CCore

/// A user that a local tenant knows.
public struct LocalUser: Sendable, Hashable, Identifiable {
  /// The user's object id, a GUID in lower case, which is `sub` and `oid` in tokens.
  public let id: String
  /// The email address with which the user signs in, in any case.
  public var email: String
  /// The password, readable as `password.value`, or an empty one if the user comes from another identity provider.
  public var password: Secret
  /// The display name, which is `name` in tokens.
  public var displayName: String
  /// The identity provider that the user comes from, which is `idp` in tokens, or `nil` for a local account.
  public var identityProvider: String?
  /// Additional claims of the user's id_tokens.
  public var claims: [String: JSONValue]

  /// Creates a user.
  ///
  /// - Parameters:
  ///   - id: The object id, or `nil`, the default, for a random one.
  ///   - email: The email address with which the user signs in.
  ///   - password: The password.
  ///   - displayName: The display name.
  ///   - identityProvider: The identity provider that the user comes from, or `nil`, the default, for a local account.
  ///   - claims: Additional claims of the user's id_tokens, by default none.
  public init(
    id: String? = nil, email: String, password: String, displayName: String, identityProvider: String? = nil,
    claims: [String: JSONValue] = [:]
  ) {
    self.id = id?.lowercased() ?? RandomText.guid()
    self.email = email
    self.password = Secret(password)
    self.displayName = displayName
    self.identityProvider = identityProvider
    self.claims = claims
  }

  /// Alice, `alice@example.com` with the password `Not-A-Secret-1`.
  public static let alice = LocalUser(
    id: "aaaaaaaa-0000-4000-8000-000000000001", email: "alice@example.com", password: "Not-A-Secret-1",
    displayName: "Alice Example")
  /// Bob, `bob@example.com` with the password `Not-A-Secret-2`.
  public static let bob = LocalUser(
    id: "bbbbbbbb-0000-4000-8000-000000000002", email: "bob@example.com", password: "Not-A-Secret-2",
    displayName: "Bob Example")
}
