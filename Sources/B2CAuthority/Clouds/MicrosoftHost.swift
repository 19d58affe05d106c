/// What is known about a host of Microsoft's sign-in services: the one table of them.
struct MicrosoftHost {
  /// What the host serves when no policy is used.
  let kind: Authority.Kind
  let cloud: Cloud
  /// The tenant's name in front of the domain: `contoso` of `contoso.b2clogin.com`.
  let tenantName: String?

  /// The tenant that the host itself names, as the first name its cloud gave it or as its GUID.
  var homeTenant: String? {
    tenantName.map { TenantName.isGUID($0) ? $0 : $0 + "." + cloud.tenantDomain }
  }

  /// Entra ID's hosts, by cloud; hosts of one cloud stand for each other.
  private static let entra: [String: Cloud] = [
    "login.microsoftonline.com": .global, "login.microsoft.com": .global, "login.windows.net": .global,
    "sts.windows.net": .global,
    "login.microsoftonline.us": .usGovernment, "login.usgovcloudapi.net": .usGovernment,
    "login-us.microsoftonline.com": .usGovernment,
    "login.partner.microsoftonline.cn": .china, "login.chinacloudapi.cn": .china,
    "login.microsoftonline.de": .germany,
    "login.sovcloud-identity.fr": .bleu, "login.sovcloud-identity.de": .delos,
    "login.sovcloud-identity.sg": .singapore,
  ]

  /// External ID's domain; no other cloud has one that is documented.
  static let ciamDomain = "ciamlogin.com"

  /// Every domain of two labels whose imitation is refused.
  static let domains: [String] = {
    let hosts = entra.keys.map { $0.split(separator: ".").suffix(2).joined(separator: ".") }
    return Set(hosts + Cloud.all.compactMap(\.b2cDomain) + [ciamDomain]).sorted()
  }()

  init?(_ host: String) {
    let host = host.lowercased()
    if let cloud = Self.entra[host] {
      (kind, self.cloud, tenantName) = (.entra, cloud, nil)
      return
    }
    let candidates = Cloud.all.compactMap { cloud in cloud.b2cDomain.map { (Authority.Kind.b2c, cloud, $0) } }
    for (kind, cloud, domain) in candidates + [(.ciam, .global, Self.ciamDomain)] {
      if host == domain || host.hasSuffix("." + domain) {
        let name = host.dropLast(domain.count + 1)
        // login.ciamlogin.com names no tenant.
        (self.kind, self.cloud, tenantName) = (
          kind, cloud, name.isEmpty || (kind == .ciam && name == "login") ? nil : String(name)
        )
        return
      }
    }
    return nil
  }
}
