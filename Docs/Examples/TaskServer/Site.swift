import B2CConnector
import Foundation
import Hummingbird

/// The routes: signing in, the visitor's tasks, signing out.
struct Site: Sendable {
  let connector: Connector
  let logins: Logins
  let sessions: Sessions

  private var redirectURI: URL { connector.settings.redirectURI }

  func router() -> Router<BasicRequestContext> {
    let router = Router()
    router.get("/") { request, context in try await visit(request, context, list) }
    router.get("/login") { request, context in
      // The cookie stays for a second tab.
      let browser = Logins.cookie(request.cookies["login"]?.value)
      return try await next(of: logins.begin(), browser, context)
    }
    router.get(RouterPath(redirectURI.path)) { request, context in try await callback(request, context) }
    router.post("/add") { request, context in
      try await visit(request, context) { user in
        try await connector.addTask(TaskItem(itemName: field(of: request, context)), user: user)
        return redirect(to: "/")
      }
    }
    router.post("/delete") { request, context in
      try await visit(request, context) { user in
        let id = try await field(of: request, context)
        if let task = try await connector.getTaskList(user: user).first(where: { $0.id == id }) {
          try await connector.deleteTask(task, user: user)
        }
        return redirect(to: "/")
      }
    }
    router.post("/logout") { request, context in
      try await visit(request, context) { user in
        var response = redirect(to: "/")
        do {
          try await connector.signOut(user)
        } catch let error as ConnectorError {
          response = failure(error, context)
        }
        // This browser forgets the session in either case.
        response.setCookie(cookie("session", "", path: "/", seconds: 0))
        return response
      }
    }
    return router
  }

  /// A cookie that scripts cannot read, and that a page of another site does not send with a form.
  private func cookie(_ name: String, _ value: String, path: String, seconds: Int) -> Cookie {
    Cookie(
      name: name, value: value, maxAge: seconds, path: path, secure: redirectURI.scheme == "https", httpOnly: true,
      sameSite: .lax)
  }

  private func callback(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
    // Without the cookie, the address may be a link that signs this visitor in as its sender.
    guard let browser = request.cookies["login"]?.value, let state = request.uri.queryParameters["state"],
      let login = await logins.take(String(state), of: browser),
      let url = URL(string: "\(redirectURI.absoluteString)?\(request.uri.query ?? "")")
    else { return page("<p>This sign-in was not begun in this browser.</p><a href=\"/login\">Sign in</a>", .forbidden) }
    login.presenter.callback(url)
    return try await next(of: login, browser, context)
  }

  /// Sends the browser to the login's next page, and lets this browser alone bring the callback.
  ///
  /// A forgotten password has a second page. After the last one the visitor is signed in.
  private func next(
    of login: Logins.Login, _ browser: String, _ context: BasicRequestContext
  ) async throws -> Response {
    if let url = await login.presenter.page() {
      await logins.keep(login, of: browser, at: url)
      let cookie = cookie("login", browser, path: "/", seconds: Logins.lifetime)
      return redirect(to: url.absoluteString, cookie)
    }
    do {
      let user = try await login.result.value.user
      return redirect(to: "/", cookie("session", sessions.cookie(for: user), path: "/", seconds: Sessions.lifetime))
    } catch let error as ConnectorError {
      return failure(error, context)
    }
  }

  /// Does what a signed-in visitor asks for.
  ///
  /// Without a session, and for an error, it answers with a page that says so.
  private func visit(
    _ request: Request, _ context: BasicRequestContext, _ body: (UserInfo) async throws -> Response
  ) async throws -> Response {
    // Another port or a neighbour's name is the same site to a cookie, and not the same origin.
    let sender = request.headers.first { $0.name.canonicalName == "sec-fetch-site" }?.value
    if request.method == .post, let sender, sender != "same-origin" {
      return page("<p>The form is not of this server.</p>", .forbidden)
    }
    guard let user = request.cookies["session"].flatMap({ sessions.user(of: $0.value) }) else {
      return page("<a href=\"/login\">Sign in</a>", request.method == .get ? .ok : .unauthorized)
    }
    do {
      return try await body(user)
    } catch let error as ConnectorError {
      return failure(error, context)
    }
  }

  private func list(_ user: UserInfo) async throws -> Response {
    let tasks = try await connector.getTaskList(user: user)
    let name = try await connector.user(id: user.id)?.name ?? "you"
    let rows = tasks.map { task in
      let field = "<input type=\"hidden\" name=\"value\" value=\"\(escaped(task.id))\">"
      return "<li>\(escaped(task.itemName))\(form("/delete", "Delete", field))</li>"
    }
    return page(
      "<h1>Tasks of \(escaped(name))</h1><ul>\(rows.joined())</ul>"
        + form("/add", "Add", "<input name=\"value\" required>") + form("/logout", "Sign out"))
  }

  private func field(of request: Request, _ context: BasicRequestContext) async throws -> String {
    struct Field: Decodable { let value: String }
    do {
      return try await URLEncodedFormDecoder().decode(Field.self, from: request, context: context).value
    } catch is DecodingError {
      throw HTTPError(.badRequest)
    }
  }
}
