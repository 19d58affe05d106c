internal import B2CCore
internal import B2CHTTP
public import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// Which endpoint a path means, and for which policy.
struct LocalTenantRoute: Sendable {
  enum Endpoint: Sendable {
    case authorize, token, logout, metadata, keys, deviceCode, devicePage, userInfo, revoke
  }

  let endpoint: Endpoint
  /// The path up to the tenant or policy, as the request has it, without a slash at its end.
  let prefix: String
  /// The policy's id as the request has it.
  let policyID: String?
  /// Whether the policy is in the query.
  let isQueryForm: Bool
}

extension LocalTenantRoute {
  private static let microsoftEndpoints: [String: Endpoint] = [
    "oauth2/v2.0/authorize": .authorize, "oauth2/v2.0/token": .token,
    "oauth2/v2.0/logout": .logout, "v2.0/.well-known/openid-configuration": .metadata,
    "discovery/v2.0/keys": .keys, "oauth2/v2.0/devicecode": .deviceCode, "oauth2/deviceauth": .devicePage,
  ]

  private static let plainEndpoints: [String: Endpoint] = [
    "authorize": .authorize, "token": .token, "logout": .logout,
    ".well-known/openid-configuration": .metadata, "jwks": .keys, "device_authorization": .deviceCode,
    "device": .devicePage, "userinfo": .userInfo, "revoke": .revoke,
  ]

  init?(_ url: URL, in tenant: LocalTenant) {
    var segments = url.path.split(separator: "/").map(String.init)
    var prefix: [String] = []
    let queryPolicyID = tenant.shape == .b2c ? LocalForm.pairs(query: url)["p"] : nil
    if tenant.shape != .openIDConnect {
      if tenant.shape == .b2c, ["tfp", "te"].contains(segments.first?.lowercased()) {
        prefix.append(segments.removeFirst())
      }
      guard let name = segments.first, tenant.tenantSegments.contains(name.lowercased()) else { return nil }
      prefix.append(segments.removeFirst())
      if tenant.shape == .b2c, queryPolicyID == nil, !segments.isEmpty { prefix.append(segments.removeFirst()) }
    }
    let endpoints = tenant.shape == .openIDConnect ? Self.plainEndpoints : Self.microsoftEndpoints
    guard let endpoint = endpoints[segments.joined(separator: "/").lowercased()] else { return nil }
    self.endpoint = endpoint
    self.prefix = prefix.map { "/" + $0 }.joined()
    isQueryForm = queryPolicyID != nil
    policyID = tenant.shape == .b2c ? queryPolicyID ?? prefix.last : nil
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

/// A request with everything read from it that endpoints ask for.
struct LocalTenantCall: Sendable {
  let request: URLRequest
  let route: LocalTenantRoute
  let policy: LocalPolicy?
  let origin: String
  let query: [String: String]
  let form: [String: String]
  /// The browser's session, as its cookie names it.
  let sessionID: String?
  let correlationID: String
  let now: Date

  init(_ request: URLRequest, route: LocalTenantRoute, policy: LocalPolicy?, now: Date) {
    self.request = request
    self.route = route
    self.policy = policy
    self.now = now
    origin = LocalOrigin.text(request.url)
    query = LocalForm.pairs(query: request.url)
    form = LocalForm.pairs(request.httpBody)
    let cookie = LocalTenant.sessionCookie + "="
    sessionID = (request.value(forHTTPHeaderField: "Cookie") ?? "").components(separatedBy: "; ")
      .first { $0.hasPrefix(cookie) }.map { String($0.dropFirst(cookie.count)) }
    let wished = request.value(forHTTPHeaderField: "client-request-id") ?? query["client-request-id"] ?? ""
    correlationID = UUID(uuidString: wished).map { $0.uuidString.lowercased() } ?? RandomText.guid()
  }

  /// The URL of another endpoint of the same policy, in the form of the request's own.
  func url(_ path: String) -> String {
    let query = route.isQueryForm ? "?p=" + (route.policyID ?? "") : ""
    return origin + route.prefix + path + query
  }
}

extension LocalTenant {
  /// The core: one request in, one answer out.
  func respond(to request: URLRequest) -> LocalResponse {
    guard let url = request.url, let route = LocalTenantRoute(url, in: self) else { return Self.notFound(request) }
    let policy = policies.first { $0.id.lowercased() == route.policyID?.lowercased() }
    if shape == .b2c, policy == nil { return Self.notFound(request) }
    let call = LocalTenantCall(request, route: route, policy: policy, now: now())
    switch route.endpoint {
    case .authorize: return authorize(call)
    case .token: return token(call)
    case .logout: return logout(call)
    case .metadata: return metadata(call)
    case .keys: return keySet(call)
    case .deviceCode: return shape == .b2c ? Self.notFound(request) : deviceCode(call)
    case .devicePage: return shape == .b2c ? Self.notFound(request) : devicePage(call)
    case .userInfo: return userInfo(call)
    case .revoke: return revoke(call)
    }
  }

  static func notFound(_ request: URLRequest) -> LocalResponse {
    LocalPage(title: "Not found", text: "The resource you are looking for has been removed, or never was here.")
      .response(to: request, status: 404)
  }
}

/// Where the tenant is, and how settings name it.
extension LocalTenant {
  /// The place of a policy in an authority.
  public enum AuthorityForm: Sendable, Hashable, CaseIterable {
    /// `<origin>/<domain>/`, the policy in the query as `?p=`: the tutorial's form.
    case query
    /// `<origin>/<domain>/<policy>`.
    case path
    /// `<origin>/tfp/<domain>/<policy>`.
    case tfp
  }

  /// The origin for requests in memory, such as `https://contoso.b2clogin.com`.
  public var inMemoryOrigin: URL { LocalURL.make("https://" + inMemoryHosts[0]) }

  /// The origin over loopback HTTP while the tenant is started, else ``inMemoryOrigin``.
  public var origin: URL { front.url ?? inMemoryOrigin }

  /// The text that settings have as `authority`.
  ///
  /// - Parameters:
  ///   - form: The place of the policy; only Azure AD B2C has policies.
  ///   - policy: The policy for the path and tfp forms; without it the text ends at the tenant.
  /// - Returns: The authority at ``origin``.
  public func authority(form: AuthorityForm = .query, policy: LocalPolicy? = nil) -> String {
    let base = LocalOrigin.text(origin)
    switch (shape, form) {
    case (.openIDConnect, _): return base
    case (.entra, _), (.ciam, _): return "\(base)/\(domain)"
    case (.b2c, .query): return "\(base)/\(domain)/"
    case (.b2c, .path): return "\(base)/\(domain)" + (policy.map { "/" + $0.id } ?? "")
    case (.b2c, .tfp): return "\(base)/tfp/\(domain)" + (policy.map { "/" + $0.id } ?? "")
    }
  }

  /// The issuer of tokens that were asked for at ``origin``.
  public var issuer: String { issuer(origin: LocalOrigin.text(origin)) }

  /// Every issuer the tenant's tokens may have, on either front.
  public var issuers: Set<String> {
    let fronts = [inMemoryOrigin, origin].map { issuer(origin: LocalOrigin.text($0)) }
    return Set(fronts)
  }

  /// Whether a request is meant for this tenant, by scheme, host and port.
  ///
  /// - Parameter url: Where the request goes.
  /// - Returns: Whether the tenant answers for that origin.
  public func serves(_ url: URL) -> Bool {
    let text = LocalOrigin.text(url)
    if text == LocalOrigin.text(origin) { return true }
    return inMemoryHosts.contains { text == "https://" + $0 }
  }

  func issuer(origin: String) -> String {
    switch shape {
    case .b2c: return "\(origin)/\(tenantID)/v2.0/"
    case .entra: return "\(origin)/\(tenantID)/v2.0"
    case .ciam:
      // The service names this host whichever it was asked on, a custom URL domain too.
      let isOwn = customDomain != nil || inMemoryHosts.contains { origin == "https://" + $0 }
      return (isOwn ? "https://\(tenantID).ciamlogin.com" : origin) + "/\(tenantID)/v2.0"
    case .openIDConnect: return origin
    }
  }

  private var inMemoryHosts: [String] {
    let name = tenantName.lowercased()
    switch shape {
    case .b2c: return [customDomain, name + ".b2clogin.com"].compactMap(\.self)
    case .entra: return ["login.microsoftonline.com"]
    case .ciam: return [customDomain, name + ".ciamlogin.com", tenantID + ".ciamlogin.com"].compactMap(\.self)
    case .openIDConnect: return [name + ".example"]
    }
  }
}
