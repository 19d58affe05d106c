import Foundation

/// The forms a tenant is written in.
enum TenantName {
  /// Entra ID's stand-ins for "any tenant"; policies have none of them.
  static let shared: Set<String> = ["common", "organizations", "consumers"]

  /// The tenant of all personal Microsoft accounts.
  static let consumers = "9188040d-6c67-4c5b-b112-36a304b66dad"

  /// Whether a tenant is written as its GUID.
  static func isGUID(_ tenant: some StringProtocol) -> Bool {
    let groups = tenant.split(separator: "-", omittingEmptySubsequences: false)
    return groups.map(\.utf8.count) == [8, 4, 4, 4, 12]
      && groups.allSatisfy { $0.unicodeScalars.allSatisfy(\.properties.isASCIIHexDigit) }
  }

  /// `contoso` of `contoso.onmicrosoft.com`, in lower case; `nil` for a GUID or a domain of the tenant's own.
  static func initialName(of tenant: String) -> String? {
    let tenant = tenant.lowercased()
    for domain in Cloud.all.map(\.tenantDomain) where tenant.hasSuffix("." + domain) {
      let name = tenant.dropLast(domain.count + 1)
      return name.isEmpty || name.contains(".") ? nil : String(name)
    }
    return nil
  }

  /// The authority of a tenant that is written as `contoso.onmicrosoft.com`, on the host where its policies run.
  static func b2cHome(of tenant: String) -> String? {
    guard let name = initialName(of: tenant) else { return nil }
    let cloud = Cloud.all.first { tenant.lowercased().hasSuffix("." + $0.tenantDomain) }
    return cloud?.b2cDomain.map { "https://\(name).\($0)/\(tenant)/" }
  }

  /// Whether a text can be a tenant at all: a domain name, a GUID or a single word.
  static func isValid(_ tenant: String) -> Bool {
    let labels = tenant.split(separator: ".", omittingEmptySubsequences: false)
    return tenant.utf8.count <= 253
      && labels.allSatisfy { label in
        !label.isEmpty && !label.hasPrefix("-") && !label.hasSuffix("-")
          && label.utf8.allSatisfy {
            PathSegment.isAlphanumeric($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
          }
      }
  }
}
