import B2CConnector
import B2CCore
import B2CLoopback
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.descriptors(), .hangLimit)
struct LoopbackPresenterTests: LoopbackPages {
  // Not the shared session: on Linux it writes into the home directory, which may be read-only.
  static let session = URLSession(configuration: .ephemeral)
  let pages = PageWatcher()

  @Test(
    "comes back with the callback URL of the redirect URI that was really listened on",
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

  @Test("an error of the server ends the wait too, with the other page")
  func serverError() async throws {
    let (task, page) = await present("http://localhost/callback")
    let answer = try await get(
      "/callback?error=access_denied&error_description=AADB2C90091%3A+cancelled&state=\(Self.state)", port: page.port)
    #expect(answer.contains("Not finished"))
    #expect(!answer.contains("AADB2C90091"))
    #expect(try await task.value.absoluteString.contains("error=access_denied"))
  }

  @Test("a sign-out comes back with the state alone")
  func signOut() async throws {
    let (task, page) = await present("http://localhost/out", purpose: .signOut)
    #expect(try await get("/out?state=\(Self.state)", port: page.port).hasPrefix("HTTP/1.1 200 "))
    #expect(try await task.value.path == "/out")
  }

  @Test(
    "any callback at the path ends a sign-out with the normal page, with another state or none",
    arguments: ["/out?state=other", "/out?state=", "/out", "/out?", "/out?x=y", "/out?state=STATE&state=STATE"])
  func signOutWithoutState(_ target: String) async throws {
    let (task, page) = await present("http://localhost/out", purpose: .signOut)
    for other in ["/", "/favicon.ico", "/out/", "/OUT?state=STATE"] {
      #expect(try await get(other, port: page.port).hasPrefix("HTTP/1.1 404 "))
    }
    let answer = try await get(target.replacingOccurrences(of: "STATE", with: Self.state), port: page.port)
    #expect(answer.hasPrefix("HTTP/1.1 200 "))
    #expect(answer.contains("You can close this window"))
    #expect(try await task.value.path == "/out")
  }

  @Test(
    "everything but the redirect with the right state is 404, and the wait goes on",
    arguments: [
      "GET /favicon.ico", "GET /", "GET /callback", "GET /callback?code=x", "GET /callback?code=x&state=wrong",
      "GET /callback?code=x&state=", "GET /callback/?code=x&state=STATE", "GET /CALLBACK?code=x&state=STATE",
      "GET //callback?code=x&state=STATE", "GET /x/../callback?code=x&state=STATE",
      "GET /%63allback?code=x&state=STATE", "GET /callback?code=x&state=STATE&state=STATE",
      "GET /callback?code=x#&state=STATE",
      "HEAD /callback?code=x&state=STATE", "PUT /callback?code=x&state=STATE", "OPTIONS /callback?code=x&state=STATE",
      "POST /callback?code=x&state=STATE",
    ])
  func others(_ line: String) async throws {
    let (task, page) = await present("http://localhost/callback")
    let client = try await LoopbackClient(port: page.port)
    let target = line.replacingOccurrences(of: "STATE", with: Self.state)
    await client.send("\(target) HTTP/1.1\r\nHost: localhost:\(page.port)\r\n\r\n")
    let answer = await client.receiveAll()
    #expect(answer.hasPrefix("HTTP/1.1 404 "))
    #expect(answer.contains("Cache-Control: no-store\r\n"))
    _ = try await get("/callback?code=real&state=\(Self.state)", port: page.port)
    #expect(try await task.value.absoluteString.contains("code=real"))
  }

  @Test(
    "a Host that is not exactly a name of this machine with the listener's port is 404",
    arguments: [
      "evil.example:PORT", "localhost.evil.example:PORT", "[::1].evil.example:PORT", "localhost:1@evil.example:PORT",
      "localhost:PORT@evil.example", "localhost", "127.0.0.1", "localhost:1", "localhost:PORT1", "localhost:0PORT",
      "127.0.0.2:PORT", "127.1:PORT", "0.0.0.0:PORT", "::1:PORT", "[::1%lo]:PORT", "localhost.:PORT", " :PORT", "",
    ])
  func foreignHost(_ host: String) async throws {
    let (task, page) = await present("http://localhost/callback")
    let client = try await LoopbackClient(port: page.port)
    let name = host.replacingOccurrences(of: "PORT", with: "\(page.port)")
    await client.send("GET /callback?code=evil&state=\(Self.state) HTTP/1.1\r\nHost: \(name)\r\n\r\n")
    #expect(await client.receiveAll().hasPrefix("HTTP/1.1 404 "))
    _ = try await get("/callback?code=real&state=\(Self.state)", port: page.port)
    #expect(try await task.value.absoluteString.contains("code=real"))
  }

  @Test("each name of this machine is accepted", arguments: ["localhost", "LOCALHOST", "127.0.0.1", "[::1]"])
  func ownHost(_ name: String) async throws {
    let (task, page) = await present("http://localhost/callback")
    let client = try await LoopbackClient(port: page.port)
    await client.send("GET /callback?code=x&state=\(Self.state) HTTP/1.1\r\nHost: \(name):\(page.port)\r\n\r\n")
    #expect(await client.receiveAll().hasPrefix("HTTP/1.1 200 "))
    _ = try await task.value
  }

  @Test(
    "an answer without a code does not show the success page",
    arguments: ["state=STATE", "code=&state=STATE", "Code=x&state=STATE", "code=x&error=access_denied&state=STATE"])
  func noCode(_ query: String) async throws {
    let (task, page) = await present("http://localhost/callback")
    let answer = try await get(
      "/callback?" + query.replacingOccurrences(of: "STATE", with: Self.state), port: page.port)
    #expect(answer.contains("Not finished"))
    #expect(!answer.contains("You can close this window"))
    _ = try await task.value
  }

  @Test("the browser is opened at a local page, which redirects once to the real one and says nothing about it")
  func oneTimePage() async throws {
    let presenter = presenter()
    let task = Task { try await presenter.present(.test("http://localhost/callback")) }
    let opened = await pages.nextURL()
    let port = try #require(opened.port.flatMap(UInt16.init(exactly:)))
    #expect(opened.host == "127.0.0.1")
    #expect(opened.query == nil)
    #expect(opened.path.count >= 1 + 22, "128 bits in base64url")
    let answer = try await get(opened.path, port: port)
    #expect(answer.hasPrefix("HTTP/1.1 302 "))
    let page = try #require(answer.field("Location"))
    #expect(page == "https://login.example/authorize?redirect_uri=http%3A%2F%2Flocalhost%3A\(port)%2Fcallback")
    #expect(answer.field("Cache-Control") == "no-store")
    #expect(answer.field("Referrer-Policy") == "no-referrer")
    #expect(answer.hasSuffix("\r\n\r\n"))
    _ = try await get("/callback?code=x&state=\(Self.state)", port: port)
    _ = try await task.value
  }

  @Test(
    "a second fetch of the local page ends the sign-in or sign-out with an error that says so",
    arguments: [PresentationRequest.Purpose.signIn, .signOut])
  func secondFetch(_ purpose: PresentationRequest.Purpose) async throws {
    let (task, page) = await present("http://localhost/callback", purpose: purpose)
    let answer = try await get(page.opened.path, port: page.port)
    #expect(answer.hasPrefix("HTTP/1.1 410 "))
    #expect(!answer.contains("login.example"))
    let error = await #expect(throws: ConnectorError.self) { _ = try await task.value }
    #expect(error?.code == .presentationFailed)
    #expect(error?.message.contains("opened twice") == true)
    await #expect(throws: LoopbackClient.Refused.self) { _ = try await LoopbackClient(port: page.port) }
  }

  @Test(
    "a probe for the local page neither uses it up nor ends the sign-in",
    arguments: ["HEAD PATH", "POST PATH", "GET PATHx", "GET PATH?", "GET /", "GET PATH HOST"])
  func probes(_ probe: String) async throws {
    let presenter = presenter()
    let task = Task { try await presenter.present(.test("http://localhost/callback")) }
    let opened = await pages.nextURL()
    let port = try #require(opened.port.flatMap(UInt16.init(exactly:)))
    let parts = probe.replacingOccurrences(of: "PATH", with: opened.path).split(separator: " ")
    let host = parts.count > 2 ? "evil.example:\(port)" : "localhost:\(port)"
    let client = try await LoopbackClient(port: port)
    await client.send("\(parts[0]) \(parts[1]) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
    #expect(await client.receiveAll().hasPrefix("HTTP/1.1 404 "))
    #expect(try await get(opened.path, port: port).hasPrefix("HTTP/1.1 302 "))
    _ = try await get("/callback?code=x&state=\(Self.state)", port: port)
    _ = try await task.value
  }

  @Test("an id_token_hint is not in the URL that is opened")
  func idTokenHint() async throws {
    let pages = AsyncStream<URL>.makeStream()
    let presenter = LoopbackPresenter { pages.continuation.yield($0) }
    let request = PresentationRequest.test(
      "http://localhost/out", purpose: .signOut, page: "https://login.example/logout?id_token_hint=eyJhbGciOi")
    let task = Task { try await presenter.present(request) }
    var iterator = pages.stream.makeAsyncIterator()
    let url = try #require(await iterator.next())
    #expect(!url.absoluteString.contains("eyJ"))
    let page = await ShownPage(opened: url)
    #expect(page.url.absoluteString.contains("id_token_hint=eyJhbGciOi"))
    _ = try await get("/out?state=\(Self.state)", port: page.port)
    _ = try await task.value
  }
}
