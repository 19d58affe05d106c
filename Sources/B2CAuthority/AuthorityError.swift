import B2CCore
public import Foundation

/// The reason why a text is not an authority or policy, or why the two do not fit.
///
/// Two errors are equal when their codes are. Nothing in it is secret: user-info, fragments and every query parameter
/// except `p` are left out of ``value``.
public struct AuthorityError: Error, Sendable, Equatable {
  /// The kind of fault.
  public var code: Code
  /// What failed, in a sentence.
  public var message: String
  /// The refused text, as far as it may be shown.
  public var value: String?
  /// The corrected text, where it is known; usable as it is.
  public var suggestion: String?
  /// How to fix it, in a sentence.
  public var recoverySuggestion: String?

  package init(
    _ code: Code, _ message: String, value: String? = nil, suggestion: String? = nil,
    recoverySuggestion: String? = nil
  ) {
    self.code = code
    self.message = message
    self.value = value
    self.suggestion = suggestion
    self.recoverySuggestion = recoverySuggestion
  }

  /// Compares the codes.
  ///
  /// - Parameters:
  ///   - left: One error.
  ///   - right: The other.
  /// - Returns: Whether the codes are the same.
  public static func == (left: AuthorityError, right: AuthorityError) -> Bool { left.code == right.code }
}

extension AuthorityError: CustomStringConvertible {
  /// Code, message, refused text, corrected text and how to fix it.
  public var description: String {
    var text = "\(code.rawValue): \(message)"
    if let value { text += " Given: \(value)" }
    if let suggestion { text += " Use: \(suggestion)" }
    if let recoverySuggestion { text += " \(recoverySuggestion)" }
    return text
  }
}

extension AuthorityError: LocalizedError {
  /// The message.
  public var errorDescription: String? { message }
}

extension AuthorityError {
  /// An open set of error codes.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The code's stable name.
    public var rawValue: String

    /// Creates a code from its stable name.
    ///
    /// - Parameter rawValue: The name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }
  }
}

/// Faults of the text.
extension AuthorityError.Code {
  /// Empty, without a scheme, or otherwise not an absolute URL.
  public static let notAURL = Self(rawValue: "notAURL")
  /// Longer than 2,048 characters.
  public static let tooLong = Self(rawValue: "tooLong")
  /// Not https, and not http to a loopback host.
  public static let insecureScheme = Self(rawValue: "insecureScheme")
  /// A user name or password in front of the host.
  public static let userInfo = Self(rawValue: "userInfo")
  /// A `#` and what follows it.
  public static let fragment = Self(rawValue: "fragment")
  /// A backslash, which some URL parsers take for a slash.
  public static let backslash = Self(rawValue: "backslash")
  /// A control or invisible character.
  public static let controlCharacter = Self(rawValue: "controlCharacter")
  /// A space in or around the text.
  public static let whitespace = Self(rawValue: "whitespace")
  /// A template's placeholder, such as `<tenant>` or `{tenant}`.
  public static let placeholder = Self(rawValue: "placeholder")
  /// A port that is not a number from 1 to 65535.
  public static let invalidPort = Self(rawValue: "invalidPort")
  /// A host that is not an ASCII DNS name, an IPv4 address or `[::1]`.
  public static let invalidHost = Self(rawValue: "invalidHost")
  /// An internationalized host (`xn--`), which may imitate another one.
  public static let internationalizedHost = Self(rawValue: "internationalizedHost")
  /// A path of an unknown form.
  public static let invalidPath = Self(rawValue: "invalidPath")
}

/// Parts that do not fit each other.
extension AuthorityError.Code {
  /// No tenant in the path.
  public static let missingTenant = Self(rawValue: "missingTenant")
  /// Not a domain name or GUID, or a tenant without policies (`common`).
  public static let invalidTenant = Self(rawValue: "invalidTenant")
  /// A tenant that the host does not seem to belong to.
  public static let unusualTenant = Self(rawValue: "unusualTenant")
  /// The tenant's `onmicrosoft.com` name is needed and not known.
  public static let tenantNameUnknown = Self(rawValue: "tenantNameUnknown")
  /// A policy on a host where Azure AD B2C no longer answers.
  public static let retiredAuthority = Self(rawValue: "retiredAuthority")
  /// A policy id with characters that no policy has, or two policies.
  public static let invalidPolicy = Self(rawValue: "invalidPolicy")
  /// A policy id without the prefix that Azure AD B2C adds.
  public static let unusualPolicyPrefix = Self(rawValue: "unusualPolicyPrefix")
  /// An Azure AD B2C authority without a policy.
  public static let policyMissing = Self(rawValue: "policyMissing")
  /// A policy at Entra ID, External ID, or a generic issuer.
  public static let unexpectedPolicy = Self(rawValue: "unexpectedPolicy")
  /// The requested kind is not what the host serves.
  public static let kindMismatch = Self(rawValue: "kindMismatch")
}

/// A refused text as an error may show it.
enum ShownText {
  private static let limit = 200

  /// Leaves out user-info, the fragment, and every query parameter except `p`: a pasted URL may carry tokens and names.
  static func show(_ text: String) -> String {
    var scalars = Array(text.unicodeScalars)
    var ending = ""
    if let hash = scalars.firstIndex(of: "#") {
      scalars = Array(scalars[..<hash])
      ending = "#…"
    }
    if let mark = scalars.firstIndex(of: "?") {
      let policies = FormEncoding.decode(string(scalars[(mark + 1)...])).filter { $0.name.lowercased() == "p" }
      ending = (policies.isEmpty ? "?…" : "?" + FormEncoding.encode(policies)) + ending
      scalars = Array(scalars[..<mark])
    }
    // Everything before the last @ may be a password, wherever the slashes are.
    if let at = scalars.lastIndex(of: "@") {
      let scheme = ["https://", "http://"].first { string(scalars[..<at]).lowercased().hasPrefix($0) } ?? ""
      scalars = Array((scheme + "…").unicodeScalars) + scalars[at...]
    }
    let shown = scalars.map { isVisible($0) ? String($0) : "\\u{\(String($0.value, radix: 16, uppercase: true))}" }
    let whole = shown.joined() + ending
    return whole.count > limit ? String(whole.prefix(limit)) + "…" : whole
  }

  /// Returns whether a text may contain a password, so that nothing made of it may be shown.
  static func mayHaveUserInfo(_ text: String) -> Bool {
    text.prefix { $0 != "?" && $0 != "#" }.contains("@")
  }

  /// Returns whether a scalar is shown, and does not change the reading direction.
  static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
    default: !scalar.properties.isVariationSelector
    }
  }

  /// Returns the scalars of a text that pass a rule.
  static func filter(_ text: String, _ rule: (Unicode.Scalar) -> Bool) -> String {
    string(text.unicodeScalars.filter(rule))
  }

  private static func string(_ scalars: some Sequence<Unicode.Scalar>) -> String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars)
    return String(view)
  }
}
