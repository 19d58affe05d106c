internal import B2CAuthority
internal import B2CCore
internal import B2CHTTP
internal import B2COAuth
internal import Foundation

/// The authorization endpoint, which checks the client and then shows a page or, with a session, issues a code.
extension LocalTenant {
  static let sessionCookie = "x-ms-cpim-sso"

  func authorize(_ call: LocalTenantCall) -> LocalResponse {
    do {
      try checkClient(call.query)
      let redirectURI = call.query["redirect_uri"] ?? ""
      guard isRegistered(redirectURI) else { throw LocalRefusal.unknownRedirectURI(redirectURI) }
    } catch {
      // As long as client and redirect URI are not both known, a redirect could send the user to an attacker's page.
      return refusalPage(error, call)
    }
    do {
      try checkRequest(call)
      if call.request.method == "POST" { return try take(call) }
      let session = session(call)
      guard !call.prompts.contains("none"), let stage = firstStage(session, call) else {
        guard let session else { throw LocalRefusal.noSession(isB2C: shape == .b2c) }
        return finish(session, isNewUser: false, call)
      }
      return show(stage, user: session?.user, call)
    } catch {
      guard let refusal = error as? LocalRefusal else { return refusalPage(error, call) }
      return redirect([("error", refusal.error), ("error_description", describe(refusal, call))], call)
    }
  }

  func checkClient(_ values: [String: String]) throws {
    guard let client = values["client_id"], !client.isEmpty else { throw LocalRefusal.malformed("no client_id") }
    guard ASCIIText.isSameIgnoringCase(client, clientID) else { throw LocalRefusal.unknownClient(client) }
  }

  func isRegistered(_ uri: String) -> Bool {
    let registered = redirectURIs
    if registered.contains(where: { ASCIIText.isSame($0, uri) }) { return true }
    // RFC 8252 section 7.3 lets a native app choose its loopback port. Azure AD B2C documents that only for an app that
    // registered `http://localhost` without a port. If the registration has a port, it must match.
    guard let plain = Self.withoutLoopbackPort(uri) else { return false }
    if shape == .b2c { return plain == "http://localhost" && registered.contains(plain) }
    return registered.contains { Self.withoutLoopbackPort($0) == plain }
  }

  /// Returns a redirect URI of this machine without its port, or `nil` for any other URI.
  private static func withoutLoopbackPort(_ text: String) -> String? {
    guard var parts = URLComponents(string: text), parts.scheme == "http", Loopback.isLoopback(host: parts.host ?? "")
    else { return nil }
    parts.port = nil
    return parts.string
  }

  /// Checks the rest of an authorization request (RFC 6749 section 4.1.1, RFC 7636 section 4.3, OpenID Connect Core
  /// section 3.1.2.1).
  ///
  /// The app learns about these mistakes by a redirect, because its client ID and redirect URI are known by now.
  private func checkRequest(_ call: LocalTenantCall) throws {
    let (query, prompts) = (call.query, call.prompts)
    guard query["response_type"] == "code" else {
      throw LocalRefusal.malformed("response_type is not code", error: "unsupported_response_type")
    }
    guard ["query", nil].contains(query["response_mode"]) else {
      throw LocalRefusal.malformed("response_mode is not query")
    }
    let scopes = LocalTenantCall.scopes(query)
    guard !scopes.isEmpty else { throw LocalRefusal.malformed("no scope") }
    // Entra ID lets the user consent to the scopes of several APIs in one sign-in, although a token is for one API.
    _ = try classify(scopes, allowsSeveralAPIs: isEntra)
    guard prompts.isSubset(of: ["none", "login", "consent", "select_account", "create"]),
      !prompts.contains("none") || prompts.count == 1
    else { throw LocalRefusal.malformed("an unknown prompt") }
    // Without a method, the challenge is the verifier itself (RFC 7636 section 4.3), which protects nothing.
    guard let challenge = query["code_challenge"], query["code_challenge_method"] == "S256",
      PKCE.isWellFormed(challenge), challenge.utf8.count == 43
    else { throw LocalRefusal.malformed("no code_challenge by S256") }
  }

  /// Returns the session that the browser's cookie names, with its user and its begin.
  func session(_ call: LocalTenantCall) -> LocalSession? {
    state.withLock { state in
      guard let id = call.sessionID, let session = state.sessions[Secret(id)] else { return nil }
      return state.user(id: session.userID).map { (user: $0, since: session.since) }
    }
  }

  /// Returns the kind of policy that a call runs, which is fixed for providers without policies.
  func kind(_ call: LocalTenantCall) -> Policy.Kind {
    call.policy?.kind ?? (shape == .entra ? .signIn : .signUpOrSignIn)
  }

  /// Returns the first page to show, or `nil` if the browser's session is enough.
  private func firstStage(_ session: LocalSession?, _ call: LocalTenantCall) -> LocalStage? {
    // The real page for `select_account` lists accounts. This tenant shows the sign-in page instead.
    let mustSignIn = session == nil || !call.prompts.isDisjoint(with: ["login", "select_account"])
    if call.prompts.contains("create") { return .signUp }
    switch kind(call) {
    case .signUp: return .signUp
    case .passwordReset: return .resetPassword
    case .profileEdit: return mustSignIn ? .signIn : .editProfile
    case .federatedSignIn:
      return mustSignIn || session?.user.identityProvider != provider(call) ? .identityProvider : nil
    case .signIn, .signUpOrSignIn:
      guard mustSignIn else { return nil }
      let hint = call.query["domain_hint"]
      let isHinted = policies.contains { $0.kind == .federatedSignIn && $0.identityProvider == hint }
      return isHinted ? .identityProvider : .signIn
    }
  }

  /// Issues a code for a user.
  func finish(_ session: LocalSession, isNewUser: Bool, _ call: LocalTenantCall) -> LocalResponse {
    let code = RandomText.make()
    let grant = LocalGrant(
      userID: session.user.id, policyID: call.policy?.id, scopes: LocalTenantCall.scopes(call.query),
      authenticatedAt: session.since, request: call.query, isNewUser: isNewUser)
    // An authorization code expires after ten minutes.
    let end = call.now.addingTimeInterval(600)
    state.withLock { $0.codes[Secret(code)] = IssuedGrant(grant: grant, expiresAt: end) }
    var response = redirect([("code", code)] + (isEntra ? [("session_state", RandomText.guid())] : []), call)
    // Facebook appends this fragment to its redirects, and it reaches the app, which must ignore it.
    if kind(call) == .federatedSignIn, provider(call) == "facebook.com" { response.headers["Location"]? += "#_=_" }
    return response
  }

  /// Redirects the browser to the app (RFC 6749 section 4.1.2) or to another URI, with the request's `state`.
  func redirect(_ answer: [(name: String, value: String)], to other: String? = nil, _ call: LocalTenantCall)
    -> LocalResponse
  {
    let uri = other ?? call.query["redirect_uri"] ?? ""
    let issuer = other == nil && shape == .openIDConnect ? [(name: "iss", value: issuer(origin: call.origin))] : []
    let pairs = (call.query["state"].map { [(name: "state", value: $0)] } ?? []) + answer + issuer
    // Azure AD B2C writes spaces as `+`, which an app must be able to read.
    let text = FormEncoding.encode(pairs).replacing("%20", with: "+")
    let mark = pairs.isEmpty ? "" : uri.contains("?") ? "&" : "?"
    return LocalResponse(
      status: 302,
      headers: ["Location": uri + mark + text, "Cache-Control": "no-store", "client-request-id": call.correlationID])
  }

  /// Shows a refusal on a page, if the tenant must not redirect.
  func refusalPage(_ error: any Error, _ call: LocalTenantCall) -> LocalResponse {
    let text = (error as? LocalRefusal).map { describe($0, call).replacing("\r\n", with: " ") }
    return LocalPage(title: "Sorry, we cannot sign you in", alert: text ?? "Something went wrong.")
      .response(to: call.request, status: 400)
  }
}
