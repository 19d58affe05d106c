internal import B2CCore

extension ScriptedPresenter {
  /// An action on a page.
  public struct Action: Sendable, CustomStringConvertible {
    let name: String
    /// The button to press; `nil` closes the browser.
    var button: String? = "continue"
    /// The texts to type, by the field's name.
    var fields: [String: String] = [:]
    /// The texts to type into fields that the page leaves empty.
    var suggestions: [String: String] = [:]
    /// The button that leads to the page the action is for, where another page comes first.
    var shortcut: String?

    /// The step, without the texts that are typed: a test's arguments go into logs.
    public var description: String { name }
  }
}

extension ScriptedPresenter.Action {
  /// Signs in.
  ///
  /// At the page of another identity provider, such as Facebook's, the email logs in.
  ///
  /// - Parameters:
  ///   - email: The email to type.
  ///   - password: The password to type.
  /// - Returns: The action.
  public static func signIn(email: String, password: String) -> Self {
    Self(name: "sign in", fields: ["email": email, "password": password])
  }

  /// Signs in as a person; at the page of another identity provider, such as Facebook's, with the display name too.
  ///
  /// - Parameter user: The person: one the tenant knows or, at another identity provider, anyone.
  /// - Returns: The action.
  public static func signIn(_ user: LocalUser) -> Self {
    var action = signIn(email: user.email, password: user.password.value)
    action.suggestions = ["displayName": user.displayName]
    return action
  }

  /// Signs up; on a sign-in page that offers it, presses "Sign up now" first.
  ///
  /// - Parameters:
  ///   - email: The email to type.
  ///   - password: The new password to type.
  ///   - displayName: The display name to type.
  /// - Returns: The action.
  public static func signUp(email: String, password: String, displayName: String) -> Self {
    let fields = ["email": email, "password": password, "displayName": displayName]
    return Self(name: "sign up", fields: fields, shortcut: "signup")
  }

  /// Changes the display name on the profile page.
  ///
  /// - Parameter displayName: The new name.
  /// - Returns: The action.
  public static func editProfile(displayName: String) -> Self {
    Self(name: "edit profile", fields: ["displayName": displayName])
  }

  /// Sets a new password.
  ///
  /// - Parameters:
  ///   - email: The email to type.
  ///   - newPassword: The new password to type.
  /// - Returns: The action.
  public static func resetPassword(email: String, newPassword: String) -> Self {
    Self(name: "reset password", fields: ["email": email, "password": newPassword])
  }

  /// Presses Cancel: AADB2C90091.
  public static let cancel = Self(name: "cancel", button: "cancel")
  /// Presses "Forgot your password?": AADB2C90118.
  public static let forgotPassword = Self(name: "forgot password", button: "forgot")
  /// Closes the browser without an answer.
  public static let closeBrowser = Self(name: "close the browser", button: nil)
}
