import B2CConnector
import B2CHTTP
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Codes of the facade's error", .hangLimit)
struct ConnectorErrorCodeTests {
  static let all: [ErrorCode] = [
    .userCancelledInPage, .userClosedBrowser, .passwordResetRequested, .interactionRequired, .wrongUser, .accessDenied,
    .userAlreadyExists, .identityProviderFailed, .userCancelled,
    .configuration, .unsupportedRedirectURI, .missingAPIScope, .unsupported,
    .network, .serviceUnavailable, .throttled, .server, .invalidResponse, .tokenCache, .presentationFailed, .portInUse,
    .timedOut,
    .invalidItem, .unauthorized, .insufficientScope, .claimsRequired, .forbidden,
    .notFound, .conflict, .tooLarge, .originNotAllowed, .settings, .suspended, .refreshNotAllowed, .other,
  ]

  /// A file of the repository.
  private func file(_ path: String) throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// What a pattern captures in the lines of a text.
  private func captures(_ pattern: Regex<(Substring, Substring)>, in lines: some Sequence<Substring>) -> [String] {
    lines.flatMap { $0.matches(of: pattern).map { String($0.output.1) } }
  }

  private let names = Set(Self.all.map(\.rawValue))

  @Test("The documentation's table has exactly the codes of the list above, each once")
  func documented() throws {
    #expect(names.count == Self.all.count)
    let lines = try file("Docs/ErrorCodes.md").split(separator: "\n")
    let table = lines.drop { !$0.hasPrefix("| code | means") }.prefix { $0.hasPrefix("|") }.dropFirst(2)
    let cells = table.compactMap { $0.split(separator: "|").first }
    let documented = captures(/`([a-zA-Z]+)`/, in: cells)
    #expect(Set(documented) == names)
    #expect(documented.count == names.count, "A code is in two rows.")
  }

  @Test("An error of this package is caught by its code, and no other error is")
  func caughtByCode() {
    func caught(_ error: any Error) -> String {
      do {
        throw error
      } catch ErrorCode.userClosedBrowser, .userCancelledInPage {
        return "cancelled"
      } catch .configuration {
        return "configuration"
      } catch {
        return "other"
      }
    }
    #expect(caught(ConnectorError(.userClosedBrowser, "Closed.")) == "cancelled")
    #expect(caught(ConnectorError(own: .userCancelledInPage, "Cancelled.")) == "cancelled")
    #expect(caught(ConnectorError(.configuration, "Wrong.")) == "configuration")
    let refused = #expect(throws: ConnectorError.self) { try Authority("contoso") }
    #expect(refused.map(caught) == "configuration")
    #expect(caught(ConnectorError(.timedOut, "Late.")) == "other")
    #expect(caught(CancellationError()) == "other")
  }

  @Test("An addition whose answer is lost says that its outcome is unknown")
  func outcomeIsUnknown() async throws {
    let scene = Scene()
    let connector = try await scene.signedIn(waitingOn: TestClock())
    scene.tasks.faults = [LocalFault(on: .method("POST"), .reset)]
    let error = try await #require(throws: ConnectorError.self) {
      try await connector.addTask(TaskItem(itemName: "Buy milk"))
    }
    #expect(error.code == .network && error.outcomeIsUnknown)
    #expect(error.method == "POST" && error.url == scene.tasks.url.absoluteString)
  }

  @Test(
    "A request to any API that may have changed something says so",
    arguments: [
      ("POST", LocalFault.Effect.reset, true), ("PUT", .reset, true), ("GET", .reset, false),
      ("POST", .respond(LocalResponse(status: 401)), false),
    ])
  func anyAPI(_ method: String, _ effect: LocalFault.Effect, _ isUnknown: Bool) async throws {
    let scene = Scene()
    let connector = try await scene.signedIn(waitingOn: TestClock())
    scene.tasks.faults = [LocalFault(on: .any, effect)]
    var request = URLRequest(url: scene.tasks.url)
    request.httpMethod = method
    let error = try await #require(throws: ConnectorError.self) { try await connector.data(for: request) }
    #expect(error.outcomeIsUnknown == isUnknown)
    #expect(error.method == method)
  }

  @Test("A POST to any API that is repeated with another token and then lost may have changed something")
  func anyAPIAfterARefusal() async throws {
    let scene = Scene()
    let connector = try await scene.signedIn(waitingOn: TestClock())
    let refused = "Bearer \(try await connector.accessToken().token.value)"
    scene.tasks.faults = [
      LocalFault(on: .any, times: 1, .respond(LocalResponse(status: 401))),
      LocalFault(on: LocalFaultTarget { $0.value(forHTTPHeaderField: "Authorization") != refused }, .reset),
    ]
    var request = URLRequest(url: scene.tasks.url)
    request.httpMethod = "POST"
    let error = try await #require(throws: ConnectorError.self) { try await connector.data(for: request) }
    #expect(error.code == .network && error.outcomeIsUnknown)
  }

  @Test("The limit of bytes holds for a transport of the app's own without a limit", arguments: ["GET", "POST"])
  func tooLargeAnswer(_ method: String) async throws {
    let scene = Scene()
    let connector = try scene.connector(
      presenter: scene.script(.signIn(.alice)), transport: Padding(inner: scene.network) { $0.host == "tasks.example" })
    try await connector.doPolicy(.signIn)
    var request = URLRequest(url: scene.tasks.url)
    request.httpMethod = method
    let error = try await #require(throws: ConnectorError.self) { try await connector.data(for: request) }
    #expect(error.code == .tooLarge && error.outcomeIsUnknown == (method == "POST"))
  }

  @Test("A cache that is busy may be free later", arguments: [true, false])
  func cache(_ isRetryable: Bool) async throws {
    let scene = Scene()
    let connector = try scene.connector(cache: BrokenCache(isRetryable: isRetryable))
    let error = try await #require(throws: ConnectorError.self) { try await connector.accessToken() }
    #expect(error.code == .tokenCache && error.isRetryable == isRetryable)
    let session = try await #require(throws: ConnectorError.self) { try await connector.session }
    #expect(session.code == .tokenCache && session.isRetryable == isRetryable && !session.needsInteraction)
  }

  @Test(
    "A metadata document that the server will not give now is no mistake of the settings",
    arguments: [(408, ErrorCode.timedOut), (429, .throttled), (500, .serviceUnavailable)])
  func metadataLater(_ status: Int, _ code: ErrorCode) async throws {
    let scene = Scene()
    scene.tenant.faults = [LocalFault(on: .metadata, .respond(LocalResponse(status: status)))]
    let connector = try Connector(settings: scene.settings(), environment: scene.environment()) { $0.retry = .none }
    let error = try await #require(throws: ConnectorError.self) { try await connector.doPolicy(.signIn) }
    #expect(error.code == code && error.isRetryable && error.status == status)
  }

  @Test("A request to any API that gets no answer is named with its URL")
  func triesOfAnyAPI() async throws {
    let scene = Scene()
    let connector = try await scene.signedIn(waitingOn: TestClock())
    scene.tasks.faults = [LocalFault(on: .method("GET"), .reset)]
    let error = try await #require(throws: ConnectorError.self) {
      try await connector.data(for: URLRequest(url: scene.tasks.url))
    }
    #expect(error.code == .network)
    #expect(error.method == "GET" && error.url == scene.tasks.url.absoluteString)
  }

  @Test("An unknown policy is named with its URL")
  func unknownPolicy() async throws {
    let scene = Scene()
    let connector = try scene.connector()
    let error = try await #require(throws: ConnectorError.self) {
      try await connector.doPolicy(Policy("B2C_1_Misspelt"))
    }
    #expect(error.code == .configuration)
    #expect("\(error)".contains("B2C_1_Misspelt"))
    #expect(error.method == "GET")
    #expect(error.url?.hasSuffix("/.well-known/openid-configuration") == true)
    #expect("\(error)".contains(error.url ?? "?"))
    #expect(error.status == 404 || error.status == 400)
  }

  @Test("A scope that is not offered is named, with the service's own words")
  func unknownScope() async throws {
    let scene = Scene()
    let connector = try scene.connector()
    let scope = "https://contoso.onmicrosoft.com/tasks/typo"
    var options = SignInOptions()
    options.scopes = [scope]
    let error = try await #require(throws: ConnectorError.self) { try await connector.signIn(options: options) }
    #expect(error.code == .configuration && error.serverCode == "AADB2C90117")
    #expect(error.message.contains(scope))
    #expect(error.serverDescription?.contains("is not supported") == true)
    #expect("\(error)".contains("is not supported"))
    #expect(error.url != nil)
  }

  @Test("A refused refresh names its request and status")
  func refusedRefresh() async throws {
    let scene = Scene()
    let connector = try await scene.signedIn()
    scene.tenant.faults = [LocalFault(on: .token, .respond(LocalResponse(status: 503)))]
    let error = try await #require(throws: ConnectorError.self) { try await connector.accessToken(forceRefresh: true) }
    #expect(error.code == .serviceUnavailable && error.status == 503 && error.isRetryable)
    #expect(error.method == "POST")
    #expect(error.url?.hasSuffix("/oauth2/v2.0/token") == true)
    #expect("\(error)".contains("POST https://") && "\(error)".contains("503"))
  }

  @Test("A deletion that may have happened stays unknown when no token is left for its second try")
  func noTokenForTheSecondTry() async throws {
    let scene = Scene(dialect: .rest)
    let connector = try Connector(
      settings: scene.settings(), environment: scene.environment(waitingOn: TestClock())
    ) {
      $0.taskDialect = .rest
      $0.retry = RetryPolicy(maximumDelay: .zero)
    }
    try await connector.doPolicy(.signIn)
    let task = try await connector.addTask(TaskItem(itemName: "old"))
    scene.tenant.revokeGrants()
    await scene.clock.advance(by: .seconds(120))
    // A gateway hides the first answer; the API refuses the second try.
    let second = LocalFaultTarget { [tries = Locked(0)] request in
      request.method == "DELETE"
        && tries.withLock { tries in
          tries += 1
          return tries == 2
        }
    }
    scene.tasks.faults = [
      LocalFault(on: .method("DELETE"), times: 1, .change { $0 = LocalResponse(status: 502) }),
      LocalFault(on: second, .respond(LocalResponse(status: 401))),
    ]
    let error = try await #require(throws: ConnectorError.self) { try await connector.deleteTask(task) }
    #expect(error.code == .interactionRequired && error.needsInteraction)
    #expect(error.outcomeIsUnknown)
    #expect(scene.tasks.tasks.isEmpty)
  }
}

/// A cache that only fails.
private final class BrokenCache: TokenCache {
  let error: ConnectorError

  init(isRetryable: Bool) {
    error = ConnectorError(.tokenCache, "Broken.", isRetryable: isRetryable)
  }

  func record(for key: TokenCacheKey) async throws -> TokenRecord? { throw error }
  func store(_ record: TokenRecord, for key: TokenCacheKey) async throws { throw error }
  func removeRecord(for key: TokenCacheKey) async throws { throw error }
  func keys() async throws -> [TokenCacheKey] { throw error }
}

/// A transport that keeps no limit: some answers get 2 MiB of white space.
private struct Padding: HTTPTransport {
  let inner: any HTTPTransport
  let pads: @Sendable (URL) -> Bool

  func send(_ request: URLRequest, limits: TransportLimits) async throws -> (Data, HTTPURLResponse) {
    let (body, response) = try await inner.send(request, limits: limits)
    return (request.url.map(pads) == true ? body + Data(repeating: 0x20, count: 2 << 20) : body, response)
  }
}
