import B2CConnector
import B2CLoopback
import Foundation
import TestSupport
import Testing

/// The requests that a ``LoopbackPresenter`` answers, and the one that ends its wait.
@Suite(.descriptors(), .hangLimit)
struct LoopbackPresenterTests: LoopbackPages {
  let pages = PageWatcher()

  @Test(
    "The callback URL is that of the redirect URI that was really listened on",
    arguments: [
      ("http://localhost", "/"), ("http://localhost/", "/"), ("http://localhost/a/b", "/a/b"),
      ("http://127.0.0.1/callback", "/callback"), ("http://[::1]/callback", "/callback"),
      ("http://localhost/a%20b", "/a%20b"),
    ])
  func callback(_ redirectURI: String, _ path: String) async throws {
    let (task, page) = await present(redirectURI)
    let actual = try #require(page.redirectURI)
    #expect(page.port > 0)
    #expect(actual.absoluteString.replacingOccurrences(of: ":\(page.port)", with: "") == redirectURI)
    let answer = try await get(
      "\(path)?code=a%2Bb&state=\(Self.state)", port: page.port,
      host: redirectURI.contains("[::1]") ? "::1" : "127.0.0.1")
    #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(answer.contains("You can close this window"))
    let url = try await task.value
    #expect(url.absoluteString == "\(actual.absoluteString)?code=a%2Bb&state=\(Self.state)")
  }

  @Test(
    "An answer without a code, or with an error, ends the wait without the success page",
    arguments: [
      "state=STATE", "code=&state=STATE", "Code=x&state=STATE", "code=x&error=access_denied&state=STATE",
      "error=access_denied&error_description=AADB2C90091%3A+cancelled&state=STATE",
    ])
  func noCode(_ query: String) async throws {
    let (task, page) = await present()
    let target = "/callback?" + query.replacing("STATE", with: Self.state)
    let answer = try await get(target, port: page.port)
    #expect(answer.contains("Not finished"))
    #expect(!answer.contains("You can close this window") && !answer.contains("AADB2C90091"))
    #expect(try await task.value.absoluteString.hasSuffix(target))
  }

  @Test(
    "Any callback at the path ends a sign-out with the normal page, with any state or none",
    arguments: [
      "/out?state=STATE", "/out?state=other", "/out?state=", "/out", "/out?", "/out?x=y",
      "/out?state=STATE&state=STATE",
    ])
  func signOut(_ target: String) async throws {
    let (task, page) = await present("http://localhost/out", purpose: .signOut)
    for other in ["/", "/favicon.ico", "/out/", "/OUT?state=STATE"] {
      #expect(try await get(other, port: page.port).hasPrefix("HTTP/1.1 404 "))
    }
    let answer = try await get(target.replacing("STATE", with: Self.state), port: page.port)
    #expect(answer.hasPrefix("HTTP/1.1 200 "))
    #expect(answer.contains("You can close this window"))
    #expect(try await task.value.path == "/out")
  }

  /// Sends a request with a Host, whose `PORT` is the listener's, and returns the answer.
  private func send(_ line: String, host: String = "localhost:PORT", port: UInt16) async throws -> String {
    let client = try await LoopbackClient(port: port)
    await client.send("\(line) HTTP/1.1\r\nHost: \(host.replacing("PORT", with: "\(port)"))\r\n\r\n")
    return await client.receiveAll()
  }

  static let strays = [
    "GET /favicon.ico", "GET /", "GET /callback", "GET /callback?code=x", "GET /callback?code=x&state=wrong",
    "GET /callback?code=x&state=", "GET /callback/?code=x&state=STATE", "GET /CALLBACK?code=x&state=STATE",
    "GET //callback?code=x&state=STATE", "GET /x/../callback?code=x&state=STATE",
    "GET /%63allback?code=x&state=STATE", "GET /callback?code=x&state=STATE&state=STATE",
    "GET /callback?code=x#&state=STATE", "HEAD /callback?code=x&state=STATE", "PUT /callback?code=x&state=STATE",
    "OPTIONS /callback?code=x&state=STATE", "POST /callback?code=x&state=STATE",
  ]
  static let foreignHosts = [
    "evil.example:PORT", "localhost.evil.example:PORT", "[::1].evil.example:PORT", "localhost:1@evil.example:PORT",
    "localhost:PORT@evil.example", "localhost", "127.0.0.1", "localhost:1", "localhost:PORT1", "localhost:0PORT",
    "127.0.0.2:PORT", "127.1:PORT", "0.0.0.0:PORT", "::1:PORT", "[::1%lo]:PORT", "localhost.:PORT", " :PORT", "",
  ]

  @Test(
    "A request that is not the redirect with the right state, or for another Host, gets 404, and the wait goes on",
    arguments: strays.map { ($0, "localhost:PORT") }
      + foreignHosts.map { ("GET /callback?code=evil&state=STATE", $0) })
  func others(_ line: String, _ host: String) async throws {
    let (task, page) = await present()
    let answer = try await send(line.replacing("STATE", with: Self.state), host: host, port: page.port)
    #expect(answer.hasPrefix("HTTP/1.1 404 "))
    #expect(answer.contains("Cache-Control: no-store\r\n"))
    try await redirect(to: page, code: "real")
    #expect(try await task.value.absoluteString.contains("code=real"))
  }

  @Test("Each name of this machine is accepted", arguments: ["localhost", "LOCALHOST", "127.0.0.1", "[::1]"])
  func ownHost(_ name: String) async throws {
    let (task, page) = await present()
    let answer = try await send("GET /callback?code=x&state=\(Self.state)", host: name + ":PORT", port: page.port)
    #expect(answer.hasPrefix("HTTP/1.1 200 "))
    _ = try await task.value
  }

  /// Starts a sign-in, and returns the URL and the port of its local page, which nothing has fetched.
  private func open(
    _ page: String = "https://login.example/authorize"
  ) async throws -> (Task<URL, any Error>, URL, port: UInt16) {
    let presenter = presenter()
    let task = Task { try await presenter.present(.test(page: page)) }
    let opened = await pages.nextURL()
    return (task, opened, try #require(opened.port.flatMap(UInt16.init(exactly:))))
  }

  @Test("The browser is opened at a local page, which redirects once to the real one and says nothing about it")
  func oneTimePage() async throws {
    let (task, opened, port) = try await open("https://login.example/authorize?id_token_hint=eyJhbGciOi")
    #expect(opened.host == "127.0.0.1" && opened.query == nil)
    #expect(opened.path.count >= 1 + 22, "128 bits in base64url")
    let answer = try await get(opened.path, port: port)
    #expect(answer.hasPrefix("HTTP/1.1 302 "))
    let redirectURI = "http%3A%2F%2Flocalhost%3A\(port)%2Fcallback"
    #expect(
      answer.field("Location")
        == "https://login.example/authorize?id_token_hint=eyJhbGciOi&redirect_uri=\(redirectURI)")
    #expect(answer.field("Cache-Control") == "no-store")
    #expect(answer.field("Referrer-Policy") == "no-referrer")
    #expect(answer.hasSuffix("\r\n\r\n"))
    _ = try await get("/callback?code=x&state=\(Self.state)", port: port)
    _ = try await task.value
  }

  @Test(
    "A second fetch of the local page ends the sign-in or sign-out with an error that says so",
    arguments: [PresentationRequest.Purpose.signIn, .signOut])
  func secondFetch(_ purpose: PresentationRequest.Purpose) async throws {
    let (task, page) = await present(purpose: purpose)
    let answer = try await get(page.opened.path, port: page.port)
    #expect(answer.hasPrefix("HTTP/1.1 410 "))
    #expect(!answer.contains("login.example"))
    await expectError(ConnectorError.self, .presentationFailed, saying: "opened twice") { try await task.value }
    await #expect(throws: LoopbackClient.Refused.self) { _ = try await LoopbackClient(port: page.port) }
  }

  @Test(
    "A probe for the local page neither uses it up nor ends the sign-in",
    arguments: [
      ("HEAD PATH", "localhost:PORT"), ("POST PATH", "localhost:PORT"), ("GET PATHx", "localhost:PORT"),
      ("GET PATH?", "localhost:PORT"), ("GET /", "localhost:PORT"), ("GET PATH", "evil.example:PORT"),
    ])
  func probes(_ line: String, _ host: String) async throws {
    let (task, opened, port) = try await open()
    let answer = try await send(line.replacing("PATH", with: opened.path), host: host, port: port)
    #expect(answer.hasPrefix("HTTP/1.1 404 "))
    #expect(try await get(opened.path, port: port).hasPrefix("HTTP/1.1 302 "))
    _ = try await get("/callback?code=x&state=\(Self.state)", port: port)
    _ = try await task.value
  }

  // MARK: The last page

  /// Runs a sign-in to its end and returns the answer to the redirect.
  private func lastPage(
    _ page: (@Sendable (Bool) -> String)? = nil, query: String = "code=x"
  ) async throws -> (head: String, body: String) {
    let presenter = LoopbackPresenter(open: pages.opened, page: page)
    let task = Task { try await presenter.present(.test()) }
    let answer = try await get(
      "/callback?\(query)&state=\(Self.state)", port: await pages.next().port, headers: "X-Canary: canary\r\n")
    _ = try await task.value
    let parts = answer.components(separatedBy: "\r\n\r\n")
    return (parts[0], parts.dropFirst().joined())
  }

  @Test("The last page is not stored, sends no referrer, allows its own style alone and repeats nothing of the request")
  func harmless() async throws {
    let (head, body) = try await lastPage(query: "code=c0defromserver&error=%3Cscript%3E&x=canary")
    for field in [
      "Cache-Control: no-store", "Referrer-Policy: no-referrer", "X-Content-Type-Options: nosniff",
      "X-Frame-Options: DENY", "Content-Type: text/html; charset=utf-8", "Connection: close",
    ] {
      #expect(head.contains(field))
    }
    let policy = try #require(head.field("Content-Security-Policy"))
    #expect(policy.hasPrefix("default-src 'none'; style-src 'unsafe-inline'; img-src data:;"))
    #expect(!policy.contains("script") && policy.contains("frame-ancestors 'none'") && body.contains("<style>"))
    for canary in ["c0defromserver", "script", "canary", Self.state] { #expect(!body.contains(canary)) }
  }

  @Test("The last page works without a script, on small screens, in the dark and for screen readers")
  func quality() async throws {
    let body = try await lastPage().body
    for piece in [
      "<!DOCTYPE html>", "<html lang=\"en\">", "name=\"viewport\" content=\"width=device-width", "<title>", "<main>",
      "<h1", "role=\"status\"", "color-scheme: light dark", "href=\"data:,\"",
    ] {
      #expect(body.contains(piece), "\(piece)")
    }
    #expect(!body.contains("<script") && !body.contains("http"), "nothing is loaded from anywhere")
  }

  @Test("An app's own page is served as it is", arguments: [("code=x", true), ("error=access_denied", false)])
  func ownPage(_ query: String, isSuccess: Bool) async throws {
    let (head, body) = try await lastPage({ "<h1>\($0)</h1>" }, query: query)
    #expect(head.field("Content-Security-Policy")?.hasPrefix("default-src 'none'") == true)
    #expect(body == "<h1>\(isSuccess)</h1>")
  }
}
