@_exported public import B2CCore
internal import Foundation

/// The reason why a text is not an authority or policy, in the parts that a problem of the settings has.
///
/// Nothing in it is secret: user-info, fragments and every query parameter except `p` are left out of its texts.
package struct AuthorityFault: Error {
  /// The kind of a fault, by a stable name.
  package struct Kind: RawRepresentable, Sendable, Hashable {
    package let rawValue: String

    package init(rawValue: String) {
      self.rawValue = rawValue
    }
  }

  /// The kind of the fault.
  package var kind: Kind
  /// The fault, in a sentence.
  package var message: String
  /// The refused text, as far as it may be shown.
  package var value: String?
  /// The corrected text, where it is known; usable as it is.
  package var suggestion: String?
  /// How to fix it, in a sentence.
  package var recoverySuggestion: String?

  package init(
    _ kind: Kind, _ message: String, value: String? = nil, suggestion: String? = nil, recoverySuggestion: String? = nil
  ) {
    self.kind = kind
    self.message = message
    self.value = value
    self.suggestion = suggestion
    self.recoverySuggestion = recoverySuggestion
  }

  /// The error of a call that was given the text.
  package var error: ConnectorError {
    let advice = [suggestion.map { "Write \"\($0)\"." }, recoverySuggestion].compactMap(\.self).joined(separator: " ")
    return ConnectorError(
      own: kind == .retiredAuthority ? .retiredAuthority : .configuration, message,
      recoverySuggestion: advice.isEmpty ? nil : advice)
  }
}

/// Faults of the text.
extension AuthorityFault.Kind {
  /// Not an absolute URL that all readers read alike, in visible ASCII characters, without a fragment; or too long.
  package static let notAURL = Self(rawValue: "notAURL")
  /// Not https, and not http to a loopback host.
  package static let insecureScheme = Self(rawValue: "insecureScheme")
  package static let userInfo = Self(rawValue: "userInfo")
  /// A template's placeholder, such as `<tenant>` or `{tenant}`.
  package static let placeholder = Self(rawValue: "placeholder")
  /// A host that is not an ASCII DNS name, an IPv4 address or `[::1]`.
  package static let invalidHost = Self(rawValue: "invalidHost")
  /// A path of an unknown form.
  package static let invalidPath = Self(rawValue: "invalidPath")
}

/// Parts that do not fit each other.
extension AuthorityFault.Kind {
  package static let missingTenant = Self(rawValue: "missingTenant")
  /// Not a domain name or GUID, or a tenant without policies (`common`).
  package static let invalidTenant = Self(rawValue: "invalidTenant")
  /// The tenant's `onmicrosoft.com` name is needed and not known.
  package static let tenantNameUnknown = Self(rawValue: "tenantNameUnknown")
  /// A policy on a host where Azure AD B2C no longer answers.
  package static let retiredAuthority = Self(rawValue: "retiredAuthority")
  /// A policy id with characters that no policy has, or two policies.
  package static let invalidPolicy = Self(rawValue: "invalidPolicy")
  package static let policyMissing = Self(rawValue: "policyMissing")
  /// A policy at Entra ID, External ID, or a generic issuer.
  package static let unexpectedPolicy = Self(rawValue: "unexpectedPolicy")
  /// The requested kind is not what the host serves.
  package static let kindMismatch = Self(rawValue: "kindMismatch")
}
