public import B2CAuthority

/// A policy (user flow) of a local tenant.
///
/// A policy of kind `federatedSignIn` shows the page of another identity provider, which the tenant imitates.
public struct LocalPolicy: Sendable, Hashable {
  /// The policy's id, spelled as the Azure portal shows it.
  public var id: String
  /// The purpose of the policy.
  public var kind: Policy.Kind
  /// The `idp` claim of the users of a `federatedSignIn` policy.
  public var identityProvider: String

  /// Creates a policy.
  ///
  /// - Parameters:
  ///   - id: The policy's id, for example `B2C_1_SignIn`.
  ///   - kind: The purpose of the policy.
  ///   - identityProvider: The provider to which a `federatedSignIn` policy sends the user, by default `facebook.com`.
  ///     It is the `idp` claim of its users.
  public init(_ id: String, _ kind: Policy.Kind, identityProvider: String = "facebook.com") {
    self.id = id
    self.kind = kind
    self.identityProvider = identityProvider
  }

  /// `B2C_1_SignUp`.
  public static let signUp = LocalPolicy("B2C_1_SignUp", .signUp)
  /// `B2C_1_SignIn`.
  public static let signIn = LocalPolicy("B2C_1_SignIn", .signIn)
  /// `B2C_1_SignUpOrSignIn`.
  public static let signUpOrSignIn = LocalPolicy("B2C_1_SignUpOrSignIn", .signUpOrSignIn)
  /// `B2C_1_EditProfile`.
  public static let editProfile = LocalPolicy("B2C_1_EditProfile", .profileEdit)
  /// `B2C_1_ResetPassword`.
  public static let resetPassword = LocalPolicy("B2C_1_ResetPassword", .passwordReset)
  /// `B2C_1_FacebookSignIn`.
  public static let facebookSignIn = LocalPolicy("B2C_1_FacebookSignIn", .federatedSignIn)

  /// A policy of each kind.
  public static let standard = [signUp, signIn, signUpOrSignIn, editProfile, resetPassword, facebookSignIn]
}
