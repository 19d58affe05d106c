internal import B2CCore
internal import B2CHTTP
internal import Foundation

/// The authorize endpoint: who asks is checked, then a page is shown or, with a session, a code given at once.
extension LocalTenant {
  static let sessionCookie = "x-ms-cpim-sso"

  func authorize(_ call: LocalTenantCall) -> TransportResponse {
    state.withLock { $0.counters.authorizeRequests += 1 }
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
    let session = session(call)
    if request.prompts.contains("none") {
      guard let session else { return redirect(refusing: LocalRefusal.noSession, request, call) }
      return finish(request, session, isNewUser: false, call)
    }
    guard let stage = firstStage(request, session, call) else {
      guard let session else { return redirect(refusing: LocalRefusal.noSession, request, call) }
      return finish(request, session, isNewUser: false, call)
    }
    let needsUser = stage == .editProfile || stage == .chooseAccount
    return open(
      LocalSignInPage(
        request: request, csrf: RandomText.make(), stage: stage, userID: needsUser ? session?.userID : nil), call)
  }

  /// The person whose session the browser's cookie names.
  func session(_ call: LocalTenantCall) -> LocalSession? {
    guard let id = call.cookies[Self.sessionCookie] else { return nil }
    return state.withLock { state in
      state.sessions[id].flatMap { state.user(id: $0.userID) == nil ? nil : $0 }
    }
  }

  /// The kind of policy that a call runs; shapes without policies have one of their own.
  func kind(_ call: LocalTenantCall) -> LocalPolicy.Kind {
    call.policy?.kind ?? (shape == .entra ? .signIn : .signUpOrSignIn)
  }

  /// The page to begin with, or `nil` when the session is enough.
  private func firstStage(
    _ request: AuthorizeRequest, _ session: LocalSession?, _ call: LocalTenantCall
  ) -> LocalPageStage? {
    let mustSignIn = request.prompts.contains("login") || session == nil
    let kind = kind(call)
    if request.prompts.contains("create") { return .signUp }
    switch kind {
    case .signUp: return .signUp
    case .resetPassword: return .resetPassword
    case .editProfile: return mustSignIn ? .signIn(offersSignUp: false) : .editProfile
    case .identityProvider(let name):
      let user = session.flatMap { session in state.withLock { $0.user(id: session.userID) } }
      return mustSignIn || user?.identityProvider != name ? .identityProvider(name) : nil
    case .signIn, .signUpOrSignIn:
      if mustSignIn, let name = request.domainHint, providers.contains(name) { return .identityProvider(name) }
      if mustSignIn { return .signIn(offersSignUp: kind == .signUpOrSignIn) }
      return request.prompts.contains("select_account") ? .chooseAccount : nil
    }
  }

  private var providers: Set<String> {
    Set(
      policies.compactMap { policy in
        if case .identityProvider(let name) = policy.kind { name } else { nil }
      })
  }
}
