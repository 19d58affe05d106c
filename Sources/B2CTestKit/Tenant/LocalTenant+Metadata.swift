internal import B2CCore
internal import B2CHTTP
internal import B2CIDToken
internal import Foundation

/// The metadata document (OpenID Connect Discovery 1.0 section 4) and the signing keys.
extension LocalTenant {
  func metadata(_ call: LocalTenantCall) -> LocalResponse {
    state.withLock { $0.counters.metadataRequests += 1 }
    let behavior = behavior
    func strings(_ texts: [String]) -> JSONValue { .array(texts.map(JSONValue.string)) }
    let isPlain = shape == .openIDConnect
    let scopes = ["openid", "profile", "email"] + (behavior.offersOfflineAccess ? ["offline_access"] : [])
    let published: [String: JSONValue?] = [
      "issuer": .string(metadataIssuer(call)),
      "response_types_supported": strings(["code"]),
      "scopes_supported": strings(shape == .b2c ? ["openid"] : scopes),
      "subject_types_supported": strings([isPlain ? "public" : "pairwise"]),
      "id_token_signing_alg_values_supported": strings([signingKeys.first?.algorithm.rawValue ?? "RS256"]),
      "code_challenge_methods_supported": isPlain ? strings(["S256"]) : nil,
      "grant_types_supported": isPlain ? strings(["authorization_code", "refresh_token", Self.deviceGrant]) : nil,
      "token_endpoint_auth_methods_supported": isPlain ? strings(["none"]) : nil,
      "authorization_response_iss_parameter_supported": isPlain ? true : nil,
    ]
    var fields = published.compactMapValues(\.self)
    for case (let path, (let name?, _)) in LocalTenantCall.endpoints(shape) {
      // Azure AD B2C writes the URLs in its metadata in lower case, however the policy is spelled in the settings.
      fields[name] = .string(shape == .b2c ? call.url(path).lowercased() : call.url(path))
    }
    behavior.changeMetadata?(&fields)
    return json(fields, call)
  }

  func keySet(_ call: LocalTenantCall) -> LocalResponse {
    state.withLock { $0.counters.keysRequests += 1 }
    var list = signingKeys.map(\.jwk)
    behavior.changeKeys?(&list)
    return json(["keys": .array(list.map(JSONValue.object))], call)
  }

  private func metadataIssuer(_ call: LocalTenantCall) -> String {
    let own = issuer(origin: call.origin)
    guard shape == .entra, ["/common", "/organizations"].contains(call.prefix.lowercased()) else { return own }
    return own.replacing(tenantID, with: "{tenantid}")
  }
}

/// The userinfo endpoint (OpenID Connect Core section 5.3).
extension LocalTenant {
  func userInfo(_ call: LocalTenantCall) -> LocalResponse {
    let token = call.request.bearerToken ?? ""
    guard let user = user(accessToken: token, audiences: [apiClientID, clientID]) else {
      let problem = token.isEmpty ? "" : " error=\"invalid_token\""
      return LocalResponse(status: 401, headers: ["WWW-Authenticate": "Bearer" + problem])
    }
    var fields: [String: JSONValue] = [
      "sub": .string(user.id), "name": .string(user.displayName), "email": .string(user.email),
    ]
    behavior.changeUserInfo?(&fields)
    return json(fields, call)
  }
}

/// The logout endpoint, which ends the browser's session (OpenID Connect RP-Initiated Logout 1.0).
extension LocalTenant {
  func logout(_ call: LocalTenantCall) -> LocalResponse {
    if let id = call.sessionID { state.withLock { $0.sessions[Secret(id)] = nil } }
    var response = LocalPage(title: "You are signed out", text: "You can close this page.").response(to: call.request)
    if let uri = call.query["post_logout_redirect_uri"] {
      // Without an `id_token_hint` the provider does not know the client, so it redirects to any URI.
      guard URL(string: uri)?.scheme != nil, call.query["id_token_hint"] == nil || isRegistered(uri) else {
        return refusalPage(LocalRefusal.unknownRedirectURI(uri), call)
      }
      response = redirect([], to: uri, call)
    }
    response.headers["Set-Cookie"] = "\(Self.sessionCookie)=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0"
    return response
  }
}
