import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a token cache, a presenter or a transport of the app says reaches errors, events and a diagnosis cut, printable
/// and without secrets.
@Suite("The words of parts that the app supplied", .hangLimit)
struct ConnectorErrorCustomPartsTests {
  private static let words =
    "postgresql://server:Sec@ret-Pass@db/tokens password=hunter2 eyJhbGciOiJub25lIn0.canary.sig "
    + "\u{1B}]0;pwn\u{7}\u{202E}\n2026 admin logged in" + String(repeating: " on and on", count: 1_000)

  private final class Cache: TokenCache {
    static let error = ConnectorError(.tokenCache, words, recoverySuggestion: words)

    func record(for key: TokenCacheKey) async throws -> TokenRecord? { throw Self.error }
    func store(_ record: TokenRecord, for key: TokenCacheKey) async throws { throw Self.error }
    func removeRecord(for key: TokenCacheKey) async throws { throw Self.error }
    func keys() async throws -> [TokenCacheKey] { throw Self.error }
  }

  private struct Presenter: SignInPresenter {
    static let error = ConnectorError(.presentationFailed, words, recoverySuggestion: words)

    func validate(redirectURI: URL) throws { throw Self.error }
    func present(_ request: PresentationRequest) async throws -> URL { throw Self.error }
  }

  private struct Transport: HTTPTransport {
    func send(_ request: URLRequest, limits: TransportLimits) async throws -> (Data, HTTPURLResponse) {
      throw ConnectorError(.invalidResponse, words, recoverySuggestion: words)
    }
  }

  enum Part: CaseIterable, Sendable { case cache, presenter, transport }

  private func environment(_ part: Part, _ events: TextLog) throws -> Connector.Environment {
    let scene = Scene()
    var environment = scene.environment(
      presenter: part == .presenter ? Presenter() : nil, cache: part == .cache ? Cache() : InMemoryTokenCache(),
      transport: part == .transport ? Transport() : nil)
    environment.onEvent = { events.add("\($0)") }
    return environment
  }

  private func check(_ text: String) {
    for secret in ["Sec@ret", "ret-Pass", "hunter2", "eyJ", "canary"] {
      #expect(!text.contains(secret), "\(text)")
    }
    #expect(text.unicodeScalars.allSatisfy { PrintableText.isPrintable($0) || $0 == "\n" })
    #expect(!text.split(separator: "\n").contains { $0.hasPrefix("2026 admin") }, "\(text)")
    #expect(text.contains("[redacted]@db/tokens"), "\(text)")
    #expect(text.utf8.count < 4_000)
  }

  @Test("An error and the events of a sign-in", arguments: Part.allCases)
  func signIn(_ part: Part) async throws {
    let events = TextLog()
    let environment = try environment(part, events)
    // A presenter is asked as soon as the connector is made.
    let error = try await #require(throws: ConnectorError.self) {
      try await Connector(settings: Scene().settings(), environment: environment).signIn()
    }
    check("\(error)")
    var dumped = ""
    dump(error.underlying as Any, to: &dumped)
    #expect(!dumped.contains("hunter2") && !dumped.contains("\u{1B}"))
    for text in events.all { #expect(!text.contains("hunter2") && !text.contains("\u{1B}")) }
  }

  @Test("A diagnosis, which does not touch the cache", arguments: [Part.presenter, .transport])
  func diagnosis(_ part: Part) async throws {
    let environment = try environment(part, TextLog())
    check("\(try await Connector.diagnose(settings: Scene().settings(), environment: environment))")
  }
}

/// The texts of events.
private final class TextLog: Sendable {
  private let texts = Locked<[String]>([])

  var all: [String] { texts.withLock { $0 } }

  func add(_ text: String) { texts.withLock { $0.append(text) } }
}
