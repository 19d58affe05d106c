extension AuthorityError {
  /// What is wrong, as an open set of codes.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The code's stable name.
    public var rawValue: String

    /// Makes a code from its stable name.
    ///
    /// - Parameter rawValue: The name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }
  }
}

/// The text is not one an authority may have.
extension AuthorityError.Code {
  /// Empty, without a scheme, or otherwise no absolute URL.
  public static let notAURL = Self(rawValue: "notAURL")
  /// Longer than any authority is.
  public static let tooLong = Self(rawValue: "tooLong")
  /// Not https, and not http to this machine.
  public static let insecureScheme = Self(rawValue: "insecureScheme")
  /// A user name or password in front of the host.
  public static let userInfo = Self(rawValue: "userInfo")
  /// Something behind a `#`.
  public static let fragment = Self(rawValue: "fragment")
  /// A backslash, which some readers of URLs take for a slash.
  public static let backslash = Self(rawValue: "backslash")
  /// A control or invisible character.
  public static let controlCharacter = Self(rawValue: "controlCharacter")
  /// A blank in or around the text.
  public static let whitespace = Self(rawValue: "whitespace")
  /// A template's placeholder that was not filled in, such as `<tenant>` or `{tenant}`.
  public static let placeholder = Self(rawValue: "placeholder")
  /// A port that is no number from 1 to 65535.
  public static let invalidPort = Self(rawValue: "invalidPort")
  /// A host that is no DNS name, no IPv4 address and not `[::1]`.
  public static let invalidHost = Self(rawValue: "invalidHost")
  /// A host that looks like one of Microsoft's and is not.
  public static let lookAlikeHost = Self(rawValue: "lookAlikeHost")
  /// A path that is none of the known forms.
  public static let invalidPath = Self(rawValue: "invalidPath")
}

/// The parts do not fit each other.
extension AuthorityError.Code {
  /// No tenant in the path.
  public static let missingTenant = Self(rawValue: "missingTenant")
  /// A tenant that is no domain name, no GUID, or one that policies do not have (`common`).
  public static let invalidTenant = Self(rawValue: "invalidTenant")
  /// A tenant that the host does not seem to belong to.
  public static let unusualTenant = Self(rawValue: "unusualTenant")
  /// A tenant known by GUID or by its own domain only, where its `onmicrosoft.com` name is needed.
  public static let tenantNameUnknown = Self(rawValue: "tenantNameUnknown")
  /// A policy on the host where Azure AD B2C no longer answers.
  public static let retiredAuthority = Self(rawValue: "retiredAuthority")
  /// A policy id with characters that no policy has, or two policies at once.
  public static let invalidPolicy = Self(rawValue: "invalidPolicy")
  /// A policy id without the prefix that Azure AD B2C gives to every policy.
  public static let unusualPolicyPrefix = Self(rawValue: "unusualPolicyPrefix")
  /// An Azure AD B2C authority without a policy.
  public static let policyMissing = Self(rawValue: "policyMissing")
  /// A policy where there are none: Entra ID, External ID, or a generic issuer.
  public static let unexpectedPolicy = Self(rawValue: "unexpectedPolicy")
  /// The kind that was asked for is not what the host serves.
  public static let kindMismatch = Self(rawValue: "kindMismatch")
}
