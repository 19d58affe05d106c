import B2CAuthority

/// What is taken for a policy that a file names by its id alone.
struct PolicyDefaults {
  var name: String?
  var kind = Policy.Kind.signUpOrSignIn
  var domainHint: String?

  static let emailSignUp = PolicyDefaults(kind: .signUp)
  static let emailSignIn = PolicyDefaults(kind: .signIn)
  static let facebookSignIn = PolicyDefaults(kind: .federatedSignIn, domainHint: "facebook.com")
  static let none = PolicyDefaults()
}
