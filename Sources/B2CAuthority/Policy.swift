import B2CCore

/// A policy (user flow) of Azure AD B2C, which is one user journey, for example signing in.
///
/// Azure AD B2C ignores case in policy ids, and shows `B2C_1_Name` in the portal but returns `b2c_1_name`. So the SDK
/// also ignores case when it compares ids, but requests use your spelling. Two values are equal if all their properties
/// are. A policy without a kind is not equal to one of kind ``Kind/signUpOrSignIn``, because the settings may give it
/// another kind.
public struct Policy: Sendable, Hashable {
  /// The id in your spelling, as it is sent.
  public let id: String
  /// The name to show, which is the id if no name was given.
  public let name: String
  /// The purpose of the policy, or `nil` if neither the caller nor the settings file says so.
  ///
  /// If it is `nil`, the settings decide, and a policy that they do not list counts as ``Kind/signUpOrSignIn``.
  public let kind: Kind?
  /// The kind that the policy counts as if nothing else is known about it.
  package var kindOrDefault: Kind { kind ?? .signUpOrSignIn }
  /// The identity provider that the sign-in page goes to directly, for example `facebook.com`.
  public package(set) var domainHint: String?

  /// The id in lower case and escaped to ASCII, by which policies are distinguished.
  package var key: String { FormEncoding.escape(ASCIIText.lowercased(id)) }

  /// Creates a policy from its id.
  ///
  /// If the settings list the policy, a sign-in uses its kind from the settings. Otherwise the kind is
  /// ``Kind/signUpOrSignIn``. The SDK never guesses it from the id, because ids can mislead. For example, Microsoft's
  /// own guides name a sign-in policy `B2C_1_susi_reset_v2`.
  ///
  /// - Parameter id: The id, for example `B2C_1_SignIn` or `B2C_1A_signup_signin`.
  /// - Throws: The errors of ``init(id:name:kind:domainHint:)``.
  public init(_ id: String) throws { try self.init(id: id) }

  /// Creates a policy.
  ///
  /// - Parameters:
  ///   - id: The id, for example `B2C_1_SignIn` or `B2C_1A_signup_signin`.
  ///   - name: The name to show. With `nil`, the default, or an empty name it is the id.
  ///   - kind: The purpose of the policy, which wins over the settings. If it is `nil`, the default, the settings decide,
  ///     and a policy that they do not list is ``Kind/signUpOrSignIn``.
  ///   - domainHint: The identity provider that the page goes to directly, for example `facebook.com`. By default there
  ///     is none.
  /// - Throws: ``ConnectorError`` with code ``ErrorCode/configuration`` if the id is empty, longer than 128 characters,
  ///   or a placeholder of a template, or if it contains characters with a meaning in URLs.
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
    /// Signs in with an account of another provider, for example Facebook, Google or a company.
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
  // These characters separate the parts of a URL, are not allowed in one, or surround the placeholders of a template.
  private static let forbidden = Set("/\\?#%&=:@\"|^`[]<>{}")

  /// Returns whether a text begins like the id of a user flow or a custom policy, in any case.
  static func hasPrefix(_ text: String) -> Bool { text.prefixMatch(of: idPrefix) != nil }

  private static let idPrefix = Pattern(/(?i)b2c_1a?_/)
}
