internal import B2CCore
internal import B2CHTTP
internal import Foundation

/// The end of a browser session (OpenID Connect RP-Initiated Logout 1.0).
extension LocalTenant {
  func logout(_ call: LocalTenantCall) -> TransportResponse {
    let hint = call.query["id_token_hint"]
    state.withLock { state in
      state.counters.logoutRequests += 1
      if let id = call.cookies[Self.sessionCookie] { state.sessions[id] = nil }
    }
    if let hint, !isOwnIDToken(hint) {
      return LocalHTML.response(
        LocalPage(title: "Sorry, we cannot sign you out", text: ["The id_token_hint is none of this tenant's."]),
        status: 400)
    }
    var response: TransportResponse
    if let uri = call.query["post_logout_redirect_uri"] {
      // With a hint the URI has to be registered; without one the service takes any.
      guard hint == nil || redirectURIs.contains(uri), URL(string: uri)?.scheme != nil else {
        return refusalPage(LocalRefusal.unknownRedirectURI(uri), call)
      }
      let pairs = call.query["state"].map { [(name: "state", value: $0)] } ?? []
      response = redirect(uri, pairs, .query, call)
      if pairs.isEmpty { response.headers["Location"] = uri }
    } else {
      response = LocalHTML.response(LocalPage(title: "You are signed out", text: ["You can close this page."]))
    }
    response.headers.append(
      name: "Set-Cookie", value: "\(Self.sessionCookie)=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0")
    return response
  }

  /// Whether a token was signed by one of the published keys for this app; its age does not matter here.
  private func isOwnIDToken(_ token: String) -> Bool {
    guard let claims = LocalToken(token)?.claims, claims["aud"]?.string?.lowercased() == clientID.lowercased() else {
      return false
    }
    return signingKeys.contains { $0.verifies(token) }
  }
}
