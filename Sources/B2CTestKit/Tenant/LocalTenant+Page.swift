internal import B2CCore
internal import B2CHTTP
internal import Foundation

/// The pages: shown with a token against forged posts, taken back, shown again with a word on what is wrong.
extension LocalTenant {
  /// Keeps a page and shows it for the first time.
  func open(_ page: LocalSignInPage, _ call: LocalTenantCall) -> TransportResponse {
    let id = RandomText.make(bytes: 16)
    state.withLock { $0.pages[id] = page }
    var response = show(page, id: id, alert: nil, email: nil, call)
    response.headers.append(
      name: "Set-Cookie", value: cookie(Self.pageCookie(id), page.csrf, call))
    return response
  }

  /// Takes a posted page.
  func continuePage(_ call: LocalTenantCall) -> TransportResponse {
    let id = call.form["tx"] ?? ""
    guard let kept = state.withLock({ $0.pages[id] }), call.form["csrf"] == kept.csrf,
      call.cookies[Self.pageCookie(id)] == kept.csrf
    else {
      return LocalHTML.response(
        LocalPage(title: "This page has expired", text: ["Go back to the app and sign in again."]), status: 400)
    }
    let page = kept.at(step: call.form["step"].flatMap { Int($0) })
    switch call.form["action"] {
    case "cancel":
      let refusal: LocalRefusal
      if case .identityProvider = page.stage { refusal = .identityProviderFailed } else { refusal = .cancelled }
      return close(id, redirect(refusing: refusal, page.request, call), call)
    case "forgot":
      return close(id, redirect(refusing: LocalRefusal.forgotPassword, page.request, call), call)
    case "signup": return turn(page, id: id, to: .signUp, call)
    case "other": return turn(page, id: id, to: .signIn(offersSignUp: kind(call) == .signUpOrSignIn), call)
    default: return take(page, id: id, call)
    }
  }

  static func pageCookie(_ id: String) -> String { "x-ms-cpim-trans-" + id.prefix(8) }

  private func take(_ page: LocalSignInPage, id: String, _ call: LocalTenantCall) -> TransportResponse {
    let outcome = state.withLock { $0.take(page, form: call.form) }
    switch outcome {
    case .refused(let alert):
      return show(page, id: id, alert: alert, email: call.form["email"], call)
    case .accepted(let userID, let isNewUser):
      if case .signIn = page.stage, kind(call) == .editProfile {
        return turn(page, id: id, to: .editProfile, userID: userID, call)
      }
      let session = LocalSession(userID: userID, authenticatedAt: authenticationTime(page, userID, call))
      let sessionID = RandomText.make()
      state.withLock { $0.sessions[sessionID] = session }
      var response = finish(page.request, session, isNewUser: isNewUser, call)
      response.headers.append(name: "Set-Cookie", value: cookie(Self.sessionCookie, sessionID, call))
      return close(id, response, call)
    }
  }

  /// A page that only builds on a session keeps the session's time.
  private func authenticationTime(_ page: LocalSignInPage, _ userID: String, _ call: LocalTenantCall) -> Date {
    guard page.stage == .chooseAccount || page.stage == .editProfile, let session = session(call),
      session.userID == userID
    else { return call.now }
    return session.authenticatedAt
  }

  private func turn(
    _ page: LocalSignInPage, id: String, to stage: LocalPageStage, userID: String? = nil, _ call: LocalTenantCall
  ) -> TransportResponse {
    var page = page
    page.earlier.append(LocalPageStep(stage: page.stage, userID: page.userID))
    page.stage = stage
    page.userID = userID
    state.withLock { $0.pages[id] = page }
    return show(page, id: id, alert: nil, email: call.form["email"], call)
  }

  private func close(_ id: String, _ response: TransportResponse, _ call: LocalTenantCall) -> TransportResponse {
    state.withLock { $0.pages[id] = nil }
    var response = response
    response.headers.append(
      name: "Set-Cookie", value: cookie(Self.pageCookie(id), "", call) + "; Max-Age=0")
    return response
  }

  private func show(
    _ page: LocalSignInPage, id: String, alert: String?, email: String?, _ call: LocalTenantCall
  ) -> TransportResponse {
    let user = page.userID.flatMap { id in state.withLock { $0.user(id: id) } }
    var shown = LocalPages.page(
      page.stage, email: email ?? user?.email ?? page.request.loginHint ?? "", displayName: user?.displayName ?? "")
    shown.alert = alert
    shown.formAction = call.url(shape == .openIDConnect ? "/authorize/page" : "/oauth2/v2.0/authorize/page")
    shown.hidden = [("tx", id), ("csrf", page.csrf), ("step", "\(page.earlier.count)")]
    return LocalHTML.response(shown)
  }

  private func cookie(_ name: String, _ value: String, _ call: LocalTenantCall) -> String {
    let secure = call.origin.hasPrefix("https:") ? "; Secure" : ""
    return "\(name)=\(value); Path=/; HttpOnly; SameSite=Lax" + secure
  }
}

/// The outcome of a posted page.
enum LocalPageOutcome: Sendable {
  case accepted(userID: String, isNewUser: Bool)
  case refused(alert: String)
}

extension LocalTenantState {
  /// Checks what was typed and changes the people accordingly.
  mutating func take(_ page: LocalSignInPage, form: [String: String]) -> LocalPageOutcome {
    let email = (form["email"] ?? "").trimmed
    let password = form["password"] ?? ""
    let name = (form["displayName"] ?? "").trimmed
    switch page.stage {
    case .signIn: return signIn(email, password)
    case .signUp: return signUp(email, password, name)
    case .resetPassword: return resetPassword(email, password)
    case .identityProvider(let provider): return comeFrom(provider, email, name)
    case .editProfile:
      guard let index = users.firstIndex(where: { $0.id == page.userID }) else { return .expired }
      guard !name.isEmpty else { return .refused(alert: "Enter a display name.") }
      users[index].displayName = name
      return .accepted(userID: users[index].id, isNewUser: false)
    case .chooseAccount:
      guard let id = page.userID, user(id: id) != nil else { return .expired }
      return .accepted(userID: id, isNewUser: false)
    }
  }

  private func signIn(_ email: String, _ password: String) -> LocalPageOutcome {
    guard !email.isEmpty, !password.isEmpty else { return .refused(alert: "Enter your email address and password.") }
    guard let user = user(email: email) else {
      return .refused(alert: "There is no account with this email address.")
    }
    guard !user.password.value.isEmpty, user.password.isEqualInConstantTime(to: Secret(password)) else {
      return .refused(alert: "Your password is incorrect.")
    }
    return .accepted(userID: user.id, isNewUser: false)
  }

  private mutating func signUp(_ email: String, _ password: String, _ name: String) -> LocalPageOutcome {
    guard email.contains("@") else { return .refused(alert: "Enter an email address.") }
    guard password.count >= 8 else { return .refused(alert: "The password needs at least 8 characters.") }
    guard !name.isEmpty else { return .refused(alert: "Enter a display name.") }
    guard user(email: email) == nil else {
      return .refused(alert: "An account with this email address exists already. Choose another one.")
    }
    let user = LocalUser(email: email, password: password, displayName: name)
    users.append(user)
    return .accepted(userID: user.id, isNewUser: true)
  }

  private mutating func resetPassword(_ email: String, _ password: String) -> LocalPageOutcome {
    guard let index = users.firstIndex(where: { $0.email.lowercased() == email.lowercased() }) else {
      return .refused(alert: "There is no account with this email address.")
    }
    guard password.count >= 8 else { return .refused(alert: "The password needs at least 8 characters.") }
    users[index].password = Secret(password)
    // A new password ends what was granted with the old one.
    for token in refreshTokens.values where token.grant.userID == users[index].id {
      revokedGrants.insert(token.grant.id)
    }
    return .accepted(userID: users[index].id, isNewUser: false)
  }

  private mutating func comeFrom(_ provider: String, _ email: String, _ name: String) -> LocalPageOutcome {
    guard email.contains("@") else { return .refused(alert: "Enter an email address.") }
    if let known = users.first(where: {
      $0.email.lowercased() == email.lowercased() && $0.identityProvider == provider
    }) {
      return .accepted(userID: known.id, isNewUser: false)
    }
    let user = LocalUser(
      email: email, password: "", displayName: name.isEmpty ? email : name, identityProvider: provider)
    users.append(user)
    return .accepted(userID: user.id, isNewUser: true)
  }
}

extension LocalPageOutcome {
  fileprivate static let expired = LocalPageOutcome.refused(alert: "This account is gone. Sign in again.")
}

extension String {
  fileprivate var trimmed: String {
    var text = Substring(self)
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
