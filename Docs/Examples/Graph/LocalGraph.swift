import B2CTestKit
import Foundation

/// Microsoft Graph's `/v1.0/me`, as far as this example needs it.
struct LocalGraph: LocalService {
  /// The client ID of Microsoft Graph: the audience of its access tokens.
  static let clientID = "00000003-0000-0000-c000-000000000000"

  let tenant: LocalTenant

  func serves(_ url: URL) -> Bool { url.host == "graph.microsoft.com" }

  func answer(_ request: TransportRequest) async throws -> TransportResponse {
    let token = request.headers["Authorization"]?.dropFirst("Bearer ".count) ?? ""
    guard let user = tenant.user(accessToken: String(token), audiences: [Self.clientID]) else {
      return TransportResponse(status: 401, headers: ["WWW-Authenticate": #"Bearer error="invalid_token""#])
    }
    guard request.url.path == "/v1.0/me" else { return TransportResponse(status: 404) }
    let me = ["id": user.id, "displayName": user.displayName, "userPrincipalName": user.email, "mail": user.email]
    return TransportResponse(
      status: 200, headers: ["Content-Type": "application/json"], body: try JSONEncoder().encode(me))
  }
}
