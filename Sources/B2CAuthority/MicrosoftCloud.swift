import B2CCore

/// One of Microsoft's separate clouds that have Azure AD B2C; accounts and tokens of one are unknown to the others.
struct Cloud: Sendable {
  /// The domain under which Azure AD B2C tenants have their sign-in hosts.
  let b2cDomain: String
  /// The domain of the first name that the cloud assigns to each tenant.
  let tenantDomain: String

  static let global = Cloud(b2cDomain: "b2clogin.com", tenantDomain: "onmicrosoft.com")
  /// Azure operated by 21Vianet in China.
  static let china = Cloud(b2cDomain: "b2clogin.cn", tenantDomain: "partner.onmschina.cn")
  static let usGovernment = Cloud(b2cDomain: "b2clogin.us", tenantDomain: "onmicrosoft.us")
  static let all = [global, china, usGovernment]
}

/// A host of Microsoft's sign-in services: the only table of them.
struct MicrosoftHost {
  /// The kind of authority on this host without a policy.
  let kind: Authority.Kind
  let cloud: Cloud
  /// The tenant's name in front of the domain: `contoso` of `contoso.b2clogin.com`.
  let tenantName: String?

  /// The tenant that the host names, as the first name its cloud gave it or as its GUID.
  var homeTenant: String? {
    tenantName.map { GUID.isGUID($0) ? $0 : $0 + "." + cloud.tenantDomain }
  }

  /// Entra ID's hosts, by cloud.
  private static let entra: [String: Cloud] = [
    "login.microsoftonline.com": .global, "login.microsoft.com": .global, "login.windows.net": .global,
    "sts.windows.net": .global,
    "login.microsoftonline.us": .usGovernment, "login.usgovcloudapi.net": .usGovernment,
    "login-us.microsoftonline.com": .usGovernment,
    "login.partner.microsoftonline.cn": .china, "login.chinacloudapi.cn": .china,
  ]

  /// External ID's domain; no other cloud has one that is documented.
  static let ciamDomain = "ciamlogin.com"

  init?(_ host: String) {
    let host = host.lowercased()
    if let cloud = Self.entra[host] {
      (kind, self.cloud, tenantName) = (.entra, cloud, nil)
      return
    }
    let b2c = Cloud.all.map { (Authority.Kind.b2c, $0, $0.b2cDomain) }
    for (kind, cloud, domain) in b2c + [(.ciam, .global, Self.ciamDomain)] {
      if host == domain || host.hasSuffix("." + domain) {
        let name = host.dropLast(domain.count + 1)
        // login.ciamlogin.com names no tenant.
        let namesTenant = !name.isEmpty && !(kind == .ciam && name == "login")
        (self.kind, self.cloud, tenantName) = (kind, cloud, namesTenant ? String(name) : nil)
        return
      }
    }
    return nil
  }
}

/// The forms in which a tenant is written.
enum TenantName {
  /// Entra ID's names for "any tenant", which run no policies.
  static let shared: Set<String> = ["common", "organizations", "consumers"]

  /// Returns `contoso` of `contoso.onmicrosoft.com`, in lower case; `nil` for a GUID or a custom domain.
  static func initialName(of tenant: String) -> String? {
    let tenant = tenant.lowercased()
    for domain in Cloud.all.map(\.tenantDomain) where tenant.hasSuffix("." + domain) {
      let name = tenant.dropLast(domain.count + 1)
      return name.isEmpty || name.contains(".") ? nil : String(name)
    }
    return nil
  }

  /// Returns the authority of `contoso.onmicrosoft.com` on the host that runs its policies.
  static func b2cHome(of tenant: String) -> String? {
    guard let name = initialName(of: tenant) else { return nil }
    let cloud = Cloud.all.first { tenant.lowercased().hasSuffix("." + $0.tenantDomain) }
    return cloud.map { "https://\(name).\($0.b2cDomain)/\(tenant)/" }
  }

  /// Returns whether a text can be a tenant: a domain name, a GUID or a single word.
  static func isValid(_ tenant: String) -> Bool {
    let labels = tenant.split(separator: ".", omittingEmptySubsequences: false)
    return tenant.utf8.count <= 253
      && labels.allSatisfy { label in
        !label.isEmpty && !label.hasPrefix("-") && !label.hasSuffix("-") && label.utf8.allSatisfy(isTenantByte)
      }
  }

  private static func isTenantByte(_ byte: UInt8) -> Bool {
    let character = Character(Unicode.Scalar(byte))
    return byte < 0x80 && (character.isLetter || character.isNumber || "-_".contains(character))
  }
}
