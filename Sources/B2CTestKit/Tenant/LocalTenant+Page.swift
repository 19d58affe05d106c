internal import B2CCore
internal import B2CHTTP
internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// A page of a policy.
enum LocalStage: String, Sendable {
  case signIn, signUp, editProfile, resetPassword, identityProvider
}

/// The pages of the policies. The tenant keeps none of them: each posts to the URL of its own authorize request.
extension LocalTenant {
  /// Shows a page; `user` is the signed-in user, `alert` what was wrong with the last post of it.
  func show(
    _ stage: LocalStage, _ request: AuthorizeRequest, user: LocalUser?, alert: String? = nil, _ call: LocalTenantCall
  ) -> LocalResponse {
    var page = page(stage, request, user: user, call)
    page.alert = alert
    page.target = call.request.url?.absoluteString
    page.stage = stage.rawValue
    page.buttons.append(LocalPage.Button(action: "cancel", label: "Cancel"))
    return page.response(to: call.request)
  }

  private func page(
    _ stage: LocalStage, _ request: AuthorizeRequest, user: LocalUser?, _ call: LocalTenantCall
  ) -> LocalPage {
    let email = LocalPage.Field(
      name: "email", label: "Email address", type: "email", value: call.form["email"] ?? request.loginHint ?? "")
    let newPassword = LocalPage.Field(name: "password", label: "New password", type: "password")
    let name = LocalPage.Field(name: "displayName", label: "Display name", value: user?.displayName ?? "")
    func goOn(_ label: String) -> [LocalPage.Button] { [LocalPage.Button(action: "continue", label: label)] }
    switch stage {
    case .signIn:
      let password = LocalPage.Field(name: "password", label: "Password", type: "password")
      let forgot = LocalPage.Button(action: "forgot", label: "Forgot your password?")
      let signUp = LocalPage.Button(action: "signup", label: "Sign up now")
      return LocalPage(
        title: "Sign in", fields: [email, password],
        buttons: goOn("Sign in") + [forgot] + (kind(call) == .signUpOrSignIn ? [signUp] : []))
    case .signUp:
      return LocalPage(title: "Sign up", fields: [email, newPassword, name], buttons: goOn("Create"))
    case .editProfile: return LocalPage(title: "Edit profile", fields: [name], buttons: goOn("Save"))
    case .resetPassword:
      return LocalPage(
        title: "Reset password", text: "A real tenant would send a code to this address first.",
        fields: [email, newPassword], buttons: goOn("Set new password"))
    case .identityProvider:
      let provider = provider(request, call)
      return LocalPage(
        title: "Log in with \(provider)", text: "This page replaces \(provider)'s. Anyone may log in.",
        fields: [email, LocalPage.Field(name: "displayName", label: "Display name", isRequired: false)],
        buttons: goOn("Log in"))
    }
  }

  /// Takes a posted page.
  func take(_ request: AuthorizeRequest, _ call: LocalTenantCall) -> LocalResponse {
    let stage = LocalStage(rawValue: call.form["stage"] ?? "") ?? .signIn
    switch call.form["action"] {
    case "cancel":
      return redirect(
        refusing: stage == .identityProvider ? LocalRefusal.identityProviderFailed : .cancelled, request, call)
    case "forgot": return redirect(refusing: LocalRefusal.forgotPassword, request, call)
    case "signup": return show(.signUp, request, user: nil, call)
    default: break
    }
    let session = session(call)
    let provider = provider(request, call)
    let outcome = state.withLock { state in
      state.take(stage, form: call.form, provider: provider, signedInUser: session?.userID)
    }
    switch outcome {
    case .refused(let alert):
      return show(stage, request, user: session.flatMap { user(id: $0.userID) }, alert: alert, call)
    case .accepted(let userID, let isNewUser):
      // A page that only builds on a session keeps the session's time.
      if let session, stage == .editProfile {
        return finish(request, session, isNewUser: false, call)
      }
      let session = LocalSession(userID: userID, authenticatedAt: call.now)
      let id = RandomText.make()
      state.withLock { $0.sessions[id] = session }
      var response =
        stage == .signIn && kind(call) == .editProfile
        ? show(.editProfile, request, user: user(id: userID), call)
        : finish(request, session, isNewUser: isNewUser, call)
      let secure = call.origin.hasPrefix("https:") ? "; Secure" : ""
      response.headers["Set-Cookie"] = "\(Self.sessionCookie)=\(id); Path=/; HttpOnly; SameSite=Lax" + secure
      return response
    }
  }

  /// The identity provider that a policy or a domain hint leads to.
  private func provider(_ request: AuthorizeRequest, _ call: LocalTenantCall) -> String {
    if case .identityProvider(let name) = kind(call) { return name }
    return request.domainHint ?? ""
  }
}

/// The outcome of a posted page.
enum LocalPageOutcome: Sendable {
  case accepted(userID: String, isNewUser: Bool)
  case refused(alert: String)
}

extension LocalTenantState {
  /// Checks what was typed and changes the people accordingly.
  mutating func take(
    _ stage: LocalStage, form: [String: String], provider: String, signedInUser: String?
  ) -> LocalPageOutcome {
    let email = (form["email"] ?? "").trimmingCharacters(in: .whitespaces)
    let password = form["password"] ?? ""
    let name = (form["displayName"] ?? "").trimmingCharacters(in: .whitespaces)
    switch stage {
    case .signIn: return signIn(email, password)
    case .signUp: return signUp(email, password, name)
    case .resetPassword: return resetPassword(email, password)
    case .identityProvider: return comeFrom(provider, email, name)
    case .editProfile:
      guard let index = users.firstIndex(where: { $0.id == signedInUser }) else {
        return .refused(alert: "You are signed out. Go back to the app.")
      }
      users[index].displayName = name
      return .accepted(userID: users[index].id, isNewUser: false)
    }
  }

  func signIn(_ email: String, _ password: String) -> LocalPageOutcome {
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
