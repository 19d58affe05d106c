import B2CCore
import B2CHTTP
import B2COAuth
import B2CTestKit
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1)))
struct LoopbackPresenterTests {
  private static let state = PresentationRequest.testState
  private let pages = PageWatcher()

  private func presenter(timeout: Duration = .seconds(300), clock: any Clock<Duration> = ContinuousClock())
    -> LoopbackPresenter
  {
    LoopbackPresenter(
      opening: pages.opening, pages: LoopbackPages(appName: "Tasks"), timeout: timeout, clock: clock)
  }

  private func present(
    _ redirectURI: String, purpose: PresentationRequest.Purpose = .signIn
  ) async -> (Task<URL, any Error>, ShownPage) {
    let presenter = presenter()
    let task = Task { try await presenter.present(.test(redirectURI, purpose: purpose)) }
    return (task, await pages.next())
  }

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
    let answer = try await get("\(path)?code=a%2Bb&state=\(Self.state)", port: page.port)
    #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(answer.contains("You can close this window"))
    let url = try await task.value
    #expect(url.absoluteString == "\(actual.absoluteString)?code=a%2Bb&state=\(Self.state)")
  }

  @Test("takes a form post and puts its fields into the query")
  func formPost() async throws {
    let (task, page) = await present("http://localhost/callback")
    let body = "code=a%2Fb+c&state=\(Self.state)&iss=https%3A%2F%2Flogin.example%2F"
    let client = try await LoopbackClient(port: page.port)
    await client.send(
      """
      POST /callback HTTP/1.1\r
      Host: localhost:\(page.port)\r
      Content-Type: application/x-www-form-urlencoded; charset=utf-8\r
      Content-Length: \(body.utf8.count)\r
      \r
      \(body)
      """)
    #expect(await client.receiveAll().hasPrefix("HTTP/1.1 200 OK\r\n"))
    let url = try await task.value
    let query = URLComponents(url: url, resolvingAgainstBaseURL: false)?.percentEncodedQuery
    #expect(query == "code=a%2Fb%20c&state=\(Self.state)&iss=https%3A%2F%2Flogin.example%2F")
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
    "everything but the redirect with the right state is 404, and the wait goes on",
    arguments: [
      "GET /favicon.ico", "GET /", "GET /callback", "GET /callback?code=x", "GET /callback?code=x&state=wrong",
      "GET /callback?code=x&state=", "GET /callback/?code=x&state=STATE", "GET /CALLBACK?code=x&state=STATE",
      "GET //callback?code=x&state=STATE", "GET /x/../callback?code=x&state=STATE",
      "GET /%63allback?code=x&state=STATE", "GET /callback?code=x&state=STATE&state=STATE",
      "GET /callback?code=x#&state=STATE",
      "HEAD /callback?code=x&state=STATE", "PUT /callback?code=x&state=STATE", "OPTIONS *",
      "POST /callback?code=x&state=STATE",
    ])
  func others(_ line: String) async throws {
    let (task, page) = await present("http://localhost/callback")
    let client = try await LoopbackClient(port: page.port)
    let target = line.replacingOccurrences(of: "STATE", with: Self.state)
    await client.send("\(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    let answer = await client.receiveAll()
    #expect(answer.hasPrefix("HTTP/1.1 404 "))
    #expect(answer.contains("Cache-Control: no-store\r\n"))
    _ = try await get("/callback?code=real&state=\(Self.state)", port: page.port)
    #expect(try await task.value.absoluteString.contains("code=real"))
  }

  @Test(
    "a form with another type, by another name or without a name is 404",
    arguments: [
      "Host: localhost\r\nContent-Type: text/plain\r\n", "Host: localhost\r\nContent-Type: application/json\r\n",
      "Host: evil.example\r\nContent-Type: application/x-www-form-urlencoded\r\n",
      "Host: localhost.evil.example:80\r\nContent-Type: application/x-www-form-urlencoded\r\n",
    ])
  func otherForms(_ headers: String) async throws {
    let (task, page) = await present("http://localhost/callback")
    let body = "code=x&state=\(Self.state)"
    let client = try await LoopbackClient(port: page.port)
    await client.send("POST /callback HTTP/1.1\r\n\(headers)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    #expect(await client.receive(through: "Not found").hasPrefix("HTTP/1.1 404 "))
    task.cancel()
    await #expect(throws: CancellationError.self) { _ = try await task.value }
  }

  @Test("a port that the redirect URI names is listened on, and in use it is a clear error")
  func fixedPort() async throws {
    let other = try await LoopbackListener { (_: LoopbackRequest) in .text("other") }
    let uri = "http://localhost:\(other.port)/callback"
    let presenter = presenter()
    let error = await #expect(throws: OAuthError.self) { _ = try await presenter.present(.test(uri)) }
    #expect(error?.code == .portInUse)
    #expect(error?.message.contains("\(other.port)") == true)
    await other.close()
    let (task, page) = await present(uri)
    #expect(page.redirectURI?.absoluteString == uri)
    _ = try await get("/callback?code=x&state=\(Self.state)", port: other.port)
    #expect(try await task.value.absoluteString.hasPrefix(uri + "?"))
  }

  @Test("localhost is served at both addresses; a literal address although the other one is taken")
  func families() async throws {
    let (task, page) = await present("http://localhost/callback")
    for address in LoopbackAddress.allCases {
      guard let client = try? await LoopbackClient(port: page.port, address: address) else {
        #expect(address == .ipv6)
        continue
      }
      await client.send("GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n")
      #expect(await client.receive(through: "Not found").hasPrefix("HTTP/1.1 404 "))
    }
    task.cancel()
    guard let taken = try? await LoopbackListener(addresses: [.ipv6], answer: { _ in .text("") }) else { return }
    let (literal, _) = await present("http://127.0.0.1:\(taken.port)/callback")
    _ = try await get("/callback?code=x&state=\(Self.state)", port: taken.port)
    #expect(try await literal.value.port == Int(taken.port))
    let named = presenter()
    await #expect(throws: OAuthError(.portInUse, "")) {
      _ = try await named.present(.test("http://localhost:\(taken.port)/"))
    }
    await taken.close()
  }

  @Test("the port is closed when the flow has ended")
  func closes() async throws {
    let (task, page) = await present("http://localhost/callback")
    _ = try await get("/callback?code=x&state=\(Self.state)", port: page.port)
    _ = try await task.value
    await #expect(throws: LoopbackListenerError.self) { _ = try await LoopbackClient(port: page.port) }
  }

  @Test("cancelling ends the wait and closes the port")
  func cancellation() async throws {
    let (task, page) = await present("http://localhost/callback")
    task.cancel()
    await #expect(throws: CancellationError.self) { _ = try await task.value }
    await #expect(throws: LoopbackListenerError.self) { _ = try await LoopbackClient(port: page.port) }
  }

  @Test("a browser that cannot be opened ends the wait")
  func browserFails() async {
    struct NoBrowser: Error {}
    let presenter = LoopbackPresenter(opening: BrowserOpening { _ in throw NoBrowser() })
    let error = await #expect(throws: OAuthError.self) { _ = try await presenter.present(.test("http://localhost/")) }
    #expect(error?.code == .presentationFailed)
    #expect(error?.underlying is NoBrowser)
  }

  @Test("a way of opening that never returns does not hold the answer back")
  func browserStays() async throws {
    let gate = LoopbackGate()
    let (urls, continuation) = AsyncStream<URL>.makeStream()
    let presenter = LoopbackPresenter(
      opening: BrowserOpening { url in
        continuation.yield(url)
        await Task { await gate.wait() }.value
      })
    let task = Task { try await presenter.present(.test("http://localhost/")) }
    var iterator = urls.makeAsyncIterator()
    let page = ShownPage(url: try #require(await iterator.next()))
    _ = try await get("/?code=x&state=\(Self.state)", port: page.port)
    #expect(try await task.value.query?.contains("code=x") == true)
    gate.open()
  }

  @Test("nobody may take longer than the timeout")
  func timeout() async throws {
    let clock = TestClock()
    let presenter = presenter(timeout: .seconds(90), clock: clock)
    let task = Task { try await presenter.present(.test("http://localhost/callback")) }
    let page = await pages.next()
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(89))
    #expect(try await get("/favicon.ico", port: page.port).hasPrefix("HTTP/1.1 404 "))
    await clock.advance(by: .seconds(1))
    let error = await #expect(throws: OAuthError.self) { _ = try await task.value }
    #expect(error?.code == .timedOut)
    #expect(error?.isRetryable == true)
  }

  @Test("a thousand connections, half requests and garbage do not keep the real answer out")
  func attackers() async throws {
    let (task, page) = await present("http://localhost/callback")
    let first = try await LoopbackClient(port: page.port)
    var attackers: [LoopbackClient] = []
    for number in 1...1000 {
      let attacker = try await LoopbackClient(port: page.port, besides: first)
      if number % 3 == 1 { await attacker.send("GET /callback?code=") }
      if number % 3 == 2 { await attacker.send("\u{16}\u{3}\u{1}garbage") }
      attackers.append(attacker)
      // A process has only so many descriptors.
      if attackers.count > 300 { attackers.removeFirst() }
    }
    let answer = try await get("/callback?code=real&state=\(Self.state)", port: page.port)
    #expect(answer.hasPrefix("HTTP/1.1 200 "))
    #expect(try await task.value.absoluteString.contains("code=real"))
  }

  @Test("a head of more than 16 KiB is refused and the wait goes on")
  func largeHead() async throws {
    let (task, page) = await present("http://localhost/callback")
    let long = String(repeating: "a", count: 16 * 1024)
    let answer = try await get("/callback?code=\(long)&state=\(Self.state)", port: page.port)
    #expect(answer.hasPrefix("HTTP/1.1 431 "))
    task.cancel()
    await #expect(throws: CancellationError.self) { _ = try await task.value }
  }

  @Test("two sign-ins at once each get their own answer")
  func twoAtOnce() async throws {
    let (first, firstPage) = await present("http://localhost/callback")
    let (second, secondPage) = await present("http://localhost/callback")
    _ = try await get("/callback?code=2&state=\(Self.state)", port: secondPage.port)
    _ = try await get("/callback?code=1&state=\(Self.state)", port: firstPage.port)
    #expect(try await first.value.query?.contains("code=1&") == true)
    #expect(try await second.value.query?.contains("code=2&") == true)
  }
}
