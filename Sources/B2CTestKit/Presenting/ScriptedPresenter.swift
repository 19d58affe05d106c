internal import B2CCore
public import B2CHTTP
public import B2COAuth
public import Foundation

/// A scripted person with a browser: loads the real pages, fills the real forms, follows the redirects.
///
/// Each page takes one action of the script; the last action is used for every page after it, so a script of one sign-in
/// serves any number of sign-ins. The browser keeps its cookies from one sign-in to the next, unless the app asks for an
/// ephemeral session.
///
/// ```swift
/// let presenter = ScriptedPresenter(transport: network, .signIn(.alice))
/// let retries = ScriptedPresenter(transport: network, .signIn(email: "…", password: "wrong"), .signIn(.alice))
/// ```
public final class ScriptedPresenter: SignInPresenter {
  private struct State {
    var script: [Action]
    var cookies = CookieJar()
    var steps: [String] = []
    var requests: [PresentationRequest] = []
  }

  private let transport: any HTTPTransport
  private let onStep: (@Sendable (String) -> Void)?
  private let state: Locked<State>

  /// Makes a scripted person.
  ///
  /// - Parameters:
  ///   - transport: What the browser reaches the pages by: a ``LocalNetwork``, or a transport over real HTTP.
  ///   - script: What the person does, an action for each page; the last is repeated.
  ///   - onStep: Called with each step as it happens, secrets left out.
  public init(
    transport: any HTTPTransport, _ script: Action..., onStep: (@Sendable (String) -> Void)? = nil
  ) {
    self.transport = transport
    self.onStep = onStep
    state = Locked(State(script: script))
  }

  /// Puts a new script in place of what is left of the old one.
  ///
  /// - Parameter script: What the person does, an action for each page; the last is repeated.
  public func follow(_ script: Action...) { state.withLock { $0.script = script } }

  /// Forgets the browser's cookies.
  public func clearCookies() { state.withLock { $0.cookies = CookieJar() } }

  /// The steps so far, a line for each, secrets left out.
  public var steps: [String] { state.withLock { $0.steps } }

  /// The presentation requests so far.
  public var requests: [PresentationRequest] { state.withLock { $0.requests } }

  /// Goes from the page to the redirect.
  ///
  /// An answer that comes as a posted form is given back as a query, as a listener on the redirect's port would.
  ///
  /// - Parameter request: The page to show and the redirect to wait for.
  /// - Returns: The callback URL.
  /// - Throws: An error with code `presentationFailed` and the page's text for an error page of the service and for
  ///   a script that does not fit the pages; `userClosedBrowser` when the script says so, or for a page that ends without
  ///   redirect and without error, as after a sign-out; otherwise the transport's error.
  public func present(_ request: PresentationRequest) async throws -> URL {
    state.withLock { $0.requests.append(request) }
    var browser = ScriptedBrowser(
      transport: transport, redirectURI: request.redirectURI,
      cookies: request.prefersEphemeralSession ? CookieJar() : state.withLock { $0.cookies },
      note: { self.note($0) })
    defer {
      if !request.prefersEphemeralSession {
        let cookies = browser.cookies
        state.withLock { $0.cookies = cookies }
      }
    }
    var stop = try await browser.open(request.url)
    var last: (title: String, isRepeated: Bool)?
    for _ in 0..<Self.mostPages {
      switch stop {
      case .callback(let url): return url
      case .page(let form, let url, let status):
        guard form.isPresent, status < 400 else { throw Self.ending(form, status) }
        // The last action led back to its own page, which says why.
        if let alert = form.alert, last?.title == form.title, last?.isRepeated == true {
          throw OAuthError(.presentationFailed, "The page '\(form.title)' says: " + ErrorText.sentence(alert))
        }
        let (action, isRepeated) = try nextAction(for: form)
        last = (form.title, isRepeated)
        stop = try await browser.act(action, on: form, at: url)
      }
    }
    throw OAuthError(
      .presentationFailed, "No redirect after \(Self.mostPages) pages: the script's last action repeats.",
      recoverySuggestion: "Add an action for the page '\(last?.title ?? "")'.")
  }

  /// The end of a sign-in at a page without a form: as at a real service, whose error pages never redirect.
  private static func ending(_ page: HTMLForm, _ status: Int) -> OAuthError {
    guard status >= 400 else {
      return OAuthError(.userClosedBrowser, "The page '\(page.title)' has no form; the browser was closed.")
    }
    let text = ([page.alert].compactMap(\.self) + page.paragraphs).joined(separator: " ")
    return OAuthError(
      .presentationFailed,
      "The page '\(page.title)' (status \(status)) shows an error: "
        + ErrorText.sentence(String(text.prefix(500))),
      recoverySuggestion: "Compare the client ID, redirect URI and policy with those of the tenant.")
  }

  private static let mostPages = 20

  /// The action for a page, and whether it is the last, which is used again for the next page.
  private func nextAction(for form: HTMLForm) throws -> (action: Action, isRepeated: Bool) {
    let next = state.withLock { state -> (Action, Bool)? in
      guard let action = state.script.first else { return nil }
      // Another page comes first; the action stays for the page that it is for.
      if action.takesDetour(on: form) { return (action, false) }
      guard state.script.count > 1 else { return (action, true) }
      return (state.script.removeFirst(), false)
    }
    guard let next else {
      throw OAuthError(.presentationFailed, "The script has no action for the page '\(form.title)'.")
    }
    return next
  }

  private func note(_ step: String) {
    state.withLock { $0.steps.append(step) }
    onStep?(step)
  }
}

extension ScriptedPresenter {
  /// An action on a page.
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
    /// The texts to type, by the field's name.
    let fields: [String: String]
    /// The button that leads to the page the action is for, where another page comes first.
    var alternative: String?

    init(_ name: String, _ move: Move, _ fields: [String: String] = [:], alternative: String? = nil) {
      self.name = name
      self.move = move
      self.fields = fields
      self.alternative = alternative
    }
  }
}

extension ScriptedPresenter.Action: CustomStringConvertible {
  /// The step, without the texts that are typed: a test's arguments go into logs.
  public var description: String { name }
}

extension ScriptedPresenter.Action {
  /// Signs in; on a page that offers a signed-in account, uses another one.
  ///
  /// - Parameters:
  ///   - email: The email to type.
  ///   - password: The password to type.
  /// - Returns: The action.
  public static func signIn(email: String, password: String) -> Self {
    Self("sign in", .fill, ["email": email, "password": password], alternative: "other")
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
    return Self("sign up", .fill, fields, alternative: "signup")
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

  /// Logs in at the local page of another identity provider.
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
