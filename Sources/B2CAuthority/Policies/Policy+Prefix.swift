extension Policy {
  /// Whether the id has the prefix of a user flow that the portal makes, `B2C_1_`, in any case.
  public var isUserFlow: Bool { key.hasPrefix("b2c_1_") }

  /// Whether the id has the prefix of a custom policy, `B2C_1A_`, in any case.
  public var isCustomPolicy: Bool { key.hasPrefix("b2c_1a_") }

  /// A warning when the id has neither prefix, with the id that was probably meant.
  ///
  /// It is no refusal: a provider that only resembles Azure AD B2C may name its policies as it likes.
  public var prefixWarning: AuthorityError? {
    guard !isUserFlow, !isCustomPolicy else { return nil }
    return AuthorityError(
      .unusualPolicyPrefix, "Azure AD B2C puts B2C_1_ or B2C_1A_ in front of every policy's id; this one has neither.",
      value: id, suggestion: "B2C_1_" + id,
      recoverySuggestion: "Copy the whole id from the portal, with its prefix.")
  }

  /// Whether a path segment is certainly a policy.
  static func hasPrefix(_ segment: String) -> Bool {
    let key = segment.lowercased()
    return key.hasPrefix("b2c_1_") || key.hasPrefix("b2c_1a_")
  }
}
