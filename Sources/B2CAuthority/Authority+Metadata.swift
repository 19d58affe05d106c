import B2CCore
package import Foundation

/// The issuers and endpoints that metadata of an authority may name.
///
/// OpenID Connect Discovery 1.0 section 4.3 requires the issuer to be the URL that was asked. Azure AD B2C, External ID
/// and the shared tenants of Entra ID never comply, and no check at all would trust anything. So the issuer has to be on a
/// host that belongs to the authority, and its tenant has to be the authority's.
extension Authority {
  /// Returns whether metadata fetched from this authority may name an issuer.
  ///
  /// - Azure AD B2C: on the authority's own host, `/<tenant>/v2.0/` or `/tfp/<tenant>/<policy>/v2.0/`.
  /// - External ID: on the authority's own host or `<GUID>.ciamlogin.com`, `/<GUID>/v2.0`.
  /// - Entra ID: on any host of the same cloud, `/<GUID>/v2.0`; `/{tenantid}/v2.0` for `common` and `organizations`.
  /// - A generic issuer: exactly the authority, except for a slash at the end; or the form of Azure AD B2C, unless the
  ///   developer said that the authority is generic.
  ///
  /// A host of ``trustedHosts`` may replace the authority's. The tenant has to be the authority's; a GUID can only be
  /// compared with a GUID, so a tenant known by name alone lets any GUID pass. That does not let another tenant in: the
  /// metadata came from the configured host over TLS without a redirect, `<GUID>.ciamlogin.com` has to be the host of the
  /// very GUID in the issuer's path, and only that host is added to those of ``accepts(endpoint:issuer:policy:)``.
  ///
  /// - Parameters:
  ///   - issuer: The metadata's `issuer`.
  ///   - policy: The policy whose metadata it is; the authority's own when `nil`.
  /// - Returns: Whether the issuer belongs to this authority.
  package func accepts(issuer: String, policy: Policy? = nil) -> Bool {
    guard let named = IssuerText(issuer) else { return false }
    let kind = kind(for: policy ?? self.policy)
    if kind == .openIDConnect {
      let isExact = named.origin == origin.lowercased() && named.path == issuerPath
      return isExact || (!isKindGiven && accepts(b2c: named, policy: policy))
    }
    if kind == .b2c { return accepts(b2c: named, policy: policy) }
    guard let tenant = named.tenant(after: []), isPlace(named.origin, host: named.host, kind, tenant: tenant) else {
      return false
    }
    if kind == .entra, tenant == "{tenantid}" {
      return ["common", "organizations"].contains(self.tenant?.lowercased())
    }
    return GUID.isGUID(tenant) && matches(tenant)
  }

  /// Returns whether metadata fetched from this authority may name an endpoint.
  ///
  /// It has to be where the issuer may be: on the authority's host and port, on a host of the same cloud for Entra ID, on
  /// `<GUID>.ciamlogin.com` of the issuer's tenant for External ID, or on one of ``trustedHosts``. A generic issuer may
  /// name any https host, as many do; on this machine it may name this machine.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint's URL.
  ///   - issuer: The issuer of the same metadata, which was accepted.
  ///   - policy: The policy whose metadata it is; the authority's own when `nil`.
  /// - Returns: Whether requests may be sent to it.
  package func accepts(endpoint: URL, issuer: String, policy: Policy? = nil) -> Bool {
    // An endpoint's parameters say nothing about where it is.
    let place = String(endpoint.absoluteString.prefix { $0 != "?" })
    guard endpoint.fragment == nil, let text = try? AuthorityText(place) else { return false }
    let kind = kind(for: policy ?? self.policy)
    guard kind != .openIDConnect else { return text.scheme == "https" || origin.lowercased().hasPrefix("http://") }
    return isPlace(
      text.origin.lowercased(), host: text.host, kind, tenant: IssuerText(issuer)?.tenant(after: []))
  }

  /// Returns whether an issuer or an endpoint may be at an origin: the one list of hosts for both.
  private func isPlace(_ target: String, host: String, _ kind: Kind, tenant: String?) -> Bool {
    if target == origin.lowercased() { return true }
    guard target.hasPrefix("https://") else { return false }
    switch kind {
    case _ where trusts(host): return true
    case .entra: return isAlias(target)
    // The whole origin: no other port, and nothing before or after the host.
    case .ciam: return tenant.map { matches($0) && target == Self.serviceOrigin(ofTenant: $0) } ?? false
    default: return false
    }
  }

  /// Returns where External ID says that it is, whichever host it was asked on; `nil` for a tenant that is no GUID.
  private static func serviceOrigin(ofTenant tenant: String) -> String? {
    GUID.folded(tenant).map { "https://\($0).\(MicrosoftHost.ciamDomain)" }
  }

  private func accepts(b2c named: IssuerText, policy: Policy?) -> Bool {
    let key = (policy ?? self.policy)?.key
    let isBehindPolicy =
      named.segments.first == "tfp" && named.segments.count == 4
      && FormEncoding.percentDecode(named.segments[2]).lowercased() == key
    guard isPlace(named.origin, host: named.host, .b2c, tenant: nil),
      let tenant = isBehindPolicy ? named.tenant(after: ["tfp"]) : named.tenant(after: [])
    else { return false }
    return tenant == self.tenant?.lowercased() || (GUID.isGUID(tenant) && matches(tenant))
  }

  private func matches(_ tenant: String) -> Bool {
    tenantID == nil || tenantID == tenant
  }

  private func trusts(_ host: String) -> Bool {
    trustedHosts.contains { $0.lowercased() == host.lowercased() }
  }

  private func isAlias(_ target: String) -> Bool {
    guard target.hasPrefix("https://"), let cloud, let known = MicrosoftHost(String(target.dropFirst(8))) else {
      return false
    }
    return known.kind == .entra && known.cloud == cloud && MicrosoftHost(host)?.kind == .entra
  }
}

/// What to write in the settings when the metadata is of another service than the form of the authority says.
extension Authority {
  /// Returns how to fix settings whose metadata names an issuer that is not accepted.
  ///
  /// - Parameters:
  ///   - issuer: The issuer.
  ///   - policy: The policy whose metadata it is; the authority's own when `nil`.
  /// - Returns: A sentence in the words of a settings file.
  package func advice(refusing issuer: String, policy: Policy?) -> String {
    let policy = policy ?? self.policy
    let kind = kind(for: policy)
    if let named = IssuerText(issuer) {
      if let found = named.tenant(after: []), named.origin == Self.serviceOrigin(ofTenant: found) {
        if !matches(found) {
          return "The issuer's tenant is \(found): compare it with the tenant in the authority."
        }
        if kind != .ciam, MicrosoftHost(host) == nil {
          return "The issuer is External ID: set `authorityKind` to `ciam`"
            + (policy == nil ? "." : " and remove the policies: External ID has no policies.")
        }
      }
      if kind == .ciam, named.origin == origin.lowercased(), named.segments.count == 1,
        named.segments.first == tenant?.lowercased()
      {
        return Self.otherKinds
      }
    }
    return "Check the authority in the settings."
  }

  /// How to fix settings for which no metadata is found; `nil` where the form of the authority leaves no other reading.
  ///
  /// - Parameter policy: The policy that was asked for.
  /// - Returns: A sentence in the words of a settings file.
  package func advice(withoutMetadataFor policy: Policy?) -> String? {
    kind(for: policy ?? self.policy) == .ciam && takesPolicies ? Self.otherKinds : nil
  }

  private static let otherKinds =
    "Without a policy this is External ID. For Azure AD B2C add `emailSignInPolicyId` or `policies`; for another OpenID "
    + "Connect issuer set `authorityKind` to `openIDConnect`."
}

/// An issuer named by metadata, parsed as strictly as an authority.
struct IssuerText {
  /// Lower-cased scheme, host and port.
  let origin: String
  /// The lower-cased host.
  let host: String
  /// The path as written, without a slash at its end.
  let path: String
  /// The path's lower-cased segments.
  let segments: [String]

  /// Returns `nil` for another scheme, user-info, a query, a fragment, spaces and the like.
  init?(_ issuer: String) {
    // The only braces an issuer may have; they are replaced to read the rest.
    let placeholder = "{tenantid}"
    let substitute = "tenantid-placeholder"
    guard !issuer.contains("?"), !issuer.contains(substitute),
      let text = try? AuthorityText(issuer.replacing(placeholder, with: substitute))
    else { return nil }
    origin = text.origin.lowercased()
    host = text.host.lowercased()
    path = text.segments.map { "/" + $0 }.joined()
    segments = text.segments.map { $0 == substitute ? placeholder : $0.lowercased() }
    guard !host.contains(substitute) else { return nil }
  }

  /// Returns the tenant in `<first>/<tenant>/…/v2.0`.
  func tenant(after first: [String]) -> String? {
    // Entra ID's older tokens come from https://sts.windows.net/<tenant>/.
    if first.isEmpty, host == "sts.windows.net", segments.count == 1 { return segments[0] }
    guard segments.last == "v2.0", segments.count == (first.isEmpty ? 2 : 4), segments.starts(with: first) else {
      return nil
    }
    return segments[first.count]
  }
}
