internal import B2CCore
internal import B2CHTTP
internal import B2CIDToken
internal import Foundation

/// Discovery (OpenID Connect Discovery 1.0 section 4) and the signing keys.
extension LocalTenant {
  func metadata(_ call: LocalTenantCall) -> LocalResponse {
    let behavior = state.withLock { state in
      state.counters.metadataRequests += 1
      return state.behavior
    }
    var fields: [String: JSONValue] = [
      "issuer": .string(metadataIssuer(call)),
      "response_types_supported": strings(["code"]),
      "scopes_supported": strings(shownScopes(behavior)),
      "subject_types_supported": strings([shape == .openIDConnect ? "public" : "pairwise"]),
      "id_token_signing_alg_values_supported": strings([signingKeys.first?.algorithm.rawValue ?? "RS256"]),
    ]
    for (name, path) in endpointPaths { fields[name] = .string(shownURL(path, call)) }
    if shape == .openIDConnect {
      fields["code_challenge_methods_supported"] = strings(["S256"])
      fields["grant_types_supported"] = strings(["authorization_code", "refresh_token", Self.deviceGrant])
      fields["token_endpoint_auth_methods_supported"] = strings(["none"])
      fields["authorization_response_iss_parameter_supported"] = .bool(true)
    }
    behavior.changeMetadata?(&fields)
    return json(fields, call)
  }

  func keySet(_ call: LocalTenantCall) -> LocalResponse {
    let (keys, behavior) = state.withLock { state in
      state.counters.keysRequests += 1
      return (state.keys, state.behavior)
    }
    var list = keys.map(\.jwk)
    behavior.changeKeys?(&list)
    return json(["keys": .array(list.map(JSONValue.object))], call)
  }

  private func shownScopes(_ behavior: Behavior) -> [String] {
    guard shape != .b2c else { return ["openid"] }
    return ["openid", "profile", "email"] + (behavior.offersOfflineAccess ? ["offline_access"] : [])
  }

  static let deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

  private var endpointPaths: [String: String] {
    guard shape != .openIDConnect else {
      return [
        "authorization_endpoint": "/authorize", "token_endpoint": "/token", "end_session_endpoint": "/logout",
        "jwks_uri": "/jwks", "userinfo_endpoint": "/userinfo",
        "device_authorization_endpoint": "/device_authorization", "revocation_endpoint": "/revoke",
      ]
    }
    var paths = [
      "authorization_endpoint": "/oauth2/v2.0/authorize", "token_endpoint": "/oauth2/v2.0/token",
      "end_session_endpoint": "/oauth2/v2.0/logout", "jwks_uri": "/discovery/v2.0/keys",
    ]
    if shape != .b2c { paths["device_authorization_endpoint"] = "/oauth2/v2.0/devicecode" }
    return paths
  }

  /// Azure AD B2C writes the URLs of its metadata in lower case.
  private func shownURL(_ path: String, _ call: LocalTenantCall) -> String {
    let url = call.url(path)
    return shape == .b2c ? url.lowercased() : url
  }

  private func metadataIssuer(_ call: LocalTenantCall) -> String {
    let own = issuer(origin: call.origin)
    let segment = call.route.prefix.split(separator: "/").last?.lowercased() ?? ""
    guard shape == .entra, ["common", "organizations"].contains(segment) else { return own }
    return own.replacingOccurrences(of: tenantID, with: "{tenantid}")
  }

  private func strings(_ texts: [String]) -> JSONValue { .array(texts.map(JSONValue.string)) }
}

/// The API that a provider offers itself: user info (OpenID Connect Core section 5.3).
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

/// The end of a browser session (OpenID Connect RP-Initiated Logout 1.0).
extension LocalTenant {
  func logout(_ call: LocalTenantCall) -> LocalResponse {
    if let id = call.sessionID { state.withLock { $0.sessions[id] = nil } }
    var response: LocalResponse
    if let uri = call.query["post_logout_redirect_uri"] {
      // With a hint the URI has to be registered; without one the service takes any.
      guard URL(string: uri)?.scheme != nil,
        call.query["id_token_hint"] == nil || isRegistered(uri, among: redirectURIs)
      else {
        return refusalPage(LocalRefusal.unknownRedirectURI(uri), call)
      }
      let pairs = call.query["state"].map { [(name: "state", value: $0)] } ?? []
      response = redirect(uri, pairs, call)
      if pairs.isEmpty { response.headers["Location"] = uri }
    } else {
      response = LocalPage(title: "You are signed out", text: "You can close this page.").response(to: call.request)
    }
    response.headers["Set-Cookie"] = "\(Self.sessionCookie)=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0"
    return response
  }
}
