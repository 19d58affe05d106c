internal import Foundation

/// Which endpoint a path means, and for which policy.
struct LocalTenantRoute: Sendable {
  enum Endpoint: Sendable {
    case authorize, page, token, logout, metadata, keys, deviceCode, devicePage, userInfo, graphMe
  }

  let endpoint: Endpoint
  /// The path up to the tenant or policy, as the request has it, without a slash at its end.
  let prefix: String
  /// The policy's id as the request has it.
  let policyID: String?
  /// Whether the policy stands in the query.
  let isQueryForm: Bool
}

extension LocalTenantRoute {
  private static let microsoftEndpoints: [String: Endpoint] = [
    "oauth2/v2.0/authorize": .authorize, "oauth2/v2.0/authorize/page": .page, "oauth2/v2.0/token": .token,
    "oauth2/v2.0/logout": .logout, "v2.0/.well-known/openid-configuration": .metadata,
    "discovery/v2.0/keys": .keys, "oauth2/v2.0/devicecode": .deviceCode, "oauth2/deviceauth": .devicePage,
  ]

  private static let plainEndpoints: [String: Endpoint] = [
    "authorize": .authorize, "authorize/page": .page, "token": .token, "logout": .logout,
    ".well-known/openid-configuration": .metadata, "jwks": .keys, "device_authorization": .deviceCode,
    "device": .devicePage, "userinfo": .userInfo,
  ]

  init?(_ url: URL, in tenant: LocalTenant) {
    var segments = url.path.split(separator: "/").map(String.init)
    if tenant.shape == .openIDConnect {
      guard let endpoint = Self.plainEndpoints[segments.joined(separator: "/")] else { return nil }
      self.init(endpoint: endpoint, prefix: "", policyID: nil, isQueryForm: false)
      return
    }
    if tenant.shape == .entra, segments.map({ $0.lowercased() }) == ["v1.0", "me"] {
      self.init(endpoint: .graphMe, prefix: "", policyID: nil, isQueryForm: false)
      return
    }
    var prefix: [String] = []
    if tenant.shape == .b2c, ["tfp", "te"].contains(segments.first?.lowercased()) {
      prefix.append(segments.removeFirst())
    }
    guard let name = segments.first, tenant.tenantSegments.contains(name.lowercased()) else { return nil }
    prefix.append(segments.removeFirst())
    if let endpoint = Self.microsoftEndpoints[segments.joined(separator: "/").lowercased()] {
      let policyID = tenant.shape == .b2c ? LocalForm.pairs(query: url)["p"] : nil
      self.init(
        endpoint: endpoint, prefix: "/" + prefix.joined(separator: "/"), policyID: policyID,
        isQueryForm: policyID != nil)
      return
    }
    guard tenant.shape == .b2c, let policyID = segments.first,
      let endpoint = Self.microsoftEndpoints[segments.dropFirst().joined(separator: "/").lowercased()]
    else { return nil }
    prefix.append(policyID)
    self.init(
      endpoint: endpoint, prefix: "/" + prefix.joined(separator: "/"), policyID: policyID, isQueryForm: false)
  }
}

extension LocalTenant {
  /// The ways to write the tenant in a path, in lower case.
  var tenantSegments: Set<String> {
    let own: Set = [domain.lowercased(), tenantID]
    return shape == .entra ? own.union(["common", "organizations", "consumers"]) : own
  }

  var domain: String { tenantName + ".onmicrosoft.com" }
}
