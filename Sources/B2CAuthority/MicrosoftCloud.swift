/// A separate cloud of Microsoft with Azure AD B2C, whose accounts and tokens are unknown in other clouds.
struct Cloud: Sendable {
  /// The domain in which Azure AD B2C tenants have their hosts.
  let b2cDomain: String
  /// The domain in which the cloud gives each tenant its first name.
  let tenantDomain: String
  /// The hosts of Entra ID.
  let entraHosts: Set<String>

  static let global = Cloud(
    b2cDomain: "b2clogin.com", tenantDomain: "onmicrosoft.com",
    entraHosts: [
      "login.microsoftonline.com", "login.microsoft.com", "login.windows.net", "sts.windows.net",
      // These clouds are run by national partners. As far as is known, they have no Azure AD B2C.
      "login.sovcloud-identity.fr", "login.sovcloud-identity.de", "login.sovcloud-identity.sg",
    ])
  /// The cloud in China, which 21Vianet operates.
  static let china = Cloud(
    b2cDomain: "b2clogin.cn", tenantDomain: "partner.onmschina.cn",
    entraHosts: ["login.partner.microsoftonline.cn", "login.chinacloudapi.cn"])
  static let usGovernment = Cloud(
    b2cDomain: "b2clogin.us", tenantDomain: "onmicrosoft.us",
    entraHosts: ["login.microsoftonline.us", "login.usgovcloudapi.net", "login-us.microsoftonline.com"])
  static let all = [global, china, usGovernment]
}

/// The ways to write a tenant.
enum TenantName {
  /// The names that Entra ID uses for "any tenant", which have no policies.
  static let shared: Set<String> = ["common", "organizations", "consumers"]

  /// Returns the origin that runs a tenant's policies, for example `https://contoso.b2clogin.com` for
  /// `contoso.onmicrosoft.com`.
  ///
  /// The result is `nil` for a GUID or a custom domain, because they do not show the host.
  static func b2cOrigin(of tenant: String) -> String? {
    let parts = tenant.lowercased().split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, let cloud = Cloud.all.first(where: { $0.tenantDomain == parts[1] })
    else { return nil }
    return "https://\(parts[0]).\(cloud.b2cDomain)"
  }
}
