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
  /// The path of a generic issuer, with a leading slash or empty.
  let issuerPath: String

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

  init(
    kind: Kind, isKindGiven: Bool, origin: String, host: String, tenant: String?, issuerPath: String = "",
    policy: Policy? = nil, form: PolicyForm = .query
  ) throws(AuthorityFault) {
    let base = tenant.map { origin + "/" + $0 } ?? (origin + issuerPath)
    guard let baseURL = URL(string: base) else {
      throw AuthorityFault(message: "The authority is not a URL.", recoverySuggestion: AuthorityText.example)
    }
    self.kind = kind
    self.isKindGiven = isKindGiven
    self.origin = origin
    self.host = host
    self.tenant = tenant
    self.issuerPath = issuerPath
    self.policy = policy
    self.form = form
    self.baseURL = baseURL
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
  }

  /// Returns the kind of the authority together with a policy.
  ///
  /// A policy makes every authority Azure AD B2C whose kind was not given by the developer: the same host,
  /// `login.microsoftonline.com`, is Entra ID without one.
  ///
  /// - Parameter policy: The policy, or `nil` to go by the authority alone.
  /// - Returns: The kind whose URLs are used.
  package func kind(for policy: Policy?) -> Kind {
    policy != nil && takesPolicies ? .b2c : kind
  }

  /// Whether a policy makes it Azure AD B2C.
  package var takesPolicies: Bool {
    kind == .b2c || (!isKindGiven && MicrosoftHost(host)?.kind != .ciam)
  }

  /// The authority in cache keys: scheme, host, port and tenant, without policy.
  ///
  /// In lower case at Microsoft's services. A generic issuer stays exactly as it is: `/realms/A` and `/realms/a` may be
  /// two issuers.
  package var cacheID: String {
    if kind != .openIDConnect, let tenant { return (origin + "/" + tenant).lowercased() }
    return origin + issuerPath
  }
}

extension Authority: CustomStringConvertible {
  /// The shortest text from which the same authority is read.
  ///
  /// A kind that was given beside the text has to be given again.
  public var description: String {
    guard kind != .openIDConnect, let tenant else { return origin + issuerPath }
    return Self.text(origin: origin, tenant: tenant, policy: policy, form: form)
  }

  static func text(origin: String, tenant: String, policy: Policy?, form: PolicyForm) -> String {
    let start = origin + (form == .tfp ? "/tfp/" : "/") + tenant + "/"
    guard let id = policy.map({ FormEncoding.escape($0.id) }) else { return start }
    return start + (form == .query ? "?p=" : "") + id
  }
}

extension Authority: Equatable {
  /// Compares the meaning: without regard to case at Microsoft's services, exactly elsewhere.
  ///
  /// - Parameters:
  ///   - left: One authority.
  ///   - right: The other.
  /// - Returns: Whether both lead to the same place in the same form.
  public static func == (left: Authority, right: Authority) -> Bool {
    left.cacheID == right.cacheID && left.kind == right.kind && left.isKindGiven == right.isKindGiven
      && left.policy?.key == right.policy?.key && left.form == right.form
  }
}
