internal import B2CCore
internal import B2CHTTP
internal import Foundation

/// A page of a policy.
enum LocalStage: String, Sendable {
  case signIn, signUp, editProfile, resetPassword, identityProvider
}

/// The pages of the policies. The tenant keeps no state between them, because each page posts to the URL of its own
/// authorization request.
extension LocalTenant {
  /// Shows a page to the `user` who is signed in, with an `alert` if its last post was refused.
  func show(_ stage: LocalStage, user: LocalUser?, alert: String? = nil, _ call: LocalTenantCall) -> LocalResponse {
    let email = LocalPage.Field.email(call.form["email"] ?? call.query["login_hint"])
    let name = LocalPage.Field(name: "displayName", label: "Display name", value: user?.displayName ?? "")
    let freeName = LocalPage.Field(name: "displayName", label: "Display name", isRequired: false)
    let provider = provider(call)
    let (title, fields, goOn): (String, [LocalPage.Field], String) =
      switch stage {
      case .signIn: ("Sign in", [email, .password("Password")], "Sign in")
      case .signUp: ("Sign up", [email, .password("New password"), name], "Create")
      case .editProfile: ("Edit profile", [name], "Save")
      case .resetPassword: ("Reset password", [email, .password("New password")], "Set new password")
      case .identityProvider: ("Log in with \(provider)", [email, freeName], "Log in")
      }
    let texts: [LocalStage: String] = [
      .resetPassword: "A real tenant would send a code to this address first.",
      .identityProvider: "This page replaces \(provider)'s. Anyone may log in.",
    ]
    var buttons = [LocalPage.Button(action: "continue", label: goOn)]
    if stage == .signIn {
      buttons.append(.init(action: "forgot", label: "Forgot your password?"))
      if kind(call) == .signUpOrSignIn { buttons.append(.init(action: "signup", label: "Sign up now")) }
    }
    buttons.append(.init(action: "cancel", label: "Cancel"))
    return LocalPage(
      title: title, text: texts[stage], alert: alert, target: call.request.url?.absoluteString, stage: stage.rawValue,
      fields: fields, buttons: buttons
    ).response(to: call.request)
  }

  /// Handles a posted page.
  func take(_ call: LocalTenantCall) throws -> LocalResponse {
    let stage = LocalStage(rawValue: call.form["stage"] ?? "") ?? .signIn
    switch call.form["action"] {
    case "cancel": throw stage == .identityProvider ? LocalRefusal.identityProviderFailed : .cancelled
    case "forgot": throw LocalRefusal.forgotPassword
    case "signup": return show(.signUp, user: nil, call)
    default: break
    }
    let session = session(call)
    let (user, isNewUser): (LocalUser, Bool)
    do {
      (user, isNewUser) = try state.withLock {
        try $0.take(stage, call.form, provider: provider(call), signedIn: session?.user.id)
      }
    } catch let alert as LocalAlert {
      return show(stage, user: session?.user, alert: alert.text, call)
    }
    // Editing the profile does not authenticate the user again, so the session keeps its `auth_time`.
    if let session, stage == .editProfile { return finish(session, isNewUser: false, call) }
    let id = RandomText.make()
    state.withLock { $0.sessions[Secret(id)] = (user.id, call.now) }
    let leadsOn = stage == .signIn && kind(call) == .profileEdit
    var response = leadsOn ? show(.editProfile, user: user, call) : finish((user, call.now), isNewUser: isNewUser, call)
    let secure = call.origin.hasPrefix("https:") ? "; Secure" : ""
    response.headers["Set-Cookie"] = "\(Self.sessionCookie)=\(id); Path=/; HttpOnly; SameSite=Lax" + secure
    return response
  }

  /// Returns the identity provider that the policy or the `domain_hint` leads to, or an empty text.
  func provider(_ call: LocalTenantCall) -> String {
    (kind(call) == .federatedSignIn ? call.policy?.identityProvider : call.query["domain_hint"]) ?? ""
  }
}

/// The reason why a page is shown again.
struct LocalAlert: Error {
  let text: String

  fileprivate static let unknownEmail = LocalAlert(text: "There is no account with this email address.")
}

extension LocalTenantState {
  /// Checks the typed values, changes the users accordingly, and returns the user and whether the user is new.
  fileprivate mutating func take(
    _ stage: LocalStage, _ form: [String: String], provider: String, signedIn: String?
  ) throws -> (user: LocalUser, isNew: Bool) {
    let email = (form["email"] ?? "").trimmingCharacters(in: .whitespaces)
    let password = form["password"] ?? ""
    let name = (form["displayName"] ?? "").trimmingCharacters(in: .whitespaces)
    if stage == .signUp || stage == .resetPassword {
      guard email.contains("@") else { throw LocalAlert(text: "Enter an email address.") }
      guard password.count >= 8 else { throw LocalAlert(text: "The password needs at least 8 characters.") }
    }
    let newcomer: LocalUser
    switch stage {
    case .signIn: return (try signIn(form), false)
    case .signUp:
      guard user(email: email) == nil else {
        throw LocalAlert(text: "An account with this email address exists already. Choose another one.")
      }
      newcomer = LocalUser(email: email, password: password, displayName: name)
    case .editProfile:
      guard let index = users.firstIndex(where: { $0.id == signedIn }) else {
        throw LocalAlert(text: "You are signed out. Go back to the app.")
      }
      users[index].displayName = name
      return (users[index], false)
    case .resetPassword:
      guard let index = users.firstIndex(where: { ASCIIText.isSameIgnoringCase($0.email, email) }) else {
        throw LocalAlert.unknownEmail
      }
      users[index].password = Secret(password)
      // As at the real provider, tokens that were granted with the old password end here.
      revokeGrants(of: users[index].id)
      return (users[index], false)
    case .identityProvider:
      let known = users.first { ASCIIText.isSameIgnoringCase($0.email, email) && $0.identityProvider == provider }
      if let known { return (known, false) }
      newcomer = LocalUser(
        email: email, password: "", displayName: name.isEmpty ? email : name, identityProvider: provider)
    }
    users.append(newcomer)
    return (newcomer, true)
  }

  /// Returns the user with an email address and password.
  func signIn(_ form: [String: String]) throws -> LocalUser {
    guard let user = user(email: (form["email"] ?? "").trimmingCharacters(in: .whitespaces)) else {
      throw LocalAlert.unknownEmail
    }
    guard !user.password.value.isEmpty, user.password.value == form["password"] else {
      throw LocalAlert(text: "Your password is incorrect.")
    }
    return user
  }

  /// Revokes all grants of a user, or of all users for `nil`.
  mutating func revokeGrants(of userID: String?) {
    for token in refreshTokens.values where userID == nil || token.grant.userID == userID {
      revokedGrants.insert(token.grant.id)
    }
  }
}
