public import B2CAuthority

extension ConnectorSettings {
  /// The policies of a settings file.
  public struct Policies: Sendable, Equatable {
    /// The policy of the key `emailSignUpPolicyId`, which creates a new account.
    public var emailSignUp: Policy?
    /// The policy of the key `emailSignInPolicyId`, which signs in with an account of the tenant.
    public var emailSignIn: Policy?
    /// The policy of the key `faceBookSignInPolicyId`, which goes directly to Facebook.
    public var facebookSignIn: Policy?
    /// The policies of the key `policies`, in the order of the file, or of its keys if it is a dictionary.
    public var others: [Policy]
    /// The default policy, from the keys `policyID` and `policyName`.
    public var selected: Policy?

    /// Creates a list of policies, each of which is `nil` or empty by default.
    ///
    /// - Parameters:
    ///   - emailSignUp: The policy that creates a new account.
    ///   - emailSignIn: The policy that signs in with an account of the tenant.
    ///   - facebookSignIn: The policy that goes directly to Facebook.
    ///   - others: Other policies.
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
  /// Creates a list of policies that are used for their own kinds, and stores them in ``others``.
  ///
  /// ```swift
  /// var settings = try ConnectorSettings.main
  /// settings.policies = [
  ///   try Policy(id: "B2C_1_SignIn", kind: .signIn), try Policy(id: "B2C_1_Reset", kind: .passwordReset),
  /// ]
  /// ```
  ///
  /// The attribute makes `Policies()` use the other initializer, because it could also mean an empty literal.
  ///
  /// - Parameter policies: The policies. If an id is repeated, ``all`` contains the first one.
  @_disfavoredOverload
  public init(arrayLiteral policies: Policy...) { self.init(others: policies) }
}

extension ConnectorSettings.Policies {
  /// All policies in order, each id once, beginning with those for e-mail sign-up, e-mail sign-in and Facebook.
  public var all: [Policy] {
    var seen: Set<String> = []
    return listed.compactMap(\.self).filter { seen.insert($0.key).inserted }
  }

  private var listed: [Policy?] { [emailSignUp, emailSignIn, facebookSignIn] + others + [selected] }

  /// Returns the policy with an id, ignoring case.
  ///
  /// - Parameter id: The policy's id.
  package subscript(id: String) -> Policy? { all.first { ASCIIText.isSameIgnoringCase($0.id, id) } }

  /// Returns the policy to use for a kind of sign-in.
  ///
  /// A policy is used for its own kind, and for the kind of the property it is in. The selected policy is preferred if
  /// it has the kind, and then the first one of ``all``. If there is none, a policy of kind
  /// ``Policy/Kind/signUpOrSignIn`` is used for ``Policy/Kind/signUp``, ``Policy/Kind/signIn`` and
  /// ``Policy/Kind/federatedSignIn``, because its page offers them all. A policy of kind ``Policy/Kind/signIn`` is used
  /// for ``Policy/Kind/signUpOrSignIn``. No other kind has a substitute.
  ///
  /// - Parameter kind: The kind of sign-in.
  /// - Returns: The policy, or `nil` if no listed policy fits.
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
      // `all` would contain a policy only once, but a policy that is listed under two keys can be used for two kinds.
      return [selected].filter(isOfKind) + [purposes[kind] ?? nil] + listed.filter(isOfKind)
    }.compactMap(\.self).first
  }
}
