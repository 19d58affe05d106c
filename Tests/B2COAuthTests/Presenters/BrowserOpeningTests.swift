import B2CCore
import B2COAuth
import Foundation
import TestSupport
import Testing

@Suite(.descriptors(), .timeLimit(.minutes(10)))
struct BrowserOpeningTests {
  /// Opens the page of a flow that ends at once, and gives the error of the flow.
  private func open(_ opening: BrowserOpening, page: String = "https://login.example/") async throws -> ErrorCode? {
    let state = Secret("state-of-the-flow")
    let presenter = ExternalBrowserPresenter(opening: opening, timeout: .seconds(20))
    let redirect = try #require(URL(string: "com.example.app:/cb"))
    let url = try #require(URL(string: page))
    let request = PresentationRequest(purpose: .signIn, redirectURI: redirect, state: state) { _ in url }
    do {
      _ = try await presenter.present(request)
      return nil
    } catch let error as OAuthError {
      return error.code
    }
  }

  /// A folder with a program that writes its argument into the file `opened` and ends with a status.
  private func folder(exitStatus: Int) throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let opened = folder.appendingPathComponent("opened")
    let program = folder.appendingPathComponent("fake-open")
    let script = "#!/bin/sh\nprintf '%s' \"$#:$1\" > '\(opened.path)'\nexit \(exitStatus)\n"
    try Data(script.utf8).write(to: program)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
    return folder
  }

  @Test("the program's only argument is a one-time local page, with nothing of the page's URL in it")
  func program() async throws {
    let folder = try folder(exitStatus: 3)
    defer { try? FileManager.default.removeItem(at: folder) }
    // The status makes the flow end; the program has run by then.
    #expect(
      try await open(
        .command(named: ["fake-open"], path: folder.path),
        page: "https://login.example/logout?id_token_hint=eyJhbGciOi&state=s3cret&a=$(x)") == .presentationFailed)
    let argument = try String(contentsOf: folder.appendingPathComponent("opened"), encoding: .utf8)
    #expect(argument.hasPrefix("1:http://127.0.0.1:"))
    for piece in ["login.example", "eyJ", "s3cret", "$", "?", " "] { #expect(!argument.contains(piece)) }
  }

  @Test(
    "a browser that others can see is opened at a local page, which redirects once; a second fetch ends the sign-in")
  func externalBrowser() async throws {
    let lines = AsyncStream<String>.makeStream()
    let presenter = ExternalBrowserPresenter(opening: .printing { lines.continuation.yield($0) })
    let task = Task { try await presenter.present(.test("com.example.app:/cb")) }
    var iterator = lines.stream.makeAsyncIterator()
    let line = try #require(await iterator.next())
    let url = try #require(line.components(separatedBy: " ").last.flatMap { URL(string: $0) })
    let port = try #require(url.port.flatMap(UInt16.init(exactly:)))
    let answer = try await get(url.path, port: port)
    #expect(answer.field("Location") == "https://login.example/authorize?redirect_uri=com.example.app%3A%2Fcb")
    #expect(try await get("/other", port: port).hasPrefix("HTTP/1.1 404 "))
    #expect(try await get(url.path, port: port).hasPrefix("HTTP/1.1 410 "))
    let error = await #expect(throws: OAuthError.self) { _ = try await task.value }
    #expect(error?.code == .presentationFailed)
    #expect(error?.message.contains("opened twice") == true)
  }

  @Test("a program that is not there is a clear error")
  func noProgram() async throws {
    let opening = BrowserOpening.command(named: ["no-such-program"], path: "/nonexistent:relative")
    #expect(try await open(opening) == .presentationFailed)
  }

  @Test("a way that fails falls back to another")
  func fallsBack() async throws {
    let opening = BrowserOpening.command(named: ["no-such-program"], path: "")
      .fallingBack(to: BrowserOpening { _ in throw OAuthError(.timedOut, "the other way") })
    #expect(try await open(opening) == .timedOut)
  }

  @Test("the URL can be shown instead")
  func printing() async throws {
    let lines = AsyncStream<String>.makeStream()
    let presenter = LoopbackPresenter(opening: .printing { lines.continuation.yield($0) })
    let task = Task { try await presenter.present(.test("http://localhost/")) }
    var iterator = lines.stream.makeAsyncIterator()
    let line = try #require(await iterator.next())
    task.cancel()
    _ = await task.result
    #expect(line.contains("http://127.0.0.1:"))
    #expect(!line.contains("login.example"))
  }

  @Test(
    "only pages of https and of this machine are opened",
    arguments: ["file:///etc/passwd", "http://login.example/", "com.example.app:/x", "javascript:1"])
  func refuses(_ page: String) async throws {
    let opened = LockedFlag()
    #expect(try await open(BrowserOpening { _ in opened.set() }, page: page) == .presentationFailed)
    await #expect(throws: OAuthError(.presentationFailed, "")) {
      _ = try await LoopbackPresenter(opening: BrowserOpening { _ in opened.set() })
        .present(.test("http://localhost/", page: page))
    }
    #expect(!opened.isSet)
  }

  @Test("an error of the app's own way is kept below")
  func wrapsErrors() async throws {
    struct Refused: Error {}
    #expect(try await open(BrowserOpening { _ in throw Refused() }) == .presentationFailed)
  }
}
