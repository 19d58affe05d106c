internal import B2CCore
internal import B2CHTTP
internal import Foundation

/// The bearer check (RFC 6750 section 3).
extension LocalTaskServer {
  struct Refusal: Error {
    let response: TransportResponse
  }

  func authorize(_ request: TransportRequest) -> Result<[String: JSONValue], Refusal> {
    guard let token = LocalBearer.token(in: request.headers) else {
      return .failure(Refusal(response: unauthorized("")))
    }
    switch tenant.checkAccessToken(token, audiences: audiences) {
    case .failure(let problem):
      let parameters = ", error=\"invalid_token\", error_description=\"\(problem.rawValue)\""
      return .failure(Refusal(response: unauthorized(parameters)))
    case .success(let claims):
      let scopes = Set((claims["scp"]?.string ?? "").split(separator: " ").map(String.init))
      guard requiredScopes.isSubset(of: scopes) else {
        return .failure(Refusal(response: insufficientScope))
      }
      return .success(claims)
    }
  }

  private func unauthorized(_ parameters: String) -> TransportResponse {
    TransportResponse(
      status: 401,
      headers: ["WWW-Authenticate": "Bearer realm=\"Users\"" + parameters, "Content-Type": "text/plain"],
      body: Data("Unauthorized".utf8))
  }

  private var insufficientScope: TransportResponse {
    let scopes = requiredScopes.sorted().joined(separator: " ")
    let challenge = "Bearer realm=\"Users\", error=\"insufficient_scope\", scope=\"\(scopes)\""
    return TransportResponse(
      status: 403, headers: ["WWW-Authenticate": challenge, "Content-Type": "text/plain"],
      body: Data("Forbidden".utf8))
  }
}
