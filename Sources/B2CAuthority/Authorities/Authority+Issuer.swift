import B2CCore
public import Foundation

/// What metadata may say about the authority it was fetched from.
///
/// OpenID Connect Discovery 1.0 section 4.3 wants the issuer to be the URL that was asked. Azure AD B2C, External ID and
/// the shared tenants of Entra ID never do that, and no check at all would trust anything. So the issuer has to be on a host
/// that belongs to the authority, and its tenant has to be the authority's.
extension Authority {
  /// Whether metadata fetched from this authority may name an issuer.
  ///
  /// - Azure AD B2C: on the authority's own host, `/<tenant>/v2.0/` or `/tfp/<tenant>/<policy>/v2.0/`.
  /// - External ID: on the authority's own host or `<GUID>.ciamlogin.com`, `/<GUID>/v2.0`.
  /// - Entra ID: on any host of the same cloud, `/<GUID>/v2.0`; `/{tenantid}/v2.0` for `common` and `organizations`.
  /// - A generic issuer: exactly the authority, but for a slash at the end; or the form of Azure AD B2C, unless the
  ///   developer said that the authority is generic.
  ///
  /// A host of ``trustedHosts`` may stand for the authority's own. The tenant has to be the authority's, or the one that
  /// is given; a GUID can only be compared with a GUID, so a tenant known by name alone lets any GUID pass.
  ///
  /// - Parameters:
  ///   - issuer: The metadata's `issuer`.
  ///   - tenantID: The tenant's GUID, if it is known from elsewhere.
  ///   - policy: The policy whose metadata it is; the authority's own when `nil`.
  /// - Returns: Whether the issuer belongs to this authority.
  public func accepts(issuer: String, tenantID: String?, policy: Policy? = nil) -> Bool {
    guard let named = IssuerText(issuer) else { return false }
    let kind = kind(for: policy ?? self.policy)
    if kind == .openIDConnect {
      let isExact = named.origin == origin.lowercased() && named.path == issuerPath
      return isExact || (!isKindGiven && accepts(b2c: named, tenantID: tenantID, policy: policy))
    }
    if kind == .b2c { return accepts(b2c: named, tenantID: tenantID, policy: policy) }
    guard let tenant = named.tenant(behind: []) else { return false }
    if kind == .ciam {
      let isOwnHost = named.host == tenant + "." + MicrosoftHost.ciamDomain && named.origin == "https://" + named.host
      return (isOwn(named) || isOwnHost) && TenantName.isGUID(tenant) && matches(tenant, tenantID)
    }
    guard isOwn(named) || isAlias(named.origin) else { return false }
    if tenant == "{tenantid}" { return ["common", "organizations"].contains(self.tenant?.lowercased()) }
    return TenantName.isGUID(tenant) && matches(tenant, tenantID)
  }

  /// Whether metadata fetched from this authority may name an endpoint.
  ///
  /// It has to be on the authority's own host and port, on a host of the same cloud for Entra ID, on a host of
  /// `ciamlogin.com` for External ID there, or on one of ``trustedHosts``. A generic issuer may name any https host, as
  /// many do; on this machine it may name this machine.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint's URL.
  ///   - policy: The policy whose metadata it is; the authority's own when `nil`.
  /// - Returns: Whether requests may be sent to it.
  public func accepts(endpoint: URL, policy: Policy? = nil) -> Bool {
    guard endpoint.fragment == nil, let text = try? AuthorityText(endpoint.absoluteString.withoutQuery) else {
      return false
    }
    let target = text.origin.lowercased()
    let isSecure = text.scheme == "https" || origin.lowercased().hasPrefix("http://")
    switch kind(for: policy ?? self.policy) {
    case .openIDConnect: return isSecure
    case .ciam where MicrosoftHost(host)?.kind == .ciam && MicrosoftHost(text.host)?.kind == .ciam:
      return text.scheme == "https" && text.port == nil
    case .entra where isAlias(target): return true
    default: return target == origin.lowercased() || (text.scheme == "https" && trusts(text.host))
    }
  }

  private func accepts(b2c named: IssuerText, tenantID: String?, policy: Policy?) -> Bool {
    let key = (policy ?? self.policy)?.key
    let isBehindPolicy =
      named.segments.first == "tfp" && named.segments.count == 4
      && FormEncoding.unescape(named.segments[2]).lowercased() == key
    guard isOwn(named), let tenant = isBehindPolicy ? named.tenant(behind: ["tfp"]) : named.tenant(behind: []) else {
      return false
    }
    return tenant == self.tenant?.lowercased() || (TenantName.isGUID(tenant) && matches(tenant, tenantID))
  }

  private func matches(_ tenant: String, _ known: String?) -> Bool {
    [known?.lowercased(), tenantID].allSatisfy { $0 == nil || $0 == tenant }
  }

  private func isOwn(_ named: IssuerText) -> Bool {
    named.origin == origin.lowercased() || (named.origin.hasPrefix("https://") && trusts(named.host))
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

extension String {
  /// What stands in front of a query: an endpoint's parameters say nothing about where it is.
  fileprivate var withoutQuery: String { String(prefix { $0 != "?" }) }
}
