internal import B2CCore
internal import B2CHTTP
internal import Foundation

/// Discovery (OpenID Connect Discovery 1.0 section 4) and the signing keys.
extension LocalTenant {
  func metadata(_ call: LocalTenantCall) -> TransportResponse {
    let behavior = state.withLock { state in
      state.counters.metadataRequests += 1
      return state.behavior
    }
    var members: [String: JSONValue] = [
      "issuer": .string(metadataIssuer(call)),
      "response_types_supported": strings(["code"]),
      "response_modes_supported": strings(["query", "fragment", "form_post"]),
      "scopes_supported": strings(shownScopes(behavior)),
      "subject_types_supported": strings([shape == .openIDConnect ? "public" : "pairwise"]),
      "id_token_signing_alg_values_supported": strings([signingKeys.first?.algorithm.rawValue ?? "RS256"]),
      "claims_supported": strings(["sub", "iss", "aud", "exp", "iat", "auth_time", "nonce", "name"]),
    ]
    for (name, path) in endpointPaths { members[name] = .string(shownURL(path, call)) }
    if !behavior.offersUserInfo { members["userinfo_endpoint"] = nil }
    if shape == .openIDConnect {
      members["code_challenge_methods_supported"] = strings(["S256"])
      members["grant_types_supported"] = strings(["authorization_code", "refresh_token", Self.deviceGrant])
      members["token_endpoint_auth_methods_supported"] = strings(["none"])
      members["authorization_response_iss_parameter_supported"] = .bool(true)
    }
    behavior.changeMetadata?(&members)
    return publicJSON(members, call)
  }

  func keySet(_ call: LocalTenantCall) -> TransportResponse {
    let (keys, behavior) = state.withLock { state in
      state.counters.keysRequests += 1
      return (state.keys, state.behavior)
    }
    var list = keys.map(\.jwk)
    behavior.changeKeys?(&list)
    return publicJSON(["keys": .array(list.map(JSONValue.object))], call)
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
        "device_authorization_endpoint": "/device_authorization",
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

  private func publicJSON(_ members: [String: JSONValue], _ call: LocalTenantCall) -> TransportResponse {
    var response = json(members, call)
    response.headers["Cache-Control"] = "public, max-age=86400"
    return response
  }

  private func strings(_ texts: [String]) -> JSONValue { .array(texts.map(JSONValue.string)) }
}
