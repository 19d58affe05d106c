import B2CAuthority

/// The names under which a settings file can say what a policy does.
enum PolicyKindName {
  private static let kinds: [Policy.Kind] = [
    .signUp, .signIn, .signUpOrSignIn, .profileEdit, .passwordReset, .federatedSignIn,
  ]
  private static let aliases: [String: Policy.Kind] = [
    "susi": .signUpOrSignIn, "signupsignin": .signUpOrSignIn, "editprofile": .profileEdit, "profile": .profileEdit,
    "resetpassword": .passwordReset, "federated": .federatedSignIn,
  ]

  /// The kind that a name means, whatever its case, hyphens and underscores.
  static func kind(_ name: String) -> Policy.Kind? {
    let folded = name.lowercased().filter { $0 != "_" && $0 != "-" && $0 != " " }
    return kinds.first { $0.rawValue.lowercased() == folded } ?? aliases[folded]
  }

  /// The name that was probably meant.
  static func nearest(_ name: String) -> String? {
    EditDistance.nearest(to: name, among: kinds, name: \.rawValue)?.rawValue
  }
}
