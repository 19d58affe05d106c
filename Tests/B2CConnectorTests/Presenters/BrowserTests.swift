import B2CConnector
import B2CLoopback
import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite(.descriptors(), .hangLimit)
struct BrowserTests {
  @Test(
    "Only pages of https and of this machine are opened",
    arguments: ["file:///etc/passwd", "http://login.example/", "com.example.app:/x", "javascript:1"])
  func refuses(_ page: String) async throws {
    let opened = Recorder<URL>()
    await expectError(ConnectorError.self, .presentationFailed) {
      try await ExternalBrowserPresenter(open: opened.record).present(.test("com.example.app:/cb", page: page))
    }
    await expectError(ConnectorError.self, .presentationFailed) {
      try await LoopbackPresenter(open: opened.record).present(.test("http://localhost/", page: page))
    }
    #expect(opened.values.isEmpty)
  }

  @Test("An error of the app's own way to open a page ends the wait, and is kept below")
  func wrapsErrors() async throws {
    struct Refused: Error {}
    let own = ConnectorError(.presentationFailed, "no browser")
    for error in [Refused() as any Error & Sendable, own] {
      let open: @Sendable (URL) async throws -> Void = { _ in throw error }
      for (presenter, redirect) in [
        (ExternalBrowserPresenter(open: open), "com.example.app:/cb"),
        (LoopbackPresenter(open: open), "http://localhost/"),
      ] as [(any SignInPresenter, String)] {
        let thrown = try await #require(throws: ConnectorError.self) { try await presenter.present(.test(redirect)) }
        #expect(thrown.code == .presentationFailed)
        #expect(error is Refused ? thrown.underlying is Refused : thrown.message == own.message)
      }
    }
  }
}

// Where a process can start another one.
#if os(macOS) || os(Linux)
  extension BrowserTests {
    @Test(
      "The program's only argument is a one-time local page without the page's URL, which is printed if the program fails",
      arguments: [0, 3])
    func program(exitStatus: Int) async throws {
      // The program writes its argument into a file.
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let (program, opened) = (folder.appendingPathComponent("fake-open"), folder.appendingPathComponent("opened"))
      let script = "#!/bin/sh\nprintf '%s' \"$#:$1\" > '\(opened.path)'\nexit \(exitStatus)\n"
      try Data(script.utf8).write(to: program)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
      let texts = AsyncStream<String?>.makeStream()
      let presenter = LoopbackPresenter { url in
        var text: String?
        await B2CConnector.Browser.open(url, with: ["fake-open"], path: folder.path) { text = $0 }
        texts.continuation.yield(text)
      }
      let page = "https://login.example/logout?id_token_hint=eyJhbGciOi&state=s3cret&a=$(x)"
      let task = Task { try await presenter.present(.test("http://localhost/", page: page)) }
      var iterator = texts.stream.makeAsyncIterator()
      let text = try #require(await iterator.next())
      task.cancel()
      _ = await task.result
      let argument = try String(contentsOf: opened, encoding: .utf8)
      #expect(argument.hasPrefix("1:http://127.0.0.1:"))
      for piece in ["login.example", "eyJ", "s3cret", "$", "?", " "] { #expect(!argument.contains(piece)) }
      let printed = "Open this page in a browser on this machine, once:\n" + argument.dropFirst(2)
      #expect(text == (exitStatus == 0 ? nil : printed))
    }

    @Test("Without a program the page is printed", arguments: ["/nonexistent:relative", ""])
    func noProgram(path: String) async throws {
      var text = ""
      await B2CConnector.Browser.open(try url("http://127.0.0.1:1/x"), path: path) { text = $0 }
      #expect(text.hasSuffix("\nhttp://127.0.0.1:1/x"))
    }
  }
#endif

// Exit tests came with Swift 6.2. FoundationNetworking may deadlock when one of its requests is given up, and two threads
// that it blocks are all that a small machine's pool has, so each of these tests has a process of its own.
#if compiler(>=6.2) && (os(macOS) || os(Linux))
  extension BrowserTests {
    // Not the shared session: on Linux it writes into the home directory, which may be read-only.
    private static let session = URLSession(configuration: .ephemeral)
    private static let open: @Sendable (URL) async throws -> Void = { _ = try await session.data(from: $0) }

    @Test("A way of opening that follows the pages with URLSession does not hang the sign-in")
    func openerFollows() async {
      await #expect(processExitsWith: .success) {
        // Redirects at once with a code.
        let server = try await LoopbackListener { (request: LoopbackRequest) in
          let pairs = FormEncoding.decode(request.query ?? "")
          let redirect = pairs.first { $0.name == "redirect_uri" }?.value ?? ""
          let location = "\(redirect)?code=x&state=\(PresentationRequest.testState)"
          return LoopbackResponse(status: 302, headers: ["Location": location])
        }
        let presenter = LoopbackPresenter(open: BrowserTests.open)
        for _ in 1...20 {
          let url = try await presenter.present(
            .test("http://127.0.0.1/callback", page: "http://127.0.0.1:\(server.port)/authorize"))
          guard url.query?.contains("code=x") == true else { exit(1) }
        }
        exit(0)
      }
    }

    @Test("A way of opening that waits for a server that never answers does not outlast the timeout")
    func openerWaits() async {
      await #expect(processExitsWith: .success) {
        let arrived = TestGate()
        let server = try await LoopbackListener { exchange in
          arrived.open()
          await exchange.waitForDisconnect()
        }
        let clock = TestClock(advancesItself: false)
        let presenter = LoopbackPresenter(open: BrowserTests.open, timeout: .seconds(5), clock: clock)
        let task = Task {
          try await presenter.present(.test("http://127.0.0.1/callback", page: "http://127.0.0.1:\(server.port)/"))
        }
        try await arrived.wait()
        await clock.waitForSleepers()
        await clock.advance(by: .seconds(5))
        let error = await #expect(throws: ConnectorError.self) { _ = try await task.value }
        exit(error?.code == .timedOut ? 0 : 1)
      }
    }

    @Test("A closed standard error, where a page's address is printed, does not end the process")
    func closedStandardError() async {
      await #expect(processExitsWith: .success) {
        guard close(2) == 0 else { exit(1) }
        await B2CConnector.Browser.open(URL(filePath: "/page"), path: "")
        exit(0)
      }
    }
  }
#endif
