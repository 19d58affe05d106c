import B2CCore
import B2COAuth
import Foundation
import TestSupport
import Testing

@Suite(.descriptors(), .hangLimit)
struct BrowserOpeningTests {
  /// Opens the page of a flow that ends at once, and gives the error of the flow.
  func open(_ opening: BrowserOpening, page: String = "https://login.example/") async throws -> ErrorCode? {
    let state = Secret("state-of-the-flow")
    let presenter = ExternalBrowserPresenter(opening: opening, timeout: .patience)
    let redirect = try #require(URL(string: "com.example.app:/cb"))
    let url = try #require(URL(string: page))
    let request = PresentationRequest(url: url, redirectURI: redirect, state: state)
    do {
      _ = try await presenter.present(request)
      return nil
    } catch let error as ConnectorError {
      return error.code
    }
  }

  @Test(
    "a browser that others can see is opened at a local page, which redirects once; a second fetch ends the sign-in")
  func externalBrowser() async throws {
    let lines = AsyncStream<String>.makeStream()
    let presenter = ExternalBrowserPresenter(opening: .printing { lines.continuation.yield($0) })
    let task = Task { try await presenter.present(.test("com.example.app:/cb")) }
    var iterator = lines.stream.makeAsyncIterator()
    let line = try #require(await iterator.next())
    let url = try #require(line.split(whereSeparator: \.isWhitespace).last.flatMap { URL(string: String($0)) })
    let port = try #require(url.port.flatMap(UInt16.init(exactly:)))
    let answer = try await get(url.path, port: port)
    #expect(answer.field("Location") == "https://login.example/authorize?redirect_uri=com.example.app%3A%2Fcb")
    #expect(try await get("/other", port: port).hasPrefix("HTTP/1.1 404 "))
    #expect(try await get(url.path, port: port).hasPrefix("HTTP/1.1 410 "))
    let error = await #expect(throws: ConnectorError.self) { _ = try await task.value }
    #expect(error?.code == .presentationFailed)
    #expect(error?.message.contains("opened twice") == true)
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
    #expect(line.contains("\nhttp://127.0.0.1:"))
    #expect(!line.contains("login.example"))
  }

  @Test(
    "only pages of https and of this machine are opened",
    arguments: ["file:///etc/passwd", "http://login.example/", "com.example.app:/x", "javascript:1"])
  func refuses(_ page: String) async throws {
    let opened = LockedFlag()
    #expect(try await open(BrowserOpening { _ in opened.set() }, page: page) == .presentationFailed)
    await expectError(ConnectorError.self, .presentationFailed) {
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
