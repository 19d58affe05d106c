internal import B2CCore
public import B2CHTTP
public import B2COAuth
public import Foundation

/// A pretended person with a browser: loads the real pages, fills the real forms, follows the redirects.
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

  /// Makes a pretended person.
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

  /// What happened so far, a line for each step, secrets left out.
  public var steps: [String] { state.withLock { $0.steps } }

  /// What the engine asked to show so far.
  public var requests: [PresentationRequest] { state.withLock { $0.requests } }

  /// Goes from the page to the redirect.
  ///
  /// An answer that comes as a posted form is given back as a query, as a listener on the redirect's port would.
  ///
  /// - Parameter request: The page to show and the redirect to wait for.
  /// - Returns: The callback URL.
  /// - Throws: `OAuthError` with code `userClosedBrowser` when the script says so or a page ends without redirect,
  ///   `presentationFailed` when the script does not fit the pages; otherwise the transport's error.
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
    for _ in 0..<Self.mostPages {
      switch stop {
      case .callback(let url): return url
      case .page(let form, let url):
        guard form.isPresent else {
          throw OAuthError(.userClosedBrowser, "The page '\(form.title)' has nothing to do but to close it.")
        }
        let action = try nextAction(for: form)
        stop = try await browser.act(action, on: form, at: url)
      }
    }
    throw OAuthError(.presentationFailed, "No redirect after \(Self.mostPages) pages; the script goes in circles.")
  }

  private static let mostPages = 20

  private func nextAction(for form: HTMLForm) throws -> Action {
    let action = state.withLock { state -> Action? in
      guard let action = state.script.first else { return nil }
      // A detour only leads to the page that the action is for, so the action stays.
      if action.takesDetour(on: form) { return action }
      if state.script.count > 1 { state.script.removeFirst() }
      return action
    }
    guard let action else {
      throw OAuthError(.presentationFailed, "The script has nothing for the page '\(form.title)'.")
    }
    return action
  }

  private func note(_ step: String) {
    state.withLock { $0.steps.append(step) }
    onStep?(step)
  }
}
