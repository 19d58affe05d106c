import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Errors of the connector", .hangLimit)
struct ConnectorErrorTests {
  // MARK: The type

  static let codes: [ErrorCode] = [
    .userCancelledInPage, .userClosedBrowser, .passwordResetRequested, .interactionRequired, .wrongUser, .accessDenied,
    .userAlreadyExists, .identityProviderFailed, .userCancelled, .configuration, .unsupportedRedirectURI,
    .missingAPIScope, .unsupported, .network, .serviceUnavailable, .throttled, .server, .invalidResponse, .tokenCache,
    .presentationFailed, .portInUse, .timedOut, .invalidItem, .unauthorized, .insufficientScope, .claimsRequired,
    .forbidden, .notFound, .conflict, .tooLarge, .originNotAllowed, .settings, .suspended, .refreshNotAllowed, .other,
  ]

  @Test("The guide's table has exactly the codes of the list above, each once")
  func documented() throws {
    let root = (0..<3).reduce(URL(filePath: #filePath)) { path, _ in path.deletingLastPathComponent() }
    let lines = try String(contentsOf: root.appending(path: "Docs/ErrorCodes.md"), encoding: .utf8).split(
      separator: "\n")
    let table = lines.drop { !$0.hasPrefix("| code | means") }.prefix { $0.hasPrefix("|") }.dropFirst(2)
    let cells = table.compactMap { $0.split(separator: "|").first }
    let documented = cells.flatMap { $0.matches(of: /`([a-zA-Z]+)`/).map { String($0.output.1) } }
    #expect(documented.sorted() == Self.codes.map(\.rawValue).sorted())
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
    let refused = #expect(throws: ConnectorError.self) { try Authority("contoso") }
    #expect(refused.map(caught) == "configuration")
    #expect(caught(ConnectorError(.timedOut, "Late.")) == "other")
    #expect(caught(CancellationError()) == "other")
  }

  @Test("An app's own part or fake can fill in every property, and no token or query is shown")
  func everything() throws {
    let id = UUID()
    let token = "eyJhbGciOiJSUzI1NiJ9.e30"
    let error = ConnectorError(
      .server, "Refused \(token).", recoverySuggestion: "Wait.", isRetryable: true, needsInteraction: true,
      outcomeIsUnknown: true, method: "POST", url: URL(string: "https://api.example/tasks?code=\(token)"), status: 500,
      retryAfter: 3, oauthError: "server_error", serverCode: "AADB2C90118", serverDescription: "It said \(token).",
      correlationID: id, claims: #"{"access_token":{}}"#, underlying: CancellationError())
    #expect(error.code == .server && error.message == "Refused [redacted]" && error.recoverySuggestion == "Wait.")
    #expect(error.isRetryable && error.needsInteraction && error.outcomeIsUnknown)
    #expect(error.method == "POST" && error.url == "https://api.example/tasks" && error.status == 500)
    #expect(error.retryAfter == 3 && error.oauthError == "server_error" && error.serverCode == "AADB2C90118")
    #expect(error.correlationID == id && error.claims == #"{"access_token":{}}"#)
    #expect(error.underlying is CancellationError)
    #expect(!"\(error)".contains("eyJ") && error.serverDescription == "It said [redacted]", "\(error)")
  }

  @Test("An error has what its code alone says, unless it is made with something else")
  func defaults() {
    let busy = ConnectorError(.throttled, "Busy.")
    #expect(busy.isRetryable && !busy.needsInteraction && !busy.outcomeIsUnknown && busy.status == nil)
    #expect(ConnectorError(.interactionRequired, "Signed out.").needsInteraction)
  }

  // MARK: The request and the provider's words

  @Test("Everything the provider said is there")
  func server() async throws {
    let scene = Scene()
    let error = try await #require(throws: ConnectorError.self) {
      try await scene.connector(presenter: scene.script(.cancel)).doPolicy(.signIn)
    }
    #expect(error.code == .userCancelledInPage && error.serverCode == "AADB2C90091")
    #expect(error.oauthError == "access_denied" && error.correlationID != nil)
    #expect(!error.isRetryable && !error.needsInteraction)
  }

  @Test("The task server's refusal keeps its status and code")
  func tasks() async throws {
    let scene = Scene()
    let connector = try await scene.signedIn()
    let body = Data(#"{"code":"MissingTask","message":"\"Text\" is a required parameter"}"#.utf8)
    scene.tasks.faults = [LocalFault(on: .method("POST"), .respond(LocalResponse(status: 409, body: body)))]
    let error = try await #require(throws: ConnectorError.self) {
      try await connector.addTask(TaskItem(itemName: "x"))
    }
    #expect(error.status == 409 && error.serverCode == "MissingTask")
  }

  @Test(
    "A metadata document that the server will not give now is no mistake of the settings",
    arguments: [(408, ErrorCode.timedOut), (429, .throttled), (500, .serviceUnavailable)])
  func metadataLater(_ status: Int, _ code: ErrorCode) async throws {
    let scene = Scene()
    scene.tenant.faults = [LocalFault(on: .metadata, .respond(LocalResponse(status: status)))]
    let error = try await #require(throws: ConnectorError.self) {
      try await scene.connector { $0.retry = .none }.doPolicy(.signIn)
    }
    #expect(error.code == code && error.isRetryable && error.status == status)
  }

  @Test("An unknown policy is named with its URL")
  func unknownPolicy() async throws {
    let error = try await #require(throws: ConnectorError.self) {
      try await Scene().connector().doPolicy(Policy("B2C_1_Misspelt"))
    }
    #expect(error.code == .configuration && "\(error)".contains("B2C_1_Misspelt"))
    #expect(error.method == "GET" && error.url?.hasSuffix("/.well-known/openid-configuration") == true)
    #expect("\(error)".contains(error.url ?? "?"))
    #expect(error.status == 404 || error.status == 400)
  }

  @Test("A scope that is not offered is named, with the provider's own words")
  func unknownScope() async throws {
    let scope = "https://contoso.onmicrosoft.com/tasks/typo"
    var options = SignInOptions()
    options.scopes = [scope]
    let error = try await #require(throws: ConnectorError.self) {
      try await Scene().connector().signIn(options: options)
    }
    #expect(error.code == .configuration && error.serverCode == "AADB2C90117")
    #expect(error.message.contains(scope) && error.url != nil)
    #expect(error.serverDescription?.contains("is not supported") == true && "\(error)".contains("is not supported"))
  }

  @Test("A refused refresh names its request and status")
  func refusedRefresh() async throws {
    let scene = Scene()
    let connector = try await scene.signedIn()
    scene.tenant.faults = [LocalFault(on: .token, .respond(LocalResponse(status: 503)))]
    let error = try await #require(throws: ConnectorError.self) { try await connector.accessToken(forceRefresh: true) }
    #expect(error.code == .serviceUnavailable && error.status == 503 && error.isRetryable)
    #expect(error.method == "POST" && error.url?.hasSuffix("/oauth2/v2.0/token") == true)
    #expect("\(error)".contains("POST https://") && "\(error)".contains("503"))
  }

  // MARK: Changes whose outcome is unknown

  static let outcomes: [(method: String, effect: LocalFault.Effect, isUnknown: Bool)] = [
    ("POST", .reset, true), ("PUT", .reset, true), ("GET", .reset, false),
    ("POST", .respond(LocalResponse(status: 401)), false),
  ]

  @Test("A request to any API that may have changed something says so", arguments: outcomes)
  func anyAPI(_ method: String, _ effect: LocalFault.Effect, _ isUnknown: Bool) async throws {
    let scene = Scene()
    let connector = try await scene.signedIn()
    scene.tasks.faults = [LocalFault(effect)]
    var request = URLRequest(url: scene.tasks.url)
    request.httpMethod = method
    let error = try await #require(throws: ConnectorError.self) { try await connector.data(for: request) }
    #expect(error.outcomeIsUnknown == isUnknown && error.method == method)
    #expect(error.url == scene.tasks.url.absoluteString && (error.code == .network) != (error.status == 401))
  }

  @Test("An addition whose answer is lost says that its outcome is unknown")
  func addition() async throws {
    let scene = Scene()
    let connector = try await scene.signedIn()
    scene.tasks.faults = [LocalFault(on: .method("POST"), .reset)]
    let error = try await #require(throws: ConnectorError.self) {
      try await connector.addTask(TaskItem(itemName: "Buy milk"))
    }
    #expect(error.code == .network && error.outcomeIsUnknown)
    #expect(error.method == "POST" && error.url == scene.tasks.url.absoluteString)
  }

  @Test("A POST to any API that is repeated with another token and then lost may have changed something")
  func afterARefusal() async throws {
    let scene = Scene()
    let connector = try await scene.signedIn()
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
  func tooLarge(_ method: String) async throws {
    let scene = Scene()
    let connector = try await scene.signedIn()
    let large = Data(repeating: 0x20, count: 2 << 20)
    scene.transport.intercept { [host = scene.tasks.url.host] request in
      request.url?.host == host ? LocalResponse(status: 200, body: large) : nil
    }
    var request = URLRequest(url: scene.tasks.url)
    request.httpMethod = method
    let error = try await #require(throws: ConnectorError.self) { try await connector.data(for: request) }
    #expect(error.code == .tooLarge && error.outcomeIsUnknown == (method == "POST"))
  }

  @Test("A deletion that may have happened stays unknown if no token is left for its second try")
  func noTokenForTheSecondTry() async throws {
    let scene = Scene(dialect: .rest)
    let connector = try await scene.signedIn { $0.retry = RetryPolicy(maximumDelay: .zero) }
    let task = try await connector.addTask(TaskItem(itemName: "old"))
    scene.tenant.revokeGrants()
    await scene.clock.advance(by: .seconds(120))
    // A gateway hides the first answer, and the API refuses the second try.
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
    #expect(error.code == .interactionRequired && error.needsInteraction && error.outcomeIsUnknown)
    #expect(scene.tasks.tasks.isEmpty)
  }

  // MARK: The app's parts

  @Test("A cache that is busy may be free later, and one that is broken stays so", arguments: [true, false])
  func cache(_ isRetryable: Bool) async throws {
    let cache = FailingCache()
    let connector = try Scene(cache: cache).connector()
    try await connector.signIn()
    cache.readFailure.withLock { $0 = { _ in ConnectorError(.tokenCache, "Busy.", isRetryable: isRetryable) } }
    let token = try await #require(throws: ConnectorError.self) { try await connector.accessToken() }
    let session = try await #require(throws: ConnectorError.self) { try await connector.session }
    for error in [token, session] { #expect(error.code == .tokenCache && error.isRetryable == isRetryable) }
    #expect(session.needsInteraction == !isRetryable)
  }

  @Test("A part of the app's own that fails is wrapped, and its text is not repeated")
  func ownPart() async throws {
    struct Canary: Error { let text = "canary-text" }
    let error = try await #require(throws: ConnectorError.self) {
      try await Scene().connector(presenter: CannedPresenter { _ in throw Canary() }).doPolicy(.signIn)
    }
    #expect(error.code == .other && error.underlying is Canary && !"\(error)".contains("canary-text"))
  }

  @Test("The transport's advice is in the errors of a sign-in, requests and task calls, and in the diagnosis")
  func advice() async throws {
    let scene = Scene()
    let connector = try await scene.signedIn { $0.retry = .none }
    let refused = Locked(scene.tasks.url.host)
    scene.transport.intercept { request in
      guard request.url?.host == refused.withLock({ $0 }) else { return nil }
      throw URLError(.cannotFindHost)
    }
    let fromTasks = try await #require(throws: ConnectorError.self) { try await connector.getTaskList() }
    let fromData = try await #require(throws: ConnectorError.self) {
      try await connector.data(for: URLRequest(url: scene.tasks.url))
    }
    refused.withLock { $0 = scene.tenant.origin.host }
    let diagnosis = try await connector.diagnose()
    let fromSignIn = try await #require(throws: ConnectorError.self) { try await scene.connector().signIn() }
    let finding = try #require(diagnosis.findings.first { $0.check == "metadata of B2C_1_SignIn" })
    for error in [fromTasks, fromData, fromSignIn] { #expect(error.code == .network) }
    for advice in [fromTasks, fromData, fromSignIn].map(\.recoverySuggestion) + [finding.recoverySuggestion] {
      #expect(advice?.contains("needs Outgoing Connections (Client)") == true, "\(advice ?? "")")
    }
  }

  // MARK: Warnings of the settings

  typealias Explained = (change: (String, String), warning: String, call: @Sendable (Connector) async throws -> Void)
  static let explained: [Explained] = [
    (("taskWebAPI", "taskWebApi"), "Write \"taskWebAPI\".", { _ = try await $0.getTaskList() }),
    (("emailSignInPolicyId", "policyId"), "Write \"policyID\".", { try await $0.doPolicy(.signIn) }),
    (("emailSignInPolicyId", "policyId"), "Write \"policyID\".", { try await $0.signIn() }),
    (("https://contoso.onmicrosoft.com/tasks/read", "User.Read"), "It is \"User.Read\".", { try await $0.signIn() }),
  ]

  @Test(
    "An error ends with the warning of the settings that explains it, and with no other", arguments: explained.indices)
  func warningOfTheSettings(_ index: Int) async throws {
    let row = Self.explained[index]
    let file = """
      <plist><dict><key>authority</key><string>https://contoso.b2clogin.com/contoso.onmicrosoft.com/</string>
      <key>clientId</key><string>\(LocalTenant.standardClientID)</string>
      <key>scopes</key><array><string>https://contoso.onmicrosoft.com/tasks/read</string></array>
      <key>emailSignInPolicyId</key><string>B2C_1_SignIn</string><key>fulscreen</key><true/>
      <key>redirectUri</key><string>\(LocalTenant.standardRedirectURI)</string>
      <key>taskWebAPI</key><string>https://tasks.example</string></dict></plist>
      """
    let settings = try ConnectorSettings(data: Data(file.replacing(row.change.0, with: row.change.1).utf8))
    let connector = try Scene().connector(settings)
    let error = try await #require(throws: ConnectorError.self) { try await row.call(connector) }
    #expect(error.recoverySuggestion?.contains(row.warning) == true, "\(error)")
    #expect(!"\(error)".contains("fulscreen"))
  }
}
