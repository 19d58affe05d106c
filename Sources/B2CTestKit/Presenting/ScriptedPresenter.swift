internal import B2CCore
public import B2CHTTP
public import B2COAuth
public import Foundation

/// A scripted person at the sign-in pages of a ``LocalTenant``: fills in each page, follows the redirects.
///
/// Each page takes one action of the script; the last action is used for every page after it, so a script of one sign-in
/// serves any number of sign-ins. The cookies are kept from one sign-in to the next, unless the app asks for an
/// ephemeral session.
///
/// ```swift
/// let presenter = ScriptedPresenter(
///   transport: tenant.transport, .signIn(email: "alice@example.com", password: "wrong"), .signIn(.alice))
/// let connector = try Connector.local(tenant, presenter: presenter)
/// try await connector.doPolicy(.signIn)
/// presenter.follow(.cancel)    // what the person does at the next page
/// ```
public final class ScriptedPresenter: SignInPresenter {
  private struct State {
    var script: [Action]
    /// The session cookie of each origin (RFC 6265): the tenant sets no other.
    var cookies: [String: String] = [:]
    var steps: [String] = []
    var requests: [PresentationRequest] = []
  }

  private let transport: any HTTPTransport
  private let onStep: (@Sendable (String) -> Void)?
  private let state: Locked<State>

  /// Makes a scripted person.
  ///
  /// - Parameters:
  ///   - transport: The transport that reaches the pages, either a ``LocalNetwork`` or one over real HTTP.
  ///   - script: The user's actions, one for each page. The last one is repeated.
  ///   - onStep: Called with each step as it happens, secrets left out.
  public convenience init(
    transport: any HTTPTransport, _ script: Action..., onStep: (@Sendable (String) -> Void)? = nil
  ) {
    self.init(transport: transport, script, onStep: onStep)
  }

  /// Makes a scripted person from an array of actions.
  ///
  /// - Parameters:
  ///   - transport: The transport that reaches the pages, either a ``LocalNetwork`` or one over real HTTP.
  ///   - script: The user's actions, one for each page. The last one is repeated.
  ///   - onStep: Called with each step as it happens, secrets left out.
  public init(transport: any HTTPTransport, _ script: [Action], onStep: (@Sendable (String) -> Void)? = nil) {
    self.transport = transport
    self.onStep = onStep
    state = Locked(State(script: script))
  }

  /// Puts a new script in place of what is left of the old one.
  ///
  /// - Parameter script: The user's actions, one for each page. The last one is repeated.
  public func follow(_ script: Action...) { follow(script) }

  /// Puts an array of actions in place of what is left of the old script.
  ///
  /// - Parameter script: The user's actions, one for each page. The last one is repeated.
  public func follow(_ script: [Action]) { state.withLock { $0.script = script } }

  /// Forgets the cookies, as a fresh browser has none.
  public func clearCookies() { state.withLock { $0.cookies = [:] } }

  /// The steps so far, a line for each, secrets left out.
  public var steps: [String] { state.withLock { $0.steps } }

  /// The presentation requests so far.
  public var requests: [PresentationRequest] { state.withLock { $0.requests } }

  /// Goes from the page to the redirect.
  ///
  /// - Parameter request: The page to show and the redirect to wait for.
  /// - Returns: The callback URL.
  /// - Throws: An error with code `presentationFailed` and the page's text for an error page of the service and for
  ///   a script that does not fit the pages; `userClosedBrowser` when the script says so, or for a page that ends without
  ///   redirect and without error, as after a sign-out; otherwise the transport's error.
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
        // The last action led back to its own page, which says why.
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

  /// The end of a sign-in at a page without a form: as at a real service, whose error pages never redirect.
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

  /// The action for a page, and whether it is the last, which is used again for the next page.
  private func nextAction(for page: LocalPage) throws -> (action: Action, isRepeated: Bool) {
    try state.withLock { state in
      guard let action = state.script.first else {
        throw ConnectorError(own: .presentationFailed, "The script has no action for the page '\(page.title)'.")
      }
      // Another page comes first; the action stays for the page that it is for.
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
    // Only the first button needs the fields.
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
