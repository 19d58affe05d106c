internal import B2CCore
internal import B2CHTTP
internal import B2COAuth
internal import Foundation

/// An authorize request that was found good (RFC 6749 section 4.1.1, RFC 7636 section 4.3, OpenID Connect Core 3.1.2.1).
struct AuthorizeRequest: Sendable {
  let clientID: String
  let redirectURI: String
  let scopes: [String]
  let state: String?
  let nonce: String?
  let codeChallenge: String
  let prompts: Set<String>
  let loginHint: String?
  let domainHint: String?
}

extension LocalTenant {
  private static let knownPrompts: Set<String> = ["none", "login", "consent", "select_account", "create"]

  /// Checks who asks and where the answer would go; until both are known nothing is redirected.
  func checkClient(_ query: [String: String]) throws -> (clientID: String, redirectURI: String) {
    let client = try checkClientID(query)
    guard let uri = query["redirect_uri"], isRegistered(uri, among: redirectURIs) else {
      throw LocalRefusal.unknownRedirectURI(query["redirect_uri"] ?? "")
    }
    return (client, uri)
  }

  func checkClientID(_ values: [String: String]) throws -> String {
    guard let client = values["client_id"], !client.isEmpty else { throw LocalRefusal.malformed("no client_id") }
    guard client.lowercased() == clientID.lowercased() else { throw LocalRefusal.unknownClient(client) }
    return client
  }

  /// Checks everything else; what is wrong here is told by redirect.
  func checkRequest(
    _ query: [String: String], clientID: String, redirectURI: String
  ) throws -> AuthorizeRequest {
    guard query["response_type"] == "code" else {
      throw LocalRefusal.malformed("response_type is not code", error: "unsupported_response_type")
    }
    guard ["query", nil].contains(query["response_mode"]) else {
      throw LocalRefusal.malformed("response_mode is not query")
    }
    let scopes = (query["scope"] ?? "").split(separator: " ").map(String.init)
    guard !scopes.isEmpty else { throw LocalRefusal.malformed("no scope") }
    // Entra ID lets the user consent to the scopes of several APIs at once; a token is for one of them.
    _ = try classify(scopes, allowsSeveralAPIs: shape == .entra || shape == .ciam)
    let prompts = Set((query["prompt"] ?? "").split(separator: " ").map(String.init))
    guard prompts.isSubset(of: Self.knownPrompts), !prompts.contains("none") || prompts.count == 1 else {
      throw LocalRefusal.malformed("an unknown prompt")
    }
    // RFC 7636 section 4.3: without a method the challenge is plain, and plain protects nothing.
    guard let challenge = query["code_challenge"], query["code_challenge_method"] == "S256",
      PKCE.isWellFormed(challenge), challenge.utf8.count == 43
    else { throw LocalRefusal.malformed("no code_challenge by S256") }
    return AuthorizeRequest(
      clientID: clientID, redirectURI: redirectURI, scopes: scopes, state: query["state"],
      nonce: query["nonce"], codeChallenge: challenge, prompts: prompts,
      loginHint: query["login_hint"], domainHint: query["domain_hint"])
  }

  func isRegistered(_ uri: String, among registered: [String]) -> Bool {
    if registered.contains(uri) { return true }
    // RFC 8252 section 7.3 lets a native app choose its loopback port. Azure AD B2C documents that for the registration
    // `http://localhost` alone: a port in the registration is compared.
    guard let plain = LoopbackRedirect.withoutPort(uri) else { return false }
    if shape == .b2c { return plain == "http://localhost" && registered.contains(plain) }
    return registered.contains { LoopbackRedirect.withoutPort($0) == plain }
  }
}

/// The authorize endpoint: who asks is checked, then a page is shown or, with a session, a code given at once.
extension LocalTenant {
  static let sessionCookie = "x-ms-cpim-sso"

  func authorize(_ call: LocalTenantCall) -> LocalResponse {
    let client: (clientID: String, redirectURI: String)
    do {
      client = try checkClient(call.query)
    } catch {
      return refusalPage(error, call)
    }
    let request: AuthorizeRequest
    do {
      request = try checkRequest(call.query, clientID: client.clientID, redirectURI: client.redirectURI)
    } catch {
      return redirect(refusing: error, uri: client.redirectURI, state: call.query["state"], call)
    }
    if call.request.method == "POST" { return take(request, call) }
    let session = session(call)
    guard !request.prompts.contains("none"), let stage = firstStage(request, session, call) else {
      guard let session else { return redirect(refusing: LocalRefusal.noSession, request, call) }
      return finish(request, session, isNewUser: false, call)
    }
    return show(stage, request, user: session.flatMap { user(id: $0.userID) }, call)
  }

  /// The person whose session the browser's cookie names.
  func session(_ call: LocalTenantCall) -> LocalSession? {
    guard let id = call.sessionID else { return nil }
    return state.withLock { state in
      state.sessions[id].flatMap { state.user(id: $0.userID) == nil ? nil : $0 }
    }
  }

  /// The kind of policy that a call runs; shapes without policies have a fixed one.
  func kind(_ call: LocalTenantCall) -> LocalPolicy.Kind {
    call.policy?.kind ?? (shape == .entra ? .signIn : .signUpOrSignIn)
  }

  /// The page to begin with, or `nil` when the session is enough.
  private func firstStage(
    _ request: AuthorizeRequest, _ session: LocalSession?, _ call: LocalTenantCall
  ) -> LocalStage? {
    // The tenant has no list of accounts: it lets the user sign in again.
    let mustSignIn = session == nil || !request.prompts.isDisjoint(with: ["login", "select_account"])
    if request.prompts.contains("create") { return .signUp }
    switch kind(call) {
    case .signUp: return .signUp
    case .resetPassword: return .resetPassword
    case .editProfile: return mustSignIn ? .signIn : .editProfile
    case .identityProvider(let name):
      let user = session.flatMap { session in state.withLock { $0.user(id: session.userID) } }
      return mustSignIn || user?.identityProvider != name ? .identityProvider : nil
    case .signIn, .signUpOrSignIn:
      if mustSignIn, let name = request.domainHint, providers.contains(name) { return .identityProvider }
      return mustSignIn ? .signIn : nil
    }
  }

  private var providers: Set<String> {
    Set(
      policies.compactMap { policy in
        if case .identityProvider(let name) = policy.kind { name } else { nil }
      })
  }
}

/// The ways back to the app (RFC 6749 section 4.1.2).
extension LocalTenant {
  /// Issues a code for a user.
  func finish(
    _ request: AuthorizeRequest, _ session: LocalSession, isNewUser: Bool, _ call: LocalTenantCall
  ) -> LocalResponse {
    let code = RandomText.make()
    let grant = LocalGrant(
      id: RandomText.guid(), userID: session.userID, clientID: request.clientID, policyID: call.policy?.id,
      scopes: request.scopes, authenticatedAt: session.authenticatedAt, isNewUser: isNewUser)
    state.withLock { $0.codes[code] = IssuedCode(grant: grant, request: request, issuedAt: call.now) }
    var pairs = request.state.map { [("state", $0)] } ?? []
    pairs.append(("code", code))
    if shape == .entra || shape == .ciam { pairs.append(("session_state", RandomText.guid())) }
    if shape == .openIDConnect { pairs.append(("iss", issuer(origin: call.origin))) }
    var response = redirect(request.redirectURI, pairs, call)
    if case .identityProvider("facebook.com")? = call.policy?.kind {
      // Facebook's own mark, which survives on the way to the app.
      response.headers["Location"] = response.headers["Location"].map { $0 + "#_=_" }
    }
    return response
  }

  /// Tells a refusal to the app.
  func redirect(
    refusing error: any Error, _ request: AuthorizeRequest, _ call: LocalTenantCall
  ) -> LocalResponse {
    redirect(refusing: error, uri: request.redirectURI, state: request.state, call)
  }

  /// Tells a refusal to the app, for a request that is not whole.
  func redirect(
    refusing error: any Error, uri: String, state requestState: String?, _ call: LocalTenantCall
  ) -> LocalResponse {
    guard let refusal = error as? LocalRefusal else { return refusalPage(error, call) }
    var pairs = [("error", refusal.error), ("error_description", describe(refusal, call))]
    if let requestState { pairs.append(("state", requestState)) }
    if shape == .openIDConnect { pairs.append(("iss", issuer(origin: call.origin))) }
    return redirect(uri, pairs, call)
  }

  /// Shows a refusal in the page, for when there is nowhere to redirect to.
  func refusalPage(_ error: any Error, _ call: LocalTenantCall) -> LocalResponse {
    let refusal = error as? LocalRefusal
    let lines = refusal.map { describe($0, call).split(whereSeparator: \.isNewline).joined(separator: " ") }
    return LocalPage(title: "Sorry, we cannot sign you in", text: lines ?? "Something went wrong.")
      .response(to: call.request, status: 400)
  }

  func redirect(
    _ uri: String, _ pairs: [(name: String, value: String)], _ call: LocalTenantCall
  ) -> LocalResponse {
    // `+` for spaces, as the service writes them.
    let text = FormEncoding.encode(pairs).replacingOccurrences(of: "%20", with: "+")
    return LocalResponse(
      status: 302,
      headers: [
        "Location": uri + (uri.contains("?") ? "&" : "?") + text, "Cache-Control": "no-store",
        "client-request-id": call.correlationID,
      ])
  }
}

/// Redirect URIs to this machine, whose port may differ.
enum LoopbackRedirect {
  /// The URI without its port, or `nil` when it is no http URI to this machine.
  static func withoutPort(_ text: String) -> String? {
    guard var components = URLComponents(string: text), components.scheme == "http",
      let host = components.host, Loopback.isLoopback(host: host)
    else { return nil }
    components.port = nil
    return components.string
  }
}
