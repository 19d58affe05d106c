internal import B2CCore
internal import B2CHTTP
internal import Foundation

/// The content of a page: a heading, words, fields, buttons.
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

/// Pages as HTML: readable without a script, in light and dark, on any width, with labels for every field.
enum LocalHTML {
  static func response(_ page: LocalPage, status: Int = 200) -> TransportResponse {
    TransportResponse(
      status: status,
      headers: [
        "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store", "X-Frame-Options": "DENY",
        "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
        "Content-Security-Policy":
          "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
      ],
      body: Data(text(page).utf8))
  }

  static func text(_ page: LocalPage) -> String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>\(HTMLText.escape(page.title))</title>
    <style>
    \(LocalStyle.sheet)
    </style>
    </head>
    <body>
    <main>
    <h1>\(HTMLText.escape(page.title))</h1>
    \(body(page))
    </main>
    <footer>A local tenant for tests. Nothing typed here leaves this machine.</footer>
    </body>
    </html>

    """
  }

  private static func body(_ page: LocalPage) -> String {
    var lines = page.text.map { "<p>\(HTMLText.escape($0))</p>" }
    if let alert = page.alert.map(HTMLText.escape) {
      lines.append("<p class=\"alert\" role=\"alert\" id=\"alert\">\(alert)</p>")
    }
    guard let action = page.formAction else { return lines.joined(separator: "\n") }
    lines.append("<form method=\"post\" action=\"\(HTMLText.escape(action))\">")
    lines += page.hidden.map {
      "<input type=\"hidden\" name=\"\(HTMLText.escape($0.name))\" value=\"\(HTMLText.escape($0.value))\">"
    }
    lines += page.fields.map { field($0, hasAlert: page.alert != nil) }
    lines.append("<div class=\"buttons\">")
    lines += page.buttons.map { button in
      let extra = button.isSecondary ? " class=\"secondary\" formnovalidate" : ""
      // A button without an action only posts the hidden fields.
      let name = button.action.isEmpty ? "" : " name=\"action\" value=\"\(HTMLText.escape(button.action))\""
      return "<button type=\"submit\"\(name)\(extra)>\(HTMLText.escape(button.label))</button>"
    }
    lines += ["</div>", "</form>"]
    return lines.joined(separator: "\n")
  }

  private static func field(_ field: LocalPage.Field, hasAlert: Bool) -> String {
    let name = HTMLText.escape(field.name)
    let required = field.isRequired ? " required" : ""
    let described = hasAlert ? " aria-describedby=\"alert\"" : ""
    return "<label for=\"\(name)\">\(HTMLText.escape(field.label))</label>\n"
      + "<input id=\"\(name)\" name=\"\(name)\" type=\"\(HTMLText.escape(field.type))\" "
      + "value=\"\(HTMLText.escape(field.value))\" autocomplete=\"\(HTMLText.escape(field.autocomplete))\" spellcheck=\"false\" autocapitalize=\"none\""
      + "\(required)\(described)>"
  }
}

/// The one stylesheet of the pages.
enum LocalStyle {
  static let sheet = """
    :root { color-scheme: light dark; --ink: #1b1b1f; --paper: #ffffff; --ground: #eef1f6; --line: #76777f;
      --accent: #1a56c4; --on-accent: #ffffff; --alert: #a4001c; }
    @media (prefers-color-scheme: dark) {
      :root { --ink: #e6e6ea; --paper: #1e1f24; --ground: #121317; --line: #8e909a; --accent: #9dbcff;
        --on-accent: #0a1f4d; --alert: #ffb3b8; }
    }
    * { box-sizing: border-box; }
    body { margin: 0; min-height: 100vh; padding: 1rem; display: flex; flex-direction: column; align-items: center;
      justify-content: center; background: var(--ground); color: var(--ink);
      font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
    main { width: 100%; max-width: 26rem; padding: 2rem; background: var(--paper); border-radius: 0.75rem;
      box-shadow: 0 1px 8px rgb(0 0 0 / 0.15); overflow-wrap: anywhere; }
    h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.25; }
    label { display: block; margin-top: 1rem; font-weight: 600; }
    input { width: 100%; margin-top: 0.25rem; padding: 0.625rem 0.75rem; font: inherit; color: inherit;
      background: transparent; border: 1px solid var(--line); border-radius: 0.5rem; }
    .buttons { display: flex; flex-direction: column; gap: 0.25rem; margin-top: 1.5rem; }
    button { padding: 0.75rem; font: inherit; font-weight: 600; color: var(--on-accent); background: var(--accent);
      border: 1px solid var(--accent); border-radius: 0.5rem; cursor: pointer; }
    button:hover { filter: brightness(0.94); }
    button.secondary { color: var(--accent); background: transparent; border-color: transparent; }
    button.secondary:hover { border-color: currentColor; }
    :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
    button:first-child { margin-bottom: 0.5rem; }
    .alert { padding: 0.75rem; color: var(--alert); border: 1px solid currentColor; border-radius: 0.5rem; }
    footer { max-width: 26rem; margin-top: 1rem; font-size: 0.875rem; text-align: center; text-wrap: balance;
      opacity: 0.8; }
    """
}
