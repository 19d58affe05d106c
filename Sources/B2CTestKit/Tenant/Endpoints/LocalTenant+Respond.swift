internal import B2CCore
internal import B2CHTTP
internal import Foundation

extension LocalTenant {
  /// The core: one request in, one answer out.
  func respond(to request: TransportRequest) -> TransportResponse {
    guard let route = LocalTenantRoute(request.url, in: self) else { return Self.notFound }
    let policy = policies.first { $0.id.lowercased() == route.policyID?.lowercased() }
    if shape == .b2c, policy == nil { return Self.notFound }
    let call = LocalTenantCall(request, route: route, policy: policy, now: now())
    guard route.endpoint.methods.contains(request.method) else {
      return TransportResponse(
        status: 405, headers: ["Allow": route.endpoint.methods.map(\.rawValue).joined(separator: ", ")])
    }
    switch route.endpoint {
    case .authorize: return authorize(call)
    case .page: return continuePage(call)
    case .token: return token(call)
    case .logout: return logout(call)
    case .metadata: return metadata(call)
    case .keys: return keySet(call)
    case .deviceCode: return shape == .b2c ? Self.notFound : deviceCode(call)
    case .devicePage: return shape == .b2c ? Self.notFound : devicePage(call)
    case .userInfo: return userInfo(call)
    case .graphMe: return graphMe(call)
    }
  }

  static let notFound = LocalHTML.response(
    LocalPage(title: "Not found", text: ["The resource you are looking for has been removed, or never was here."]),
    status: 404)
}

extension LocalTenantRoute.Endpoint {
  fileprivate var methods: [TransportRequest.Method] {
    switch self {
    case .page, .token, .deviceCode: [.post]
    case .devicePage: [.get, .head, .post]
    case .authorize, .logout, .metadata, .keys, .userInfo, .graphMe: [.get, .head]
    }
  }
}
