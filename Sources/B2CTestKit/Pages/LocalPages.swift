/// What a page shows: a heading, words, fields, buttons.
///
/// ``LocalHTML`` makes HTML of it.
struct LocalPage: Sendable {
  struct Field: Sendable {
    let name: String
    let label: String
    var type = "text"
    var autocomplete = "off"
    var value = ""
    var isRequired = true
  }

  struct Button: Sendable {
    let action: String
    let label: String
    /// Whether it works with empty fields and is less prominent than the first.
    var isSecondary = true
  }

  var title: String
  var text: [String] = []
  var alert: String?
  var formAction: String?
  var hidden: [(name: String, value: String)] = []
  var fields: [Field] = []
  var buttons: [Button] = []
}

/// The pages of the policies.
enum LocalPages {
  static func page(_ stage: LocalPageStage, email: String, displayName: String) -> LocalPage {
    switch stage {
    case .signIn(let offersSignUp): signIn(email: email, offersSignUp: offersSignUp)
    case .signUp: signUp(email: email)
    case .chooseAccount: chooseAccount(email: email, displayName: displayName)
    case .editProfile: editProfile(displayName: displayName)
    case .resetPassword: resetPassword(email: email)
    case .identityProvider(let name): identityProvider(name, email: email)
    }
  }

  private static let cancel = LocalPage.Button(action: "cancel", label: "Cancel")

  private static func email(_ value: String) -> LocalPage.Field {
    LocalPage.Field(
      name: "email", label: "Email address", type: "email", autocomplete: "username", value: value)
  }

  private static func newPassword(_ label: String) -> LocalPage.Field {
    LocalPage.Field(name: "password", label: label, type: "password", autocomplete: "new-password")
  }

  private static func name(_ value: String) -> LocalPage.Field {
    LocalPage.Field(name: "displayName", label: "Display name", autocomplete: "name", value: value)
  }

  private static func signIn(email address: String, offersSignUp: Bool) -> LocalPage {
    var buttons = [
      LocalPage.Button(action: "continue", label: "Sign in", isSecondary: false),
      LocalPage.Button(action: "forgot", label: "Forgot your password?"),
    ]
    if offersSignUp { buttons.append(LocalPage.Button(action: "signup", label: "Sign up now")) }
    return LocalPage(
      title: "Sign in",
      fields: [
        email(address),
        LocalPage.Field(name: "password", label: "Password", type: "password", autocomplete: "current-password"),
      ],
      buttons: buttons + [cancel])
  }

  private static func signUp(email address: String) -> LocalPage {
    LocalPage(
      title: "Sign up", fields: [email(address), newPassword("New password"), name("")],
      buttons: [LocalPage.Button(action: "continue", label: "Create", isSecondary: false), cancel])
  }

  private static func chooseAccount(email: String, displayName: String) -> LocalPage {
    LocalPage(
      title: "Choose an account", text: ["\(displayName) (\(email)) is signed in."],
      buttons: [
        LocalPage.Button(action: "continue", label: "Continue as \(displayName)", isSecondary: false),
        LocalPage.Button(action: "other", label: "Use another account"), cancel,
      ])
  }

  private static func editProfile(displayName: String) -> LocalPage {
    LocalPage(
      title: "Edit profile", fields: [name(displayName)],
      buttons: [LocalPage.Button(action: "continue", label: "Save", isSecondary: false), cancel])
  }

  private static func resetPassword(email address: String) -> LocalPage {
    LocalPage(
      title: "Reset password", text: ["A real tenant would send a code to this address first."],
      fields: [email(address), newPassword("New password")],
      buttons: [LocalPage.Button(action: "continue", label: "Set new password", isSecondary: false), cancel])
  }

  private static func identityProvider(_ provider: String, email address: String) -> LocalPage {
    LocalPage(
      title: "Log in with \(provider)",
      text: ["This page replaces \(provider)'s. Any name may log in."],
      fields: [email(address), name("")],
      buttons: [LocalPage.Button(action: "continue", label: "Log in", isSecondary: false), cancel])
  }
}
