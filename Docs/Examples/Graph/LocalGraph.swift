import B2CTestKit
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Microsoft Graph's `/v1.0/me`, as far as this example needs it.
struct LocalGraph: LocalService {
  /// The client ID of Microsoft Graph: the audience of its access tokens.
  static let clientID = "00000003-0000-0000-c000-000000000000"

  let tenant: LocalTenant

  func serves(_ url: URL) -> Bool { url.host == "graph.microsoft.com" }

  func answer(_ request: URLRequest) async throws -> LocalResponse {
    let token = request.value(forHTTPHeaderField: "Authorization")?.dropFirst("Bearer ".count) ?? ""
    guard let user = tenant.user(accessToken: String(token), audiences: [Self.clientID]) else {
      return LocalResponse(status: 401, headers: ["WWW-Authenticate": #"Bearer error="invalid_token""#])
    }
    guard request.url?.path == "/v1.0/me" else { return LocalResponse(status: 404) }
    let me = ["id": user.id, "displayName": user.displayName, "userPrincipalName": user.email, "mail": user.email]
    return LocalResponse(
      status: 200, headers: ["Content-Type": "application/json"], body: try JSONEncoder().encode(me))
  }
}
