import B2CCore
package import Foundation

/// The service that signs users in: a host and a tenant, with or without a policy.
///
/// Read from every form that is in use: `https://contoso.b2clogin.com/contoso.onmicrosoft.com/`, with a policy in the
/// path, after `tfp/` or in `?p=`, with a GUID for a tenant, on a custom domain, or as a whole endpoint or metadata URL
/// pasted from a portal. On the wire it keeps the developer's case. At Microsoft's services case is ignored for comparing
/// and for cache keys, as the services ignore it; a generic issuer is compared exactly.
public struct Authority: Sendable {
  /// The kind without a policy; a policy makes Azure AD B2C of an authority on a custom domain.
  public let kind: Kind
  /// Scheme, host, port and tenant, without policy and trailing slash.
  ///
  /// For a generic issuer whose path is not a single tenant it is the whole issuer.
  package let baseURL: URL
  /// The host in the developer's case; an IPv6 address has no brackets.
  package let host: String
  /// The tenant in the developer's case: a domain name, a GUID, `common` and the like.
  package let tenant: String?
  /// The policy that the text contained.
  package let policy: Policy?
  /// The place of the policy in the text; ``PolicyForm/query`` without a policy.
  package let form: PolicyForm
  /// Whether the developer gave the kind, so that a policy does not change it.
  let isKindGiven: Bool
  /// `scheme://host[:port]` in the developer's case.
  let origin: String
  /// `/tenant`, or the path of a generic issuer, which may be empty.
  let path: String

  /// Reads an authority.
  ///
  /// On Microsoft's hosts the kind is known. On any other host a policy in the text means Azure AD B2C on a custom domain,
  /// a tenant alone (a GUID, or a name such as `contoso.onmicrosoft.com`) External ID there, and everything else a generic
  /// OpenID Connect issuer; a policy used later turns each of them into Azure AD B2C. Entra ID on a custom domain, and a
  /// generic issuer whose path is a GUID, need `kind`.
  ///
  /// - Parameters:
  ///   - text: The authority, with or without port, trailing slash, policy or endpoint path.
  ///   - kind: The kind, where it does not follow from the host.
  /// - Throws: ``ConnectorError`` with code ``ErrorCode/configuration`` for the first fault that was found; it says the
  ///   corrected text when that is known and has no other fault.
  public init(_ text: String, kind: Kind? = nil) throws {
    do throws(AuthorityFault) {
      try self.init(parsing: text, kind: kind)
    } catch {
      throw error.error
    }
  }

  /// As ``init(_:kind:)``; the fault comes in parts.
  package init(parsing text: String, kind: Kind?) throws(AuthorityFault) {
    do throws(AuthorityFault) {
      try self.init(reading: text, kind: kind)
    } catch {
      // Only a correction that is accepted, so that it cannot show secrets; none of what may contain a password.
      var error = error
      error.suggestion =
        text.contains("@") ? nil : error.suggestion.flatMap { try? Authority(reading: $0, kind: kind).description }
      throw error
    }
  }
}

extension Authority {
  /// The kinds of authorities.
  public enum Kind: String, Sendable, CaseIterable {
    /// Azure AD B2C, also on a custom domain: every URL needs a policy.
    case b2c
    /// Entra External ID for customers: no policies.
    case ciam
    /// Entra ID, for work, school and personal accounts: no policies.
    case entra
    /// Any OpenID Connect issuer, known by its metadata alone.
    case openIDConnect

    /// Whether the service speaks with Microsoft's extensions and ignores case in ids.
    package var isMicrosoft: Bool { self != .openIDConnect }
  }

  /// Returns the kind of the authority together with a policy.
  ///
  /// A policy makes every authority Azure AD B2C whose kind was not given by the developer: the same host,
  /// `login.microsoftonline.com`, is Entra ID without one.
  ///
  /// - Parameter policy: The policy, or `nil` to go by the authority alone.
  /// - Returns: The kind whose URLs are used.
  package func kind(for policy: Policy?) -> Kind { policy != nil && takesPolicies ? .b2c : kind }

  /// Whether the kind was guessed from the text, because the developer gave none and the host is not Microsoft's.
  package var isKindGuessed: Bool { !isKindGiven && MicrosoftHost(host) == nil }

  /// Whether a policy makes it Azure AD B2C.
  package var takesPolicies: Bool { kind == .b2c || !isKindGiven && MicrosoftHost(host)?.kind != .ciam }

  /// Whether accounts of any tenant sign in, as at `common`.
  package var servesAnyTenant: Bool { kind == .entra && TenantName.shared.contains(tenant?.lowercased() ?? "") }

  /// The authority in cache keys: scheme, host, port and tenant, without policy.
  ///
  /// In lower case at Microsoft's services. A generic issuer stays exactly as it is: `/realms/A` and `/realms/a` may be
  /// two issuers.
  package var cacheID: String { kind == .openIDConnect ? origin + path : (origin + path).lowercased() }
}

extension Authority: CustomStringConvertible {
  /// The shortest text from which the same authority is read.
  ///
  /// A kind that was given beside the text has to be given again.
  public var description: String {
    guard kind.isMicrosoft, let tenant else { return origin + path }
    return Self.text(origin: origin, tenant: tenant, policy: policy, form: form)
  }
}

extension Authority {
  /// Returns the text before and after the path of an endpoint; with a slash between them it is an authority.
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
  /// Compares the meaning: without regard to case at Microsoft's services, exactly elsewhere.
  ///
  /// - Parameters:
  ///   - left: The first authority.
  ///   - right: The second authority.
  /// - Returns: Whether both lead to the same place in the same form.
  public static func == (left: Authority, right: Authority) -> Bool {
    left.cacheID == right.cacheID && left.kind == right.kind && left.isKindGiven == right.isKindGiven
      && left.policy?.key == right.policy?.key && left.form == right.form
  }
}

extension Authority {
  /// Returns whether metadata fetched from this authority may name an issuer.
  ///
  /// Metadata comes from the configured host over TLS without a redirect, so that host is trusted. A generic issuer has to
  /// name itself as it is configured, except for a slash at the end (OpenID Connect Discovery 1.0 section 4.3). Microsoft's
  /// services never comply with that: there the id_token has to carry the issuer that this host publishes, all URLs but that
  /// of the keys are built here, and where the authority names its tenant by GUID, the issuer has that GUID in its path.
  ///
  /// - Parameters:
  ///   - issuer: The metadata's `issuer`.
  ///   - policy: The policy whose metadata it is; the authority's own when `nil`.
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

  /// Returns a fault when a policy would run where Azure AD B2C no longer answers.
  ///
  /// Azure AD B2C has left `login.microsoftonline.com` and the other hosts of Entra ID. Without a policy these hosts are
  /// in use; with one they answer an error page that never returns to the app. So it is found before a browser opens.
  ///
  /// - Parameter policy: The policy that is to be used; the authority's own when `nil`.
  /// - Returns: A fault whose `suggestion` is the authority to use
  ///   (`nil` when the tenant's name is not known), or `nil` when nothing is wrong.
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

  /// Returns the authority of a tenant where Azure AD B2C runs its policies; `nil` where that host does not follow from it.
  static func home(of tenant: String?, policy: Policy?, form: PolicyForm) -> String? {
    guard let tenant, let origin = TenantName.b2cOrigin(of: tenant) else { return nil }
    return text(origin: origin, tenant: tenant, policy: policy, form: form)
  }
}
