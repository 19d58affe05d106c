extension Policy {
  /// What a policy does for the user, as an open set.
  public struct Kind: RawRepresentable, Sendable, Hashable {
    /// The kind's stable name.
    public var rawValue: String

    /// Makes a kind from its stable name.
    ///
    /// - Parameter rawValue: The name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// Makes a new account.
    public static let signUp = Self(rawValue: "signUp")
    /// Signs in with an account of the tenant's own.
    public static let signIn = Self(rawValue: "signIn")
    /// Signs in, or makes a new account first.
    public static let signUpOrSignIn = Self(rawValue: "signUpOrSignIn")
    /// Changes what the account says about the user.
    public static let profileEdit = Self(rawValue: "profileEdit")
    /// Gives a forgotten password anew.
    public static let passwordReset = Self(rawValue: "passwordReset")
    /// Signs in with an account of somebody else: Facebook, Google, a company.
    public static let federatedSignIn = Self(rawValue: "federatedSignIn")
  }
}
