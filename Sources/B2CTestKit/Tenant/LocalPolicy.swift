/// A policy (user flow) of a local tenant: its id and what it does with the user.
public struct LocalPolicy: Sendable, Hashable {
  /// The task of a policy.
  public enum Kind: Sendable, Hashable {
    /// Asks for email, password and display name, and makes a user of them.
    case signUp
    /// Asks for email and password.
    case signIn
    /// Asks for email and password, and offers to sign up.
    case signUpOrSignIn
    /// Lets a signed-in user change the display name.
    case editProfile
    /// Sets a new password for an email.
    case resetPassword
    /// Sends the user to another identity provider, whose page is pretended here too; the value is its `idp` claim.
    case identityProvider(String)
  }

  /// The policy's id, in the case the portal would show.
  public var id: String
  /// The task of the policy.
  public var kind: Kind

  /// Makes a policy.
  ///
  /// - Parameters:
  ///   - id: The policy's id, such as `B2C_1_SignIn`.
  ///   - kind: What it does with the user.
  public init(_ id: String, _ kind: Kind) {
    self.id = id
    self.kind = kind
  }

  /// `B2C_1_SignUp`.
  public static let signUp = LocalPolicy("B2C_1_SignUp", .signUp)
  /// `B2C_1_SignIn`.
  public static let signIn = LocalPolicy("B2C_1_SignIn", .signIn)
  /// `B2C_1_SignUpOrSignIn`.
  public static let signUpOrSignIn = LocalPolicy("B2C_1_SignUpOrSignIn", .signUpOrSignIn)
  /// `B2C_1_EditProfile`.
  public static let editProfile = LocalPolicy("B2C_1_EditProfile", .editProfile)
  /// `B2C_1_ResetPassword`.
  public static let resetPassword = LocalPolicy("B2C_1_ResetPassword", .resetPassword)
  /// `B2C_1_FacebookSignIn`.
  public static let facebookSignIn = LocalPolicy("B2C_1_FacebookSignIn", .identityProvider("facebook.com"))

  /// One policy of each kind.
  public static let standard = [signUp, signIn, signUpOrSignIn, editProfile, resetPassword, facebookSignIn]
}
