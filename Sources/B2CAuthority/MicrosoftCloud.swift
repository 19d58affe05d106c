/// A separate cloud of Microsoft that has Azure AD B2C, with accounts and tokens that no other cloud knows.
struct Cloud: Sendable {
  /// The domain under which Azure AD B2C tenants have their sign-in hosts.
  let b2cDomain: String
  /// The domain of the first name that the cloud assigns to each tenant.
  let tenantDomain: String
  /// Entra ID's hosts.
  let entraHosts: Set<String>

  static let global = Cloud(
    b2cDomain: "b2clogin.com", tenantDomain: "onmicrosoft.com",
    entraHosts: [
      "login.microsoftonline.com", "login.microsoft.com", "login.windows.net", "sts.windows.net",
      // The clouds of national partners, of which no Azure AD B2C is known.
      "login.sovcloud-identity.fr", "login.sovcloud-identity.de", "login.sovcloud-identity.sg",
    ])
  /// Azure operated by 21Vianet in China.
  static let china = Cloud(
    b2cDomain: "b2clogin.cn", tenantDomain: "partner.onmschina.cn",
    entraHosts: ["login.partner.microsoftonline.cn", "login.chinacloudapi.cn"])
  static let usGovernment = Cloud(
    b2cDomain: "b2clogin.us", tenantDomain: "onmicrosoft.us",
    entraHosts: ["login.microsoftonline.us", "login.usgovcloudapi.net", "login-us.microsoftonline.com"])
  static let all = [global, china, usGovernment]
}

/// The forms in which a tenant is written.
enum TenantName {
  /// Entra ID's names for "any tenant", which run no policies.
  static let shared: Set<String> = ["common", "organizations", "consumers"]

  /// Returns `https://contoso.b2clogin.com`, which runs the policies of `contoso.onmicrosoft.com`.
  ///
  /// It is `nil` for a GUID and a custom domain, from which the host does not follow.
  static func b2cOrigin(of tenant: String) -> String? {
    let parts = tenant.lowercased().split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, let cloud = Cloud.all.first(where: { $0.tenantDomain == parts[1] })
    else { return nil }
    return "https://\(parts[0]).\(cloud.b2cDomain)"
  }
}
