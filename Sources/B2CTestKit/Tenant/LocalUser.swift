public import B2CCore

/// A person that a local tenant knows.
public struct LocalUser: Sendable, Hashable, Identifiable {
  /// The object id, a GUID in lower case: the `sub` and `oid` of the tokens.
  public let id: String
  /// The email the person signs in with; compared without regard to case.
  public var email: String
  /// The password, in the clear as `password.value`; empty for a user who comes from another identity provider.
  public var password: Secret
  /// The display name: the `name` claim.
  public var displayName: String
  /// The identity provider the person comes from: the `idp` claim.
  public var identityProvider: String?
  /// Claims to add to the person's id_tokens.
  public var claims: [String: JSONValue]

  /// Makes a person.
  ///
  /// - Parameters:
  ///   - id: The object id; drawn at random unless said otherwise.
  ///   - email: The email the person signs in with.
  ///   - password: The password.
  ///   - displayName: The display name.
  ///   - identityProvider: The identity provider the person comes from.
  ///   - claims: Claims to add to the person's id_tokens.
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
