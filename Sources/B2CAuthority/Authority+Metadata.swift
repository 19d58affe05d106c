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
  /// compared with a GUID, so a tenant known by name alone lets any GUID pass.
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
    guard let tenant = named.tenant(after: []) else { return false }
    if kind == .ciam {
      let isOwnHost = named.host == tenant + "." + MicrosoftHost.ciamDomain && named.origin == "https://" + named.host
      return (isOwn(named) || isOwnHost) && GUID.isGUID(tenant) && matches(tenant)
    }
    guard isOwn(named) || isAlias(named.origin) else { return false }
    if tenant == "{tenantid}" { return ["common", "organizations"].contains(self.tenant?.lowercased()) }
    return GUID.isGUID(tenant) && matches(tenant)
  }

  /// Returns whether metadata fetched from this authority may name an endpoint.
  ///
  /// It has to be on the authority's host and port, on a host of the same cloud for Entra ID, on a host of
  /// `ciamlogin.com` for External ID there, or on one of ``trustedHosts``. A generic issuer may name any https host, as
  /// many do; on this machine it may name this machine.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint's URL.
  ///   - policy: The policy whose metadata it is; the authority's own when `nil`.
  /// - Returns: Whether requests may be sent to it.
  package func accepts(endpoint: URL, policy: Policy? = nil) -> Bool {
    // An endpoint's parameters say nothing about where it is.
    let place = String(endpoint.absoluteString.prefix { $0 != "?" })
    guard endpoint.fragment == nil, let text = try? AuthorityText(place) else { return false }
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

  private func accepts(b2c named: IssuerText, policy: Policy?) -> Bool {
    let key = (policy ?? self.policy)?.key
    let isBehindPolicy =
      named.segments.first == "tfp" && named.segments.count == 4
      && FormEncoding.percentDecode(named.segments[2]).lowercased() == key
    guard isOwn(named), let tenant = isBehindPolicy ? named.tenant(after: ["tfp"]) : named.tenant(after: []) else {
      return false
    }
    return tenant == self.tenant?.lowercased() || (GUID.isGUID(tenant) && matches(tenant))
  }

  private func matches(_ tenant: String) -> Bool {
    tenantID == nil || tenantID == tenant
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
