internal import B2CCore
public import B2CHTTP
public import B2COAuth
public import Foundation

/// A scripted user, who fills in the pages of a ``LocalTenant`` and follows its redirects.
///
/// Each page uses up one action of the script. The last action is repeated for all later pages, so a script with one
/// sign-in works for any number of sign-ins. Cookies are kept for the next sign-in, unless the app asks for an
/// ephemeral session.
///
/// ```swift
/// let presenter = ScriptedPresenter(
///   transport: tenant.transport, .signIn(email: "alice@example.com", password: "wrong"), .signIn(.alice))
/// let connector = try Connector.local(tenant, presenter: presenter)
/// try await connector.doPolicy(.signIn)
/// presenter.follow(.cancel)    // what the user does on the next page
/// ```
public final class ScriptedPresenter: SignInPresenter {
  private struct State {
    var script: [Action]
    /// The session cookie of each origin (RFC 6265), because the tenant sets no other cookie.
    var cookies: [String: String] = [:]
    var steps: [String] = []
    var requests: [PresentationRequest] = []
  }

  private let transport: any HTTPTransport
  private let onStep: (@Sendable (String) -> Void)?
  private let state: Locked<State>

  /// Creates a scripted user.
  ///
  /// - Parameters:
  ///   - transport: The transport that reaches the pages, either a ``LocalNetwork`` or one over real HTTP.
  ///   - script: The user's actions, one for each page. The last one is repeated.
  ///   - onStep: Called with each step as it happens, without secrets. By default nothing is called.
  public convenience init(
    transport: any HTTPTransport, _ script: Action..., onStep: (@Sendable (String) -> Void)? = nil
  ) {
    self.init(transport: transport, script, onStep: onStep)
  }

  /// Creates a scripted user from an array of actions.
  ///
  /// - Parameters:
  ///   - transport: The transport that reaches the pages, either a ``LocalNetwork`` or one over real HTTP.
  ///   - script: The user's actions, one for each page. The last one is repeated.
  ///   - onStep: Called with each step as it happens, without secrets. By default nothing is called.
  public init(transport: any HTTPTransport, _ script: [Action], onStep: (@Sendable (String) -> Void)? = nil) {
    self.transport = transport
    self.onStep = onStep
    state = Locked(State(script: script))
  }

  /// Replaces the rest of the script by new actions.
  ///
  /// - Parameter script: The user's actions, one for each page. The last one is repeated.
  public func follow(_ script: Action...) { follow(script) }

  /// Replaces the rest of the script by an array of new actions.
  ///
  /// - Parameter script: The user's actions, one for each page. The last one is repeated.
  public func follow(_ script: [Action]) { state.withLock { $0.script = script } }

  /// Removes all cookies, so that the next page is opened as in a new browser.
  public func clearCookies() { state.withLock { $0.cookies = [:] } }

  /// The steps so far, one line each, without secrets.
  public var steps: [String] { state.withLock { $0.steps } }

  /// The presentation requests so far.
  public var requests: [PresentationRequest] { state.withLock { $0.requests } }

  /// Fills in the pages until the redirect.
  ///
  /// - Parameter request: The page to show and the redirect to wait for.
  /// - Returns: The callback URL.
  /// - Throws: ``ConnectorError`` with code `presentationFailed` if the provider shows an error page, whose text it
  ///   quotes, or if the script does not fit a page; `userClosedBrowser` if the script closes the browser, or if a page
  ///   has neither a form nor an error, as after a sign-out; the transport's errors.
  public func present(_ request: PresentationRequest) async throws -> URL {
    var cookies = state.withLock { state in
      state.requests.append(request)
      return request.prefersEphemeralSession ? [:] : state.cookies
    }
    defer {
      if !request.prefersEphemeralSession { state.withLock { [cookies] in $0.cookies = cookies } }
    }
    var next = URLRequest(url: request.url)
    var last: (title: String, isRepeated: Bool)?
    for _ in 0..<Self.mostRequests {
      let url = next.url ?? request.url
      if CallbackState.isAtRedirect(url, request.redirectURI) {
        note("redirect to \(url.redacted)")
        return url
      }
      let origin = LocalURL.origin(url)
      next.setValue(LocalPage.json, forHTTPHeaderField: "Accept")
      next.setValue(cookies[origin], forHTTPHeaderField: "Cookie")
      let (body, response) = try await transport.send(next, limits: .standard)
      let status = response.statusCode
      if let cookie = response.value(forHTTPHeaderField: "Set-Cookie") {
        cookies[origin] = cookie.contains("Max-Age=0") ? nil : String(cookie.prefix { $0 != ";" })
      }
      note("\(next.summary) → \(status)")
      if (300..<400).contains(status), let location = response.value(forHTTPHeaderField: "Location"),
        let target = URL(string: location, relativeTo: url)?.absoluteURL
      {
        next = URLRequest(url: target)
        continue
      }
      let page = (try? JSONDecoder().decode(LocalPage.self, from: body)) ?? LocalPage(title: "")
      guard let target = page.target.flatMap(URL.init), status < 400 else { throw Self.ending(page, status) }
      if let alert = page.alert {
        note("'\(page.title)' says: \(alert)")
        // The script's last action was refused on this page already, so it would only be refused again.
        if last?.title == page.title, last?.isRepeated == true {
          throw ConnectorError(own: .presentationFailed, "The page '\(page.title)' says: " + ErrorText.sentence(alert))
        }
      }
      let (action, isRepeated) = try nextAction(for: page)
      last = (page.title, isRepeated)
      next = URLRequest(
        method: "POST", url: target, headers: ["Content-Type": "application/x-www-form-urlencoded"],
        body: Data(FormEncoding.encode(try form(action, on: page)).utf8))
    }
    throw ConnectorError(
      own: .presentationFailed, "No redirect after \(Self.mostRequests) requests: the script's last action repeats.",
      recoverySuggestion: "Add an action for the page '\(last?.title ?? "")'.")
  }

  private static let mostRequests = 40

  /// Returns the error for a page without a form, because a real provider never redirects from its error pages either.
  private static func ending(_ page: LocalPage, _ status: Int) -> ConnectorError {
    guard status >= 400 else {
      return ConnectorError(own: .userClosedBrowser, "The page '\(page.title)' has no form; the browser was closed.")
    }
    return ConnectorError(
      own: .presentationFailed,
      "The page '\(page.title)' (status \(status)) shows an error: "
        + ErrorText.sentence(String((page.alert ?? "").prefix(500))),
      recoverySuggestion: "Compare the client ID, redirect URI and policy with those of the tenant.")
  }

  /// Returns the action for a page, and whether it is the last one, which is repeated for the next page.
  private func nextAction(for page: LocalPage) throws -> (action: Action, isRepeated: Bool) {
    try state.withLock { state in
      guard let action = state.script.first else {
        throw ConnectorError(own: .presentationFailed, "The script has no action for the page '\(page.title)'.")
      }
      // This page only leads to the page that the action is for, so press its button and keep the action.
      if page.buttons.contains(where: { $0.action == action.shortcut }) { return (action, false) }
      let isLast = state.script.count == 1
      if !isLast { state.script.removeFirst() }
      return (action, isLast)
    }
  }

  /// Returns the fields that an action posts from a page.
  private func form(_ action: Action, on page: LocalPage) throws -> [(name: String, value: String)] {
    guard let pressed = action.button else {
      note(action.name)
      throw ConnectorError(own: .userClosedBrowser, "The browser was closed.")
    }
    func misfit(_ problem: String) -> ConnectorError {
      ConnectorError(
        own: .presentationFailed, "The script wants to \(action.name), but the page '\(page.title)' \(problem).",
        recoverySuggestion: "Give the presenter an action that fits this page.")
    }
    let shortcut = page.buttons.first { $0.action == action.shortcut }
    guard let button = shortcut ?? page.buttons.first(where: { $0.action == pressed }) else {
      throw misfit("has no such button")
    }
    var pairs = [(name: "stage", value: page.stage ?? ""), (name: "action", value: button.action)]
    var typed: [String] = []
    // The fields belong to the first button. Others, for example Cancel, submit the form without them.
    for field in button.action == page.buttons.first?.action ? page.fields : [] {
      let text = action.fields[field.name] ?? (field.value.isEmpty ? action.suggestions[field.name] : nil)
      if text != nil { typed.append(field.name) }
      let value = text ?? field.value
      if field.isRequired, value.isEmpty { throw misfit("asks for '\(field.name)'") }
      pairs.append((field.name, value))
    }
    note("on '\(page.title)': \(action.name)" + (typed.isEmpty ? "" : ", typing " + typed.joined(separator: ", ")))
    return pairs
  }

  private func note(_ step: String) {
    state.withLock { $0.steps.append(step) }
    onStep?(step)
  }
}
