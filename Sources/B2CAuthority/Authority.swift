import B2CCore
package import Foundation

/// The provider that signs users in, which is a host and a tenant, with or without a policy.
///
/// It is read from every form in use, for example `https://contoso.b2clogin.com/contoso.onmicrosoft.com/`, with a
/// policy in the path, after `tfp/` or in `?p=`, with a GUID as tenant, on a custom domain, or as the URL of an
/// endpoint or of metadata from a portal. Requests use your spelling. In comparisons and cache keys, case is ignored
/// for Microsoft's services, because they ignore it too, but not for a generic issuer.
public struct Authority: Sendable {
  /// The kind of provider without a policy, because a policy turns an authority on a custom domain into Azure AD B2C.
  public let kind: Kind
  /// The scheme, host, port and tenant, without the policy and without a slash at the end.
  ///
  /// For a generic issuer whose path is not a single tenant, it is the whole issuer.
  package let baseURL: URL
  /// The host in the developer's spelling, without brackets around an IPv6 address.
  package let host: String
  /// The tenant in the developer's spelling, for example a domain, a GUID or `common`.
  package let tenant: String?
  /// The policy that the text contained.
  package let policy: Policy?
  /// The form in which the text names the policy, or ``PolicyForm/query`` if it names none.
  package let form: PolicyForm
  /// Whether the developer passed the kind, so that a policy does not change it.
  let isKindGiven: Bool
  /// The text `scheme://host[:port]` in the developer's spelling.
  let origin: String
  /// The text `/tenant`, or the path of a generic issuer, which may be empty.
  let path: String

  /// Creates an authority from its text.
  ///
  /// Microsoft's hosts show the kind. On any other host, a policy in the text means Azure AD B2C on a custom domain. A
  /// tenant alone (a GUID, or a name like `contoso.onmicrosoft.com`) means External ID on a custom domain, and
  /// everything else means a generic OpenID Connect issuer. A policy that you pass later turns each of them into Azure
  /// AD B2C. Pass `kind` for Entra ID on a custom domain, and for a generic issuer whose path is a GUID.
  ///
  /// - Parameters:
  ///   - text: The text, with or without a port, a slash at the end, a policy or the path of an endpoint.
  ///   - kind: The kind, if the host does not show it. By default it is derived as described above.
  /// - Throws: ``ConnectorError`` with code ``ErrorCode/configuration`` for the first fault in the text. It suggests
  ///   the corrected text if that is known and has no other fault.
  public init(_ text: String, kind: Kind? = nil) throws {
    do throws(AuthorityFault) {
      try self.init(parsing: text, kind: kind)
    } catch {
      throw error.error
    }
  }

  /// Creates an authority as ``init(_:kind:)`` does, but throws the parts of the fault.
  package init(parsing text: String, kind: Kind?) throws(AuthorityFault) {
    do throws(AuthorityFault) {
      try self.init(reading: text, kind: kind)
    } catch {
      // Suggest only an accepted text, because it contains no secrets, and nothing if a password may precede an `@`.
      var error = error
      error.suggestion =
        text.contains("@") ? nil : error.suggestion.flatMap { try? Authority(reading: $0, kind: kind).description }
      throw error
    }
  }
}

extension Authority {
  /// The kinds of providers.
  public enum Kind: String, Sendable, CaseIterable {
    /// Azure AD B2C, also on a custom domain, where every URL needs a policy.
    case b2c
    /// Entra External ID for customers, which has no policies.
    case ciam
    /// Entra ID for work, school and personal accounts, which has no policies.
    case entra
    /// Any other OpenID Connect issuer, about which only its metadata is known.
    case openIDConnect

    /// Whether the provider is Microsoft's, which has extensions to the protocol and ignores case in ids.
    package var isMicrosoft: Bool { self != .openIDConnect }
  }

  /// Returns the kind of the authority when it is used with a policy.
  ///
  /// With a policy, every authority whose kind the developer did not pass is Azure AD B2C. For example,
  /// `login.microsoftonline.com` is Entra ID without a policy, but Azure AD B2C with one.
  ///
  /// - Parameter policy: The policy, or `nil` for none.
  /// - Returns: The kind whose URLs are used.
  package func kind(for policy: Policy?) -> Kind { policy != nil && takesPolicies ? .b2c : kind }

  /// Whether the kind was derived from the form of the text, because it was not passed and the host is not Microsoft's.
  package var isKindGuessed: Bool { !isKindGiven && MicrosoftHost(host) == nil }

  /// Whether a policy turns the authority into Azure AD B2C.
  package var takesPolicies: Bool { kind == .b2c || !isKindGiven && MicrosoftHost(host)?.kind != .ciam }

  /// Whether users of any tenant can sign in, as at `common`.
  package var servesAnyTenant: Bool { kind == .entra && TenantName.shared.contains(tenant?.lowercased() ?? "") }

  /// The authority's part of cache keys, which is the scheme, host, port and tenant without the policy.
  ///
  /// It is in lower case for Microsoft's services. For a generic issuer it is unchanged, because `/realms/A` and
  /// `/realms/a` may be two issuers.
  package var cacheID: String { kind == .openIDConnect ? origin + path : (origin + path).lowercased() }
}

extension Authority: CustomStringConvertible {
  /// The shortest text from which the same authority is created.
  ///
  /// If a kind was passed, it must be passed again.
  public var description: String {
    guard kind.isMicrosoft, let tenant else { return origin + path }
    return Self.text(origin: origin, tenant: tenant, policy: policy, form: form)
  }
}

extension Authority {
  /// Returns the text before and after the path of an endpoint, which are an authority's text with a slash in between.
  static func parts(
    origin: String, tenant: String, policy: Policy?, form: PolicyForm
  ) -> (before: String, after: String) {
    let start = origin + (form == .tfp ? "/tfp/" : "/") + tenant
    guard let id = policy.map({ FormEncoding.escape($0.id) }) else { return (start, "") }
    return form == .query ? (start, "?p=" + id) : (start + "/" + id, "")
  }

  static func text(origin: String, tenant: String, policy: Policy?, form: PolicyForm) -> String {
    let (before, after) = parts(origin: origin, tenant: tenant, policy: policy, form: form)
    return policy == nil || form == .query ? before + "/" + after : before
  }
}

extension Authority: Equatable {
  /// Compares two authorities, ignoring case for Microsoft's services.
  ///
  /// - Parameters:
  ///   - left: The first authority.
  ///   - right: The second authority.
  /// - Returns: Whether both name the same provider, tenant and policy in the same form.
  public static func == (left: Authority, right: Authority) -> Bool {
    left.cacheID == right.cacheID && left.kind == right.kind && left.isKindGiven == right.isKindGiven
      && left.policy?.key == right.policy?.key && left.form == right.form
  }
}

extension Authority {
  /// Returns whether metadata from this authority may name an issuer.
  ///
  /// The metadata comes from the configured host over TLS without a redirect, so that host is trusted. A generic issuer
  /// must name itself exactly as it is configured, except for a slash at the end (OpenID Connect Discovery 1.0 section
  /// 4.3). Microsoft's services never do that. For them, the id_token must have the issuer that this host publishes,
  /// and all URLs except that of the keys are built here. If the authority names its tenant by GUID, the issuer's path
  /// must contain that GUID.
  ///
  /// - Parameters:
  ///   - issuer: The `issuer` of the metadata.
  ///   - policy: The policy of the metadata. With `nil`, the default, it is the authority's own.
  /// - Returns: Whether the issuer belongs to this authority.
  package func accepts(issuer: String, policy: Policy? = nil) -> Bool {
    if kind(for: policy ?? self.policy) == .openIDConnect {
      let named = issuer.hasSuffix("/") ? issuer.dropLast() : issuer[...]
      let (start, rest) = (named.prefix(origin.count), named.dropFirst(origin.count))
      return ASCIIText.isSameIgnoringCase(String(start), origin) && ASCIIText.isSame(String(rest), path)
    }
    guard let id = tenant.flatMap({ GUID.folded($0) }) else { return true }
    return URLComponents(string: issuer)?.path.split(separator: "/").contains { $0.lowercased() == id } ?? false
  }

  /// Returns a fault if a policy would be used on a host on which Azure AD B2C no longer runs.
  ///
  /// Azure AD B2C has left `login.microsoftonline.com` and the other hosts of Entra ID. They still work without a
  /// policy, but with one they show an error page that never redirects to the app, so this is checked before.
  ///
  /// - Parameter policy: The policy to use, or `nil` for the authority's own.
  /// - Returns: The fault, whose `suggestion` is the authority to use if the tenant's name is known, or `nil`.
  package func retirement(for policy: Policy?) -> AuthorityFault? {
    guard let policy = policy ?? self.policy, kind(for: policy) == .b2c, let known = MicrosoftHost(host),
      known.kind == .entra
    else { return nil }
    let suggestion = Self.home(of: tenant, policy: self.policy, form: form)
    return AuthorityFault(
      message: "Azure AD B2C no longer runs policies on \(host), only on <tenant>.\(known.cloud.b2cDomain).",
      suggestion: suggestion,
      recoverySuggestion: suggestion == nil
        ? "Write the authority as https://contoso.b2clogin.com/contoso.onmicrosoft.com/ with your tenant's name."
        : "Change the authority. The redirect URI stays the same.")
  }

  /// Returns the authority where Azure AD B2C runs the policies of a tenant, or `nil` if the tenant does not show it.
  static func home(of tenant: String?, policy: Policy?, form: PolicyForm) -> String? {
    guard let tenant, let origin = TenantName.b2cOrigin(of: tenant) else { return nil }
    return text(origin: origin, tenant: tenant, policy: policy, form: form)
  }
}
