internal import B2CCore
internal import B2CHTTP
internal import B2COAuth
internal import Foundation

/// The browser of a ``ScriptedPresenter`` during one sign-in.
struct ScriptedBrowser {
  enum Stop {
    case page(HTMLForm, URL, status: Int)
    case callback(URL)
  }

  let transport: any HTTPTransport
  let redirectURI: URL
  var cookies: CookieJar
  let note: @Sendable (String) -> Void

  /// Opens a page.
  mutating func open(_ url: URL) async throws -> Stop {
    try await go(TransportRequest(url: url))
  }

  /// Does on a page what the script says.
  mutating func act(_ action: ScriptedPresenter.Action, on form: HTMLForm, at url: URL) async throws -> Stop {
    let button: HTMLForm.Button?
    var typed: [String: String] = [:]
    switch action.move {
    case .close:
      note("close the browser")
      throw OAuthError(.userClosedBrowser, "The browser was closed.")
    case .press(let value):
      button = form.buttons.first { $0.value == value }
      guard button != nil else { throw Self.misfit(action, form, "has no such button") }
    case .fill where action.takesDetour(on: form):
      button = form.buttons.first { $0.value == action.alternative }
    case .fill:
      button = form.buttons.first
      typed = action.fields
    }
    var pairs: [(name: String, value: String)] = []
    for field in form.fields {
      let value = typed[field.name] ?? field.value
      if field.isRequired, value.isEmpty, button?.skipsValidation != true {
        throw Self.misfit(action, form, "asks for '\(field.name)'")
      }
      pairs.append((field.name, value))
    }
    if let button, !button.name.isEmpty { pairs.append((button.name, button.value)) }
    let shown = form.fields.filter { $0.type != "hidden" && typed[$0.name] != nil }.map(\.name)
    note("on '\(form.title)': \(action.name)" + (shown.isEmpty ? "" : ", typing " + shown.joined(separator: ", ")))
    guard let target = URL(string: form.action, relativeTo: url)?.absoluteURL else {
      throw Self.misfit(action, form, "posts to no URL")
    }
    if isRedirect(target) { return callback(target, posted: pairs) }
    return try await go(
      TransportRequest(
        method: .post, url: target, headers: ["Content-Type": "application/x-www-form-urlencoded"],
        body: Data(FormEncoding.encode(pairs).utf8)))
  }

  private mutating func go(_ first: TransportRequest) async throws -> Stop {
    var request = first
    for _ in 0..<20 {
      if isRedirect(request.url) { return callback(request.url, posted: []) }
      request.headers["Cookie"] = cookies.header(for: request.url)
      let response = try await transport.send(request)
      cookies.keep(response.headers, from: request.url)
      note("\(request.method.rawValue) \(RedactedURL(request.url)) → \(response.status)")
      guard (300..<400).contains(response.status), let text = response.headers["Location"],
        let next = URL(string: text, relativeTo: request.url)?.absoluteURL
      else {
        let form = HTMLForm(html: response.body)
        if let target = URL(string: form.action, relativeTo: request.url)?.absoluteURL, form.isPresent,
          isRedirect(target)
        {
          return callback(target, posted: form.fields.map { ($0.name, $0.value) })
        }
        if let alert = form.alert { note("'\(form.title)' says: \(alert)") }
        return .page(form, request.url, status: response.status)
      }
      request = TransportRequest(url: next)
    }
    throw OAuthError(.presentationFailed, "Too many redirects.")
  }

  /// Whether a URL is the redirect URI, ignoring query and fragment.
  private func isRedirect(_ url: URL) -> Bool {
    guard url.scheme?.lowercased() == redirectURI.scheme?.lowercased(),
      url.host?.lowercased() == redirectURI.host?.lowercased(), url.port == redirectURI.port
    else { return false }
    return url.path == redirectURI.path || (url.path + redirectURI.path == "/")
  }

  private func callback(_ url: URL, posted pairs: [(name: String, value: String)]) -> Stop {
    note("redirect to \(RedactedURL(url))")
    guard !pairs.isEmpty else { return .callback(url) }
    let text = url.absoluteString + (url.query == nil ? "?" : "&") + FormEncoding.encode(pairs)
    return .callback(URL(string: text) ?? url)
  }

  private static func misfit(
    _ action: ScriptedPresenter.Action, _ form: HTMLForm, _ problem: String
  ) -> OAuthError {
    OAuthError(
      .presentationFailed, "The script wants to \(action.name), but the page '\(form.title)' \(problem).",
      recoverySuggestion: "Give the presenter an action that fits this page.")
  }
}

extension ScriptedPresenter.Action {
  /// Whether another page comes before the one that the action is for.
  func takesDetour(on form: HTMLForm) -> Bool {
    guard let alternative, case .fill = move, form.buttons.contains(where: { $0.value == alternative }) else {
      return false
    }
    let names = Set(form.fields.map(\.name))
    return !names.isSuperset(of: fields.keys)
  }
}

/// Cookies by origin, as far as sign-in pages need them (RFC 6265): no domains, no paths, no dates.
struct CookieJar: Sendable {
  private var cookies: [String: [String: String]] = [:]

  /// The `Cookie` header for a URL.
  func header(for url: URL) -> String? {
    guard let own = cookies[LocalOrigin.text(url)], !own.isEmpty else { return nil }
    return own.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
  }

  /// Keeps what an answer sets.
  mutating func keep(_ headers: TransportRequest.Headers, from url: URL) {
    // Some transports join several fields into one with a comma.
    for text in headers.values(of: "Set-Cookie").flatMap({ $0.components(separatedBy: ", ") }) {
      let parts = text.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
      guard let pair = parts.first?.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false),
        pair.count == 2, !pair[0].isEmpty
      else { continue }
      let isEnded = parts.dropFirst().contains { $0.lowercased() == "max-age=0" }
      cookies[LocalOrigin.text(url), default: [:]][String(pair[0])] = isEnded ? nil : String(pair[1])
    }
  }

  /// The cookies of an origin by name.
  func all(for url: URL) -> [String: String] { cookies[LocalOrigin.text(url)] ?? [:] }
}
