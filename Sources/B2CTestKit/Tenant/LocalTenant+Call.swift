internal import B2CCore
internal import B2CHTTP
internal import Foundation

/// A request to an endpoint of a tenant, with the values that endpoints read from it.
struct LocalTenantCall: Sendable {
  /// The name of an endpoint in the metadata, if it is listed there, and the function that responds to its requests.
  typealias Endpoint = (name: String?, answer: @Sendable (LocalTenant) -> (LocalTenantCall) -> LocalResponse)

  /// Returns the endpoints of a shape by their paths.
  static func endpoints(_ shape: LocalTenant.Shape) -> [String: Endpoint] {
    let isPlain = shape == .openIDConnect
    let base = isPlain ? "" : "/oauth2/v2.0"
    var all: [String: Endpoint] = [
      base + "/authorize": ("authorization_endpoint", LocalTenant.authorize),
      base + "/token": ("token_endpoint", LocalTenant.token),
      base + "/logout": ("end_session_endpoint", LocalTenant.logout),
      isPlain ? "/jwks" : "/discovery/v2.0/keys": ("jwks_uri", LocalTenant.keySet),
      (isPlain ? "" : "/v2.0") + "/.well-known/openid-configuration": (nil, LocalTenant.metadata),
    ]
    if shape != .b2c {
      let deviceCode = base + (isPlain ? "/device_authorization" : "/devicecode")
      all[deviceCode] = ("device_authorization_endpoint", LocalTenant.deviceCode)
      all[devicePage(shape)] = (nil, LocalTenant.devicePage)
    }
    if isPlain {
      all["/userinfo"] = ("userinfo_endpoint", LocalTenant.userInfo)
      all["/revoke"] = ("revocation_endpoint", LocalTenant.revoke)
    }
    return all
  }

  /// Returns the path of the page on which a user enters the code of a device.
  static func devicePage(_ shape: LocalTenant.Shape) -> String {
    shape == .openIDConnect ? "/device" : "/oauth2/deviceauth"
  }

  let request: URLRequest
  let endpoint: Endpoint
  let policy: LocalPolicy?
  let origin: String
  /// The part of the request's path that names the tenant and policy, without a slash at its end.
  let prefix: String
  let query: [String: String]
  let form: [String: String]
  /// The id of the browser's session, from its cookie.
  let sessionID: String?
  let correlationID: String
  let now: Date

  /// Reads a request, or returns `nil` if its URL is not an endpoint of the tenant.
  init?(_ request: URLRequest, to tenant: LocalTenant) {
    self.request = request
    now = tenant.now()
    origin = LocalURL.origin(request.url)
    query = request.queryValues
    form = request.formValues
    let isB2C = tenant.shape == .b2c
    let segments = request.path.split(separator: "/").map(String.init)
    var taken = 0
    if tenant.shape != .openIDConnect {
      if isB2C, ["tfp", "te"].contains(segments.first?.lowercased()) { taken = 1 }
      guard segments.count > taken, tenant.names.contains(ASCIIText.lowercased(segments[taken])) else { return nil }
      taken += isB2C && query["p"] == nil && segments.count > taken + 1 ? 2 : 1
    }
    prefix = segments.prefix(taken).map { "/" + $0 }.joined()
    let policyID = isB2C ? query["p"] ?? segments[taken - 1] : nil
    policy = policyID.flatMap { id in tenant.policies.first { ASCIIText.isSameIgnoringCase($0.id, id) } }
    let path = segments.dropFirst(taken).map { "/" + $0.lowercased() }.joined()
    guard let endpoint = Self.endpoints(tenant.shape)[path], !isB2C || policy != nil else { return nil }
    self.endpoint = endpoint
    let cookie = LocalTenant.sessionCookie + "="
    sessionID = (request.value(forHTTPHeaderField: "Cookie") ?? "").split(separator: "; ")
      .first { $0.hasPrefix(cookie) }.map { String($0.dropFirst(cookie.count)) }
    let wished = request.value(forHTTPHeaderField: "client-request-id") ?? query["client-request-id"] ?? ""
    correlationID = UUID(uuidString: wished).map { $0.uuidString.lowercased() } ?? RandomText.guid()
  }

  /// Returns the URL of another endpoint of the same policy, with the policy in the path or query as in this request.
  func url(_ path: String) -> String {
    origin + prefix + path + (policy == nil ? "" : query["p"].map { "?p=" + FormEncoding.escape($0) } ?? "")
  }

  /// Whether the client authenticates (RFC 6749 section 2.3.1, RFC 7523 section 2.2), which a public client cannot do.
  var hasClientSecret: Bool {
    (form["client_secret"] ?? form["client_assertion"] ?? request.value(forHTTPHeaderField: "Authorization")) != nil
  }

  /// Whether this is a request to the token endpoint for a refresh.
  var isRefresh: Bool { form["grant_type"] == "refresh_token" }

  var prompts: Set<String> { Set((query["prompt"] ?? "").split(separator: " ").map(String.init)) }

  /// Returns the scopes in a query or form, or none if it has no `scope`.
  static func scopes(_ values: [String: String]) -> [String] {
    (values["scope"] ?? "").split(separator: " ").map(String.init)
  }
}

extension LocalTenant {
  /// Returns the response to a request, without recording the request or applying faults.
  func respond(to request: URLRequest) -> LocalResponse {
    guard let call = LocalTenantCall(request, to: self) else {
      return LocalPage(title: "Not found", alert: "The tenant has no page here.").response(to: request, status: 404)
    }
    return call.endpoint.answer(self)(call)
  }

  /// Whether the tenant imitates Entra ID or External ID.
  var isEntra: Bool { shape == .entra || shape == .ciam }
}
