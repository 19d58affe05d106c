extension Authority {
  /// What an authority is, as an open set.
  public struct Kind: RawRepresentable, Sendable, Hashable {
    /// The kind's stable name.
    public var rawValue: String

    /// Makes a kind from its stable name.
    ///
    /// - Parameter rawValue: The name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// Azure AD B2C, on its own host or on a custom domain (``Authority/isCustomDomain``): every URL needs a policy.
    public static let b2c = Self(rawValue: "b2c")
    /// Entra External ID for customers: no policies.
    public static let ciam = Self(rawValue: "ciam")
    /// Entra ID, for work, school and personal accounts: no policies.
    public static let entra = Self(rawValue: "entra")
    /// Any OpenID Connect issuer, known by its metadata alone.
    public static let openIDConnect = Self(rawValue: "openIDConnect")
  }

  /// What the authority is once a policy is used with it.
  ///
  /// A policy makes Azure AD B2C of every authority whose kind was not given by the developer: the same host,
  /// `login.microsoftonline.com`, is Entra ID without one.
  ///
  /// - Parameter policy: The policy, or `nil` to go by the authority alone.
  /// - Returns: The kind whose URLs are used.
  public func kind(for policy: Policy?) -> Kind {
    policy != nil && !isKindGiven && kind != .ciam ? .b2c : kind
  }
}
