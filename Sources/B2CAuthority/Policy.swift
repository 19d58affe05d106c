import B2CCore

/// A policy (user flow) of Azure AD B2C: one user journey, such as signing in.
///
/// The service compares ids ignoring case, shows `B2C_1_Name` in its portal and answers `b2c_1_name`: such ids name one
/// policy everywhere in this package. On the wire the id keeps the developer's case. Two values are equal when all their
/// properties are. A policy made without a kind differs from one of kind ``Kind/signUpOrSignIn``, because the settings may
/// give it another kind.
public struct Policy: Sendable, Hashable {
  /// The id in the developer's case, as it is sent.
  public let id: String
  /// A name to show; the id when none was given.
  public let name: String
  /// The purpose of the policy, or `nil` if neither the caller nor the settings file says so.
  ///
  /// If it is `nil`, the settings decide, and a policy that they do not list counts as ``Kind/signUpOrSignIn``.
  public let kind: Kind?
  /// The kind that the policy counts as if nothing else is known about it.
  package var kindOrDefault: Kind { kind ?? .signUpOrSignIn }
  /// The identity provider to go to directly, such as `facebook.com`.
  public package(set) var domainHint: String?

  /// The id in lower case and escaped to ASCII, by which policies are told apart.
  package var key: String { FormEncoding.escape(ASCIIText.lowercased(id)) }

  /// Creates a policy from its id.
  ///
  /// If the settings list the policy, a sign-in uses the kind that they give it. Otherwise it is ``Kind/signUpOrSignIn``.
  /// The id's words mean nothing: Microsoft's own guides name a sign-in policy `B2C_1_susi_reset_v2`.
  ///
  /// - Parameter id: The id, such as `B2C_1_SignIn` or `B2C_1A_signup_signin`.
  /// - Throws: As ``init(id:name:kind:domainHint:)``.
  public init(_ id: String) throws { try self.init(id: id) }

  /// Creates a policy.
  ///
  /// - Parameters:
  ///   - id: The id, such as `B2C_1_SignIn` or `B2C_1A_signup_signin`.
  ///   - name: A name to show; the id when `nil` or empty.
  ///   - kind: The purpose of the policy, which wins over the settings. If it is `nil`, the default, the settings decide,
  ///     and a policy that they do not list is ``Kind/signUpOrSignIn``.
  ///   - domainHint: The identity provider to go to directly, such as `facebook.com`.
  /// - Throws: ``ConnectorError`` with code ``ErrorCode/configuration`` when the id is empty, longer than 128
  ///   characters, a template's placeholder, or has characters with a meaning in URLs.
  public init(id: String, name: String? = nil, kind: Kind? = nil, domainHint: String? = nil) throws {
    guard (1...128).contains(id.unicodeScalars.count), ![".", ".."].contains(id),
      !id.contains(where: Self.forbidden.contains), id.unicodeScalars.allSatisfy(PrintableText.isVisible)
    else {
      throw ConnectorError(
        own: .configuration,
        "The policy id is empty, longer than 128 characters, or contains characters that no policy has.",
        recoverySuggestion: "Copy the id from the portal, for example B2C_1_SignIn.")
    }
    self.id = id
    self.name = name.flatMap { $0.isEmpty ? nil : $0 } ?? id
    self.kind = kind
    self.domainHint = domainHint
  }
}

extension Policy {
  /// The kinds of policies.
  public enum Kind: String, Sendable, CaseIterable {
    /// Creates a new account.
    case signUp
    /// Signs in with an account of the tenant.
    case signIn
    /// Signs in, or creates a new account first.
    case signUpOrSignIn
    /// Changes the user's profile.
    case profileEdit
    /// Replaces a forgotten password.
    case passwordReset
    /// Signs in with an account of Facebook, Google, a company and the like.
    case federatedSignIn
  }
}

/// The place of the policy in a URL.
package enum PolicyForm: Sendable, Hashable {
  /// `https://host/tenant/oauth2/v2.0/authorize?p=policy`.
  case query
  /// `https://host/tenant/policy/oauth2/v2.0/authorize`.
  case path
  /// `https://host/tfp/tenant/policy/oauth2/v2.0/authorize`.
  case tfp
}

extension Policy {
  // These characters separate the parts of a URL, cannot be in one, or surround the placeholders of a template.
  private static let forbidden = Set("/\\?#%&=:@\"|^`[]<>{}")

  /// Returns whether a text has the prefix of a user flow or of a custom policy, in any case.
  static func hasPrefix(_ text: String) -> Bool { text.prefixMatch(of: idPrefix) != nil }

  private static let idPrefix = Pattern(/(?i)b2c_1a?_/)
}
