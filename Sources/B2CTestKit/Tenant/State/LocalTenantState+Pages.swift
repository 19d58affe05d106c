internal import B2CCore

/// What becomes of a posted page.
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
