import B2CConnector
import Foundation
import Hummingbird

/// The routes: signing in, the visitor's tasks, signing out.
struct Site: Sendable {
  let connector: Connector
  let logins: LoginSeal
  let sessions: Sessions

  private var redirectURI: URL { connector.settings.redirectURI }

  func router() -> Router<BasicRequestContext> {
    let router = Router()
    router.add(middleware: Answers())
    router.get("/") { request, _ in try await visit(request, list) }
    router.get("/login") { _, _ in try await begin() }
    router.get(RouterPath(redirectURI.path)) { request, context in try await callback(request, context) }
    router.post("/add") { request, context in
      try await visit(request) { user in
        try await connector.addTask(TaskItem(itemName: field(of: request, context)), user: user)
        return redirect(to: "/")
      }
    }
    router.post("/delete") { request, context in
      try await visit(request) { user in
        let id = try await field(of: request, context)
        if let task = try await connector.getTaskList(user: user).first(where: { $0.id == id }) {
          try await connector.deleteTask(task, user: user)
        }
        return redirect(to: "/")
      }
    }
    router.post("/logout") { request, context in try await signOut(request, context) }
    router.post("/logout/provider") { request, context in try await signOut(request, context, atProvider: true) }
    return router
  }

  // MARK: Signing in

  /// Sends the browser to a page, with what is needed when it comes back: nothing is kept here for a stranger.
  private func begin(_ policy: Policy? = nil) async throws -> Response {
    let login = Login(pending: try await connector.beginSignIn(policy: policy))
    var response = redirect(to: login.pending.url.absoluteString)
    response.setCookie(cookie("login", try logins.seal(login), seconds: LoginSeal.lifetime))
    return response
  }

  private func callback(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
    let url = URL(string: "\(redirectURI.absoluteString)?\(request.uri.query ?? "")")
    let query = request.uri.queryParameters
    // The provider's sign-out page leads here, too.
    if query["code"] == nil, query["error"] == nil { return redirect(to: "/") }
    // Without the cookie, the address may be a link that signs this visitor in as its sender. A cookie of another sign-in
    // stays, because that one may be under way in another tab.
    guard let url, let login = cookie("login", of: request).flatMap(logins.open),
      Login.state(of: url) == Login.state(of: login.pending.url)
    else {
      let text = "This sign-in did not begin in this browser, or another one began after it."
      return page(alert(text, "<a class=\"primary\" href=\"/login\">Sign in</a>"), .forbidden)
    }
    let reset = connector.settings.policies.policy(of: .passwordReset)
    var response: Response
    do {
      let user = try await connector.finishSignIn(login.pending, callback: url).user
      // A password reset stores no tokens, so a sign-in follows it.
      if let reset, user.policyID?.lowercased() == reset.id.lowercased() { return try await begin() }
      let session = try await sessions.begin(user, replacing: cookie("session", of: request))
      response = redirect(to: "/")
      response.setCookie(cookie("session", session, seconds: Sessions.lifetime))
    } catch let error as ConnectorError {
      if error.code == .passwordResetRequested, let reset { return try await begin(reset) }
      response = error.code == .userCancelledInPage ? redirect(to: "/") : failure(error, context)
    }
    // This sign-in has ended, whatever came of it.
    response.setCookie(cookie("login", "", seconds: 0))
    return response
  }

  // MARK: Signing out

  /// Removes sessions and tokens, and at last sends the browser to the provider's sign-out page if the visitor wants that.
  private func signOut(
    _ request: Request, _ context: BasicRequestContext, atProvider: Bool = false
  ) async throws -> Response {
    try await visit(request) { user in
      // If this throws, the cookie stays, so that the visitor can try again.
      try await sessions.endAll(of: user)
      let (addresses, continuation) = AsyncStream.makeStream(of: URL.self)
      var response = redirect(to: "/")
      do {
        try await SignOutPage.$addresses.withValue(continuation) {
          // In a task of its own, because in a cancelled task the tokens would stay.
          _ = try await Task { try await connector.signOut(user, endsBrowserSession: atProvider) }.value
        }
        continuation.finish()
        for await url in addresses {
          // A redirect would end here: the page's policy lets its forms lead to this server alone.
          let address = escaped(url.absoluteString)
          response = page(
            "<p>You are signed out of this site.</p><a class=\"primary\" href=\"\(address)\">Continue to the sign-out page of your account</a>",
            title: "Signed out", head: "<meta http-equiv=\"refresh\" content=\"0; url=\(address)\">")
        }
      } catch ErrorCode.unsupported where atProvider {
        let text =
          "You are signed out of this site. Your session at the sign-in page goes on, because it has no sign-out page."
        response = page("<p>\(text)</p><a href=\"/\">Back</a>", title: "Signed out")
      } catch let error as ConnectorError {
        response = failure(error, context)
      }
      // The session has ended in either case.
      response.setCookie(cookie("session", "", seconds: 0))
      return response
    }
  }

  // MARK: Tasks

  private func list(_ user: UserInfo) async throws -> Response {
    let tasks = try await connector.getTaskList(user: user)
    let name = try await connector.user(id: user.id)?.name ?? "you"
    let rows = tasks.map { task in
      let field = "<input type=\"hidden\" name=\"value\" value=\"\(escaped(task.id))\">"
      return "<li><span>\(escaped(task.itemName))</span>\(form("/delete", "Delete", field))</li>"
    }
    let newTask =
      "<label for=\"value\">New task</label><input id=\"value\" name=\"value\" autocomplete=\"off\" required>"
    return page(
      """
      \(rows.isEmpty ? "<p>You have no tasks yet.</p>" : "<ul>\(rows.joined())</ul>")
      \(form("/add", "Add", newTask, isMain: true))
      <h2>Sign out</h2>
      \(form("/logout", "Sign out"))
      <p>This ends your sessions on this site, in your other browsers too. It does not end your session at the sign-in page,
      so the next person at this browser may get in as you without a password.</p>
      \(form("/logout/provider", "Sign out of the sign-in page too"))
      <p>This also ends your session at the sign-in page. You stay signed in at other sites, and at the account that you
      signed in with, for example Facebook.</p>
      """, title: "Tasks of \(escaped(name))")
  }

  /// Does what a signed-in visitor asks for; without a session it answers with the way to one.
  private func visit(_ request: Request, _ body: (UserInfo) async throws -> Response) async throws -> Response {
    guard request.method == .get || isOwnForm(request) else {
      return page(alert("This form was sent from another site.", "<a href=\"/\">Back</a>"), .forbidden)
    }
    guard let session = cookie("session", of: request), let user = try await sessions.user(of: session) else {
      let content = "<p>Sign in to see your tasks.</p><a class=\"primary\" href=\"/login\">Sign in</a>"
      return page(content, request.method == .get ? .ok : .unauthorized)
    }
    return try await body(user)
  }

  /// Whether a form is of a page of this server: to a cookie, another port or a neighbour's name is the same site.
  private func isOwnForm(_ request: Request) -> Bool {
    let site = request.headers.first { $0.name.canonicalName == "sec-fetch-site" }?.value
    guard let origin = request.headers[.origin] else { return site == "same-origin" }
    let url = URL(string: origin)
    // Older browsers send an origin alone.
    return (url?.scheme, url?.host, url?.port) == (redirectURI.scheme, redirectURI.host, redirectURI.port)
      && (site ?? "same-origin") == "same-origin"
  }

  private func field(of request: Request, _ context: BasicRequestContext) async throws -> String {
    struct Field: Decodable { let value: String }
    do {
      return try await URLEncodedFormDecoder().decode(Field.self, from: request, context: context).value
    } catch is DecodingError {
      throw HTTPError(.badRequest)
    }
  }

  // MARK: Cookies

  /// A cookie that scripts cannot read, and that a page of another site does not send with a form.
  private func cookie(_ name: String, _ value: String, seconds: Int) -> Cookie {
    Cookie(
      name: prefix + name, value: value, maxAge: seconds, path: "/", secure: isSecure, httpOnly: true, sameSite: .lax)
  }

  private func cookie(_ name: String, of request: Request) -> String? { request.cookies[prefix + name]?.value }

  private var isSecure: Bool { redirectURI.scheme == "https" }
  /// With it a browser takes the cookie from this host alone; without TLS, on this machine, there is no such protection.
  private var prefix: String { isSecure ? "__Host-" : "" }
}
