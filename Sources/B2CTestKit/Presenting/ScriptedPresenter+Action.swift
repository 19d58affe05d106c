internal import B2CCore

extension ScriptedPresenter {
  /// An action of the user on a page.
  public struct Action: Sendable, CustomStringConvertible {
    let name: String
    /// The button to press, or `nil` to close the browser.
    var button: String? = "continue"
    /// The texts to type, by the names of the fields.
    var fields: [String: String] = [:]
    /// The texts to type into fields that the page has left empty.
    var suggestions: [String: String] = [:]
    /// A button that leads to the page that this action is for, if another page is shown first.
    var shortcut: String?

    /// The name of the action, without the texts it types, because test frameworks print the arguments of a test.
    public var description: String { name }
  }
}

extension ScriptedPresenter.Action {
  /// Signs in.
  ///
  /// On the page of another identity provider, for example Facebook, it logs in there with the email address.
  ///
  /// - Parameters:
  ///   - email: The email address to type.
  ///   - password: The password to type.
  /// - Returns: The action.
  public static func signIn(email: String, password: String) -> Self {
    Self(name: "sign in", fields: ["email": email, "password": password])
  }

  /// Signs in as a user.
  ///
  /// On the page of another identity provider, for example Facebook, it also types the display name.
  ///
  /// - Parameter user: A user that the tenant knows. At another identity provider, it can be any user.
  /// - Returns: The action.
  public static func signIn(_ user: LocalUser) -> Self {
    var action = signIn(email: user.email, password: user.password.value)
    action.suggestions = ["displayName": user.displayName]
    return action
  }

  /// Signs up, after pressing "Sign up now" if the page is a sign-in page with that button.
  ///
  /// - Parameters:
  ///   - email: The email address to type.
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
  ///   - email: The email address to type.
  ///   - newPassword: The new password to type.
  /// - Returns: The action.
  public static func resetPassword(email: String, newPassword: String) -> Self {
    Self(name: "reset password", fields: ["email": email, "password": newPassword])
  }

  /// Presses Cancel, for which Azure AD B2C returns AADB2C90091.
  public static let cancel = Self(name: "cancel", button: "cancel")
  /// Presses "Forgot your password?", for which Azure AD B2C returns AADB2C90118.
  public static let forgotPassword = Self(name: "forgot password", button: "forgot")
  /// Closes the browser, so that no redirect arrives.
  public static let closeBrowser = Self(name: "close the browser", button: nil)
}
