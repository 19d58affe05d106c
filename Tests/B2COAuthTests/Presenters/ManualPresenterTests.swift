import B2CCore
import B2COAuth
import Foundation
import TestSupport
import Testing

@Suite(.hangLimit)
struct ManualPresenterTests {
  private static let state = PresentationRequest.testState
  private static let oob = "urn:ietf:wg:oauth:2.0:oob"

  /// A person at a terminal: what they are shown, and the lines they will paste.
  private final class Person: Sendable {
    private let lines: Locked<[String]>
    private let seen = Locked<[String]>([])

    init(_ lines: [String]) {
      self.lines = Locked(lines)
    }

    var shown: String { seen.withLock { $0.joined(separator: "\n") } }

    var presenter: ManualPresenter {
      ManualPresenter(
        write: { line in self.seen.withLock { $0.append(line) } },
        readLine: { self.lines.withLock { $0.isEmpty ? nil : $0.removeFirst() } })
    }
  }

  private func present(
    _ lines: [String], redirectURI: String = oob, purpose: PresentationRequest.Purpose = .signIn
  ) async throws -> (String, Person) {
    let person = Person(lines.map { $0.replacingOccurrences(of: "STATE", with: Self.state) })
    let url = try await person.presenter.present(.test(redirectURI, purpose: purpose))
    return (url.absoluteString, person)
  }

  @Test("shows the whole URL and says what to paste")
  func shows() async throws {
    let (_, person) = try await present(["eyJjb2Rl.x-y_z"])
    #expect(person.shown.contains("https://login.example/authorize?redirect_uri=urn%3Aietf%3Awg%3Aoauth%3A2.0%3Aoob"))
    #expect(person.shown.contains("paste"))
  }

  @Test(
    "takes a code or the callback URL",
    arguments: [
      (oob, "eyJjb2Rl.x-y_z", "?code=eyJjb2Rl.x-y_z&state=STATE"),
      (oob, "  eyJjb2Rl\t.x-y_z \r", "?code=eyJjb2Rl.x-y_z&state=STATE"),
      (oob, "4/0Ab+cd", "?code=4%2F0Ab%2Bcd&state=STATE"),
      (oob, "urn:ietf:wg:oauth:2.0:oob?code=abc&state=STATE", "?code=abc&state=STATE"),
      ("http://localhost:8400/cb", "http://localhost:8400/cb?code=abc&state=STATE", "?code=abc&state=STATE"),
      ("http://localhost:8400/cb", "\"http://localhost:8400/cb?code=abc&state=STATE\"", "?code=abc&state=STATE"),
      ("com.example.app:/cb", "com.example.app:/cb?code=abc&state=STATE", "?code=abc&state=STATE"),
      ("https://app.example/cb", "https://app.example/cb?code=abc&state=STATE", "?code=abc&state=STATE"),
    ])
  func takes(_ redirectURI: String, _ pasted: String, _ rest: String) async throws {
    let (url, _) = try await present([pasted], redirectURI: redirectURI)
    #expect(url == redirectURI + rest.replacingOccurrences(of: "STATE", with: Self.state))
  }

  @Test(
    "refuses what is no answer to this request",
    arguments: [
      "", "   ", "yes", "urn:ietf:wg:oauth:2.0:oob?code=abc&state=wrong", "urn:ietf:wg:oauth:2.0:oob?code=abc",
      "https://evil.example/?code=abc&state=STATE", "code=abc&state=wrong", "code=abc", "?code=abc&state=STATE",
      "grüße-aus-bonn",
    ])
  func refuses(_ pasted: String) async {
    await expectError(ConnectorError.self, .invalidResponse, saying: "What was pasted is neither") {
      _ = try await present([pasted, "the-right-code"])
    }
  }

  @Test(
    "a redirect URI with a port takes the callback at that port only (RFC 9700 section 2.1)",
    arguments: ["http://127.0.0.1:8401/?code=abc&state=STATE", "http://127.0.0.1/?code=abc&state=STATE"])
  func port(_ pasted: String) async {
    await expectError(ConnectorError.self, .invalidResponse, saying: "What was pasted is neither") {
      _ = try await present([pasted], redirectURI: "http://127.0.0.1:8400/")
    }
  }

  @Test("a redirect URI without a port takes the callback at any (RFC 8252 section 7.3)")
  func anyPort() async throws {
    let callback = "http://127.0.0.1:8401/?code=abc&state=STATE"
    let (url, _) = try await present([callback], redirectURI: "http://127.0.0.1/")
    #expect(url == callback.replacingOccurrences(of: "STATE", with: Self.state))
  }

  @Test("an id_token_hint is not shown, and the rest of the page's URL is")
  func idTokenHint() async throws {
    let person = Person([""])
    _ = try await person.presenter.present(
      .test(
        "https://app.example/out", purpose: .signOut,
        page: "https://login.example/logout?a=1&id_token_hint=eyJhbGciOi&b=%2B"))
    #expect(
      person.shown.contains("https://login.example/logout?a=1&b=%2B&redirect_uri=https%3A%2F%2Fapp.example%2Fout"))
    #expect(!person.shown.contains("eyJ"))
  }

  @Test("the end of the input is the user's leaving")
  func endOfInput() async {
    await expectError(ConnectorError.self, .userClosedBrowser) { _ = try await present([]) }
  }

  @Test("a sign-out needs no more than Return")
  func signOut() async throws {
    let (url, _) = try await present([""], redirectURI: "https://app.example/out", purpose: .signOut)
    #expect(url == "https://app.example/out")
  }

  @Test(
    "any line ends a sign-out: the page's own address, a callback with another state or none",
    arguments: [
      "https://app.example/out?state=wrong", "https://app.example/out", "https://login.example/logout", "state=wrong",
      "done",
    ])
  func signOutWithoutState(_ pasted: String) async throws {
    let (url, _) = try await present([pasted], redirectURI: "https://app.example/out", purpose: .signOut)
    #expect(url.hasPrefix("https://app.example/out"))
  }

  @Test("a cancelled task is no answer")
  func cancellation() async {
    let presenter = ManualPresenter(write: { _ in }, readLine: { "the-right-code" })
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await presenter.present(.test(Self.oob))
    }
    await #expect(throws: CancellationError.self) { _ = try await task.value }
  }
}

// Exit tests came with Swift 6.2, for the systems where a process can start another one.
#if compiler(>=6.2) && (os(macOS) || os(Linux))
  /// Standard error that cannot be written to.
  extension ManualPresenterTests {
    @Test("A full disk behind standard error does not end the process")
    func fullDisk() async {
      await #expect(processExitsWith: .success) {
        guard dup2(open("/dev/full", O_WRONLY), 2) == 2, dup2(open("/dev/null", O_RDONLY), 0) == 0 else { return }
        _ = try? await ManualPresenter().present(.test("urn:ietf:wg:oauth:2.0:oob"))
      }
    }

    @Test("A closed standard error does not end the process")
    func closedStandardError() async {
      await #expect(processExitsWith: .success) {
        guard dup2(open("/dev/null", O_RDONLY), 0) == 0 else { return }
        close(2)
        _ = try? await ManualPresenter().present(.test("urn:ietf:wg:oauth:2.0:oob"))
      }
    }
  }
#endif
