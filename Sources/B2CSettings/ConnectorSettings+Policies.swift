public import B2CAuthority

extension ConnectorSettings {
  /// The policies of a settings file.
  public struct Policies: Sendable, Equatable {
    /// The policy of `emailSignUpPolicyId`: creates a new account.
    public var emailSignUp: Policy?
    /// The policy of `emailSignInPolicyId`: signs in with an account of the tenant.
    public var emailSignIn: Policy?
    /// The policy of `faceBookSignInPolicyId`: goes directly to Facebook.
    public var facebookSignIn: Policy?
    /// The policies of `policies`, in their order (of a dictionary, in that of its keys).
    public var others: [Policy]
    /// The default policy, of the `policyID`/`policyName` pair.
    public var selected: Policy?

    /// Creates a list of policies.
    ///
    /// - Parameters:
    ///   - emailSignUp: The policy that creates a new account.
    ///   - emailSignIn: The policy that signs in with an account of the tenant.
    ///   - facebookSignIn: The policy that goes directly to Facebook.
    ///   - others: Further policies.
    ///   - selected: The default policy.
    public init(
      emailSignUp: Policy? = nil, emailSignIn: Policy? = nil, facebookSignIn: Policy? = nil, others: [Policy] = [],
      selected: Policy? = nil
    ) {
      self.emailSignUp = emailSignUp
      self.emailSignIn = emailSignIn
      self.facebookSignIn = facebookSignIn
      self.others = others
      self.selected = selected
    }
  }
}

extension ConnectorSettings.Policies: ExpressibleByArrayLiteral {
  /// Creates a list of policies that serve the kinds they were given; they are in ``others``.
  ///
  /// ```swift
  /// var settings = try ConnectorSettings.main
  /// settings.policies = [
  ///   try Policy(id: "B2C_1_SignIn", kind: .signIn), try Policy(id: "B2C_1_Reset", kind: .passwordReset),
  /// ]
  /// ```
  ///
  /// The other initializer is preferred for `Policies()`, which would otherwise also mean a literal without elements.
  ///
  /// - Parameter policies: The policies. If an id is repeated, ``all`` has the first one.
  @_disfavoredOverload
  public init(arrayLiteral policies: Policy...) { self.init(others: policies) }
}

extension ConnectorSettings.Policies {
  /// All policies, each id once: e-mail sign-up, e-mail sign-in, Facebook, the others in their order, the selected one.
  public var all: [Policy] {
    var seen: Set<String> = []
    return listed.compactMap(\.self).filter { seen.insert($0.key).inserted }
  }

  private var listed: [Policy?] { [emailSignUp, emailSignIn, facebookSignIn] + others + [selected] }

  /// The policy with an id, ignoring case.
  ///
  /// - Parameter id: The policy's id.
  package subscript(id: String) -> Policy? { all.first { ASCIIText.isSameIgnoringCase($0.id, id) } }

  /// Returns the policy to use for a purpose.
  ///
  /// A policy serves the kind that it was given and the purpose of the property it is in. The selected policy comes first
  /// when it is of that kind, then the first one of ``all``. Otherwise ``Policy/Kind/signUp``, ``Policy/Kind/signIn`` and
  /// ``Policy/Kind/federatedSignIn`` are served by a policy of kind ``Policy/Kind/signUpOrSignIn``, whose page offers all
  /// of them, and ``Policy/Kind/signUpOrSignIn`` by one of kind ``Policy/Kind/signIn``. No other kind is served by
  /// another.
  ///
  /// - Parameter kind: The purpose of the policy.
  /// - Returns: The policy, or `nil` when no listed one serves the purpose.
  public func policy(of kind: Policy.Kind) -> Policy? {
    let substitutes: [Policy.Kind] =
      switch kind {
      case .signUp, .signIn, .federatedSignIn: [.signUpOrSignIn]
      case .signUpOrSignIn: [.signIn]
      default: []
      }
    let purposes = [Policy.Kind.signUp: emailSignUp, .signIn: emailSignIn, .federatedSignIn: facebookSignIn]
    return ([kind] + substitutes).flatMap { kind in
      let isOfKind = { (policy: Policy?) in policy?.kindOrDefault == kind }
      // Not of `all`: one policy may be under two keys and serve both kinds.
      return [selected].filter(isOfKind) + [purposes[kind] ?? nil] + listed.filter(isOfKind)
    }.compactMap(\.self).first
  }
}
