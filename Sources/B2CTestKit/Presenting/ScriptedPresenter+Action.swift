extension ScriptedPresenter {
  /// What the pretended person does on a page.
  public struct Action: Sendable {
    enum Move: Sendable {
      /// Fills the fields and presses the first button.
      case fill
      /// Presses a button and leaves the fields as they are.
      case press(String)
      /// Closes the browser.
      case close
    }

    let name: String
    let move: Move
    /// What to type, by the field's name.
    let fields: [String: String]
    /// The button that leads to the page the action is for, where another page comes first.
    var detour: String?

    init(_ name: String, _ move: Move, _ fields: [String: String] = [:], detour: String? = nil) {
      self.name = name
      self.move = move
      self.fields = fields
      self.detour = detour
    }
  }
}

extension ScriptedPresenter.Action {
  /// Signs in; on a page that offers a signed-in account, uses another one.
  ///
  /// - Parameters:
  ///   - email: The email to type.
  ///   - password: The password to type.
  /// - Returns: The action.
  public static func signIn(email: String, password: String) -> Self {
    Self("sign in", .fill, ["email": email, "password": password], detour: "other")
  }

  /// Signs in as a person the tenant knows.
  ///
  /// - Parameter user: The person.
  /// - Returns: The action.
  public static func signIn(_ user: LocalUser) -> Self {
    signIn(email: user.email, password: user.password.value)
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
    return Self("sign up", .fill, fields, detour: "signup")
  }

  /// Changes the display name on the profile page.
  ///
  /// - Parameter displayName: The new name.
  /// - Returns: The action.
  public static func editProfile(displayName: String) -> Self {
    Self("edit profile", .fill, ["displayName": displayName])
  }

  /// Sets a new password.
  ///
  /// - Parameters:
  ///   - email: The email to type.
  ///   - newPassword: The new password to type.
  /// - Returns: The action.
  public static func resetPassword(email: String, newPassword: String) -> Self {
    Self("reset password", .fill, ["email": email, "password": newPassword])
  }

  /// Logs in at the pretended page of another identity provider.
  ///
  /// - Parameters:
  ///   - email: The email to type.
  ///   - displayName: The display name to type.
  /// - Returns: The action.
  public static func identityProvider(email: String, displayName: String) -> Self {
    Self("log in elsewhere", .fill, ["email": email, "displayName": displayName])
  }

  /// Goes on as the account that is signed in.
  public static let continueAsSignedIn = Self("continue", .press("continue"))
  /// Presses Cancel: AADB2C90091.
  public static let cancel = Self("cancel", .press("cancel"))
  /// Presses "Forgot your password?": AADB2C90118.
  public static let forgotPassword = Self("forgot password", .press("forgot"))
  /// Closes the browser without an answer.
  public static let closeBrowser = Self("close the browser", .close)
}
