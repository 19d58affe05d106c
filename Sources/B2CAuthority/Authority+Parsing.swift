import B2CCore
import Foundation

extension Authority {
  /// Parses the text of an authority.
  ///
  /// The error suggests the text with this fault corrected. The caller drops the suggestion if it has other faults.
  init(reading text: String, kind given: Kind?) throws(AuthorityFault) {
    let text = try AuthorityText(text)
    let known = MicrosoftHost(text.host)
    if let origin = TenantName.b2cOrigin(of: text.host) {
      throw AuthorityFault(
        message: "The authority's host is the name of a tenant, not a sign-in host.",
        suggestion: "\(origin)/\(text.host)/")
    }
    // The hosts of Entra ID can also serve the other two kinds, but a host of Azure AD B2C or External ID serves only
    // its own.
    if let given, let known, known.kind != .entra, given != known.kind, given != .openIDConnect {
      throw AuthorityFault(
        message: "The host \(text.host) serves \(known.kind.rawValue), not \(given.rawValue).",
        recoverySuggestion: "Leave the kind out, because it follows from this host.")
    }
    let served = given ?? known?.kind ?? Self.kindOnOtherHost(text)
    kind = served == .entra && given == nil && Self.carriesPolicy(text) ? .b2c : served
    (tenant, policy, form, path) =
      switch kind {
      case .b2c: try Self.place(withPolicies: text, known: known)
      case .openIDConnect: try Self.place(issuer: text)
      case .ciam, .entra: try Self.place(withoutPolicies: text, kind: kind, known: known)
      }
    (origin, host, isKindGiven) = (text.origin, text.host, given != nil)
    guard let url = URL(string: origin + (tenant.map { "/" + $0 } ?? path)) else {
      throw AuthorityFault(message: "The authority is not a URL.")
    }
    baseURL = url
  }

  /// The parts of an authority that its path and query contain.
  private typealias Place = (tenant: String?, policy: Policy?, form: PolicyForm, path: String)

  /// Returns the kind on a custom domain, which only the form of the text shows.
  ///
  /// Metadata cannot decide it, because the keys of the token cache, the users' ids and the metadata's own URL depend
  /// on it, and a session must also be found offline. Azure AD B2C does not respond without a policy, so a tenant alone
  /// is External ID.
  private static func kindOnOtherHost(_ text: AuthorityText) -> Kind {
    guard !carriesPolicy(text) else { return .b2c }
    guard let tenant = text.segments.first else { return .openIDConnect }
    let isAlone = text.segments.count == 1 || AuthorityPath.isTail(text.segments.dropFirst())
    if TenantName.b2cOrigin(of: tenant) != nil { return isAlone ? .ciam : .b2c }
    return isAlone && GUID.isGUID(tenant) ? .ciam : .openIDConnect
  }

  private static func carriesPolicy(_ text: AuthorityText) -> Bool {
    let segments = text.segments
    return !text.policies.isEmpty || (AuthorityPath.isTrustFramework(segments.first) && segments.count > 1)
      || segments.prefix(2).contains(where: Policy.hasPrefix)
  }

  /// Returns the parts of an authority of Azure AD B2C, on its own hosts, a custom domain or the retired host.
  private static func place(withPolicies text: AuthorityText, known: MicrosoftHost?) throws(AuthorityFault) -> Place {
    let path = try AuthorityPath(text, readsAnyPolicy: known?.kind != .entra)
    let (form, policy) = (path.form, try policy(path.policies))
    if let known, known.kind == .b2c, known.tenantName == nil {
      throw AuthorityFault(
        message: "The authority's host does not contain the tenant's name.",
        suggestion: home(of: path.tenant, policy: policy, form: form))
    }
    guard let tenant = path.tenant, !TenantName.shared.contains(tenant.lowercased()) else {
      throw AuthorityFault(
        message: "The authority does not name the tenant that has the policies.",
        suggestion: known?.homeTenant.map { Self.text(origin: text.origin, tenant: $0, policy: policy, form: form) })
    }
    return (tenant, policy, form, "/" + tenant)
  }

  /// Returns the parts of an authority of Entra ID or External ID.
  private static func place(
    withoutPolicies text: AuthorityText, kind: Kind, known: MicrosoftHost?
  ) throws(AuthorityFault) -> Place {
    let path = try AuthorityPath(text, readsAnyPolicy: false)
    // If the text is only a host of External ID, its name is the tenant, as in every other library for External ID.
    let tenant = path.tenant ?? (known?.kind == .ciam ? known?.homeTenant : nil)
    guard path.form == .query, path.policies.isEmpty else {
      throw AuthorityFault(
        message: "The authority contains a policy, but an authority of the kind \(kind.rawValue) has none.",
        suggestion: tenant.map { text.origin + "/" + $0 }, recoverySuggestion: "Remove the policy.")
    }
    guard let tenant else {
      throw AuthorityFault(
        message: "The authority has no tenant after its host.",
        suggestion: known?.kind == .entra && kind == .entra ? text.origin + "/common" : nil,
        recoverySuggestion: "Add your tenant's domain or GUID, or `common` for accounts of any tenant.")
    }
    return (tenant, nil, .query, "/" + tenant)
  }

  /// Returns the parts of a generic issuer, whose path is kept unless it is that of its metadata or an endpoint.
  private static func place(issuer text: AuthorityText) throws(AuthorityFault) -> Place {
    guard text.policies.isEmpty else {
      throw AuthorityFault(
        message: "The authority has the query parameter p, which no generic issuer uses.",
        suggestion: text.origin + "/" + text.segments.joined(separator: "/"), recoverySuggestion: "Remove the query.")
    }
    var segments = text.segments[...]
    if segments.suffix(2).map({ $0.lowercased() }) == [".well-known", "openid-configuration"] {
      segments = segments.dropLast(2)
    }
    let tail = segments.dropFirst().map { $0.lowercased() }
    var tenant = segments.first.flatMap { AuthorityText.isDNSName($0) ? $0 : nil }
    // The path `/<name>/oauth2` may be an issuer of its own, so it is not taken for an endpoint of the tenant `<name>`.
    if !tail.isEmpty && (!AuthorityPath.isTail(tail) || tail == ["oauth2"]) { tenant = nil }
    // If the text is the URL of an endpoint in Microsoft's form, the issuer is the part before the endpoint's path.
    if let tenant, tail.count > 1 { segments = tail.contains("v2.0") ? [tenant, "v2.0"] : [tenant] }
    return (tenant, nil, .query, segments.map { "/" + $0 }.joined())
  }

  /// Returns the policy in the path or in `?p=`, which must be the same if there are several.
  private static func policy(_ ids: [String]) throws(AuthorityFault) -> Policy? {
    guard let id = ids.first else { return nil }
    guard let policy = try? Policy(id), ids.allSatisfy({ ASCIIText.isSameIgnoringCase($0, id) }) else {
      throw AuthorityFault(
        message: "The authority contains two policies, or a policy id with characters that no policy has.",
        recoverySuggestion: "Write one policy id, for example B2C_1_SignIn.")
    }
    return policy
  }
}

/// The path of an authority at Microsoft's services, which has the form `[tfp/]tenant[/policy][/endpoint]`.
struct AuthorityPath {
  let form: PolicyForm
  let tenant: String?
  /// The policies in the path and in `?p=`.
  let policies: [String]

  private static let tailStarts: Set<String> = ["v2.0", "oauth2", ".well-known", "discovery", "openid"]

  /// Returns whether segments after the tenant are the path of an endpoint, which is removed from a pasted URL.
  static func isTail(_ segments: some Collection<String>) -> Bool {
    segments.joined(separator: "/").wholeMatch(of: endpoint) != nil
  }

  private static let endpoint = Pattern(
    #/
    v2\.0 | oauth2 (?: /v2\.0 )? (?: / (?: authorize | token | logout | devicecode | authresp ) )?
    | (?: v2\.0/ )? \.well-known/openid-configuration | discovery (?: /v2\.0 )? /keys | openid/v2\.0/userinfo
    /#
    .ignoresCase())

  static func isTrustFramework(_ segment: String?) -> Bool { ["tfp", "te"].contains(segment?.lowercased()) }

  /// Reads the segments, of which the one after the tenant is always a policy if `readsAnyPolicy` is true.
  init(_ text: AuthorityText, readsAnyPolicy: Bool) throws(AuthorityFault) {
    var rest = text.segments[...]
    let isTrustFramework = Self.isTrustFramework(rest.first)
    if isTrustFramework { rest = rest.dropFirst() }
    tenant = rest.first.flatMap { Self.startsTail($0) || Policy.hasPrefix($0) ? nil : $0 }
    if let tenant {
      guard AuthorityText.isDNSName(tenant) else {
        throw AuthorityFault(message: "The authority's tenant is neither a domain name nor a GUID.")
      }
      rest = rest.dropFirst()
    }
    if let next = rest.first, !Self.startsTail(next), readsAnyPolicy || isTrustFramework || Policy.hasPrefix(next) {
      (form, policies) = (isTrustFramework ? .tfp : .path, [FormEncoding.percentDecode(next)] + text.policies)
      rest = rest.dropFirst()
    } else {
      (form, policies) = (isTrustFramework ? .tfp : .query, text.policies)
    }
    guard rest.isEmpty || Self.isTail(rest) else {
      let known = text.segments.dropLast(rest.count).joined(separator: "/")
      throw AuthorityFault(
        message: "The authority's path has an unknown part after the tenant or the policy.",
        suggestion: tenant == nil ? nil : text.origin + "/" + known,
        recoverySuggestion: "End the authority after the tenant or the policy.")
    }
  }

  private static func startsTail(_ segment: String) -> Bool { tailStarts.contains(segment.lowercased()) }
}

/// A host of Microsoft's sign-in services.
struct MicrosoftHost {
  /// The kind of an authority without a policy on this host.
  let kind: Authority.Kind
  let cloud: Cloud
  /// The tenant's name in the host, for example `contoso` in `contoso.b2clogin.com`.
  let tenantName: String?

  /// The tenant of the host, as its domain in this cloud or as a GUID.
  var homeTenant: String? { tenantName.map { GUID.isGUID($0) ? $0 : $0 + "." + cloud.tenantDomain } }

  /// The hosts of Entra ID, and the domains in which each tenant has a host, which for External ID is documented only
  /// globally.
  private static let domains: [(kind: Authority.Kind, cloud: Cloud, name: String)] =
    Cloud.all.flatMap { cloud in cloud.entraHosts.map { (.entra, cloud, $0) } + [(.b2c, cloud, cloud.b2cDomain)] }
    + [(.ciam, .global, "ciamlogin.com")]

  init?(_ host: String) {
    let host = host.lowercased()
    let domain = Self.domains.first { host == $0.name || ($0.kind != .entra && host.hasSuffix("." + $0.name)) }
    guard let domain else { return nil }
    let name = host.dropLast(domain.name.count + 1)
    // The host login.ciamlogin.com belongs to no tenant.
    let namesTenant = !name.isEmpty && !(domain.kind == .ciam && name == "login")
    (kind, cloud, tenantName) = (domain.kind, domain.cloud, namesTenant ? String(name) : nil)
  }
}
