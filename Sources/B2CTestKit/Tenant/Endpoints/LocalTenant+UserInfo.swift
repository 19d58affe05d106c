internal import B2CCore
internal import B2CHTTP
internal import Foundation

/// The two APIs a provider offers itself: user info (OpenID Connect Core section 5.3) and a Graph-like `/v1.0/me`.
extension LocalTenant {
  func userInfo(_ call: LocalTenantCall) -> TransportResponse {
    let token = LocalBearer.token(in: call.request.headers) ?? ""
    guard case .success(let claims) = checkAccessToken(token, audiences: [apiClientID, clientID]),
      let user = state.withLock({ $0.user(id: claims["sub"]?.string ?? "") })
    else {
      let problem = token.isEmpty ? "" : " error=\"invalid_token\""
      return TransportResponse(status: 401, headers: ["WWW-Authenticate": "Bearer" + problem])
    }
    var members: [String: JSONValue] = [
      "sub": .string(user.id), "name": .string(user.displayName), "email": .string(user.email),
    ]
    behavior.changeUserInfo?(&members)
    return json(members, call)
  }

  func graphMe(_ call: LocalTenantCall) -> TransportResponse {
    state.withLock { $0.counters.graphRequests += 1 }
    guard let token = LocalBearer.token(in: call.request.headers) else {
      return graphRefusal("Access token is empty.", call)
    }
    switch checkAccessToken(token, audiences: [Self.graphClientID]) {
    case .failure(let problem): return graphRefusal("Access token validation failure. \(problem.rawValue).", call)
    case .success(let claims):
      guard let user = state.withLock({ $0.user(id: claims["oid"]?.string ?? "") }) else {
        return graphRefusal("The account does not exist.", call)
      }
      let names = user.displayName.split(separator: " ").map(String.init)
      return json(
        [
          "@odata.context": .string("\(call.origin)/v1.0/$metadata#users/$entity"), "id": .string(user.id),
          "displayName": .string(user.displayName), "userPrincipalName": .string(user.email),
          "mail": .string(user.email), "givenName": names.first.map(JSONValue.string) ?? .null,
          "surname": names.count > 1 ? names.last.map(JSONValue.string) ?? .null : .null,
          "jobTitle": .null, "mobilePhone": .null, "businessPhones": .array([]),
        ], call)
    }
  }

  private func graphRefusal(_ message: String, _ call: LocalTenantCall) -> TransportResponse {
    let inner: [String: JSONValue] = [
      "date": .string(LocalDates.timestamp(call.now).replacingOccurrences(of: " ", with: "T")),
      "request-id": .string(RandomText.guid()), "client-request-id": .string(call.correlationID),
    ]
    var response = json(
      [
        "error": .object([
          "code": .string("InvalidAuthenticationToken"), "message": .string(message), "innerError": .object(inner),
        ])
      ], call, status: 401)
    response.headers["WWW-Authenticate"] = "Bearer realm=\"\", error=\"invalid_token\""
    return response
  }
}
