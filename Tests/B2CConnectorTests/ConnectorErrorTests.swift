import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

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
    let guide = try String(contentsOf: packageDirectory.appending(path: "Docs/ErrorCodes.md"), encoding: .utf8)
    let table = guide.split(separator: "\n").drop { !$0.hasPrefix("| code | means") }.prefix { $0.hasPrefix("|") }
      .dropFirst(2)
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

  @Test("An error names its request and contains the provider's words")
  func request() async throws {
    let scene = Scene()
    let unknownPolicy = try await #require(throws: ConnectorError.self) {
      try await scene.connector().doPolicy(Policy("B2C_1_Misspelt"))
    }
    #expect(unknownPolicy.method == "GET" && "\(unknownPolicy)".contains("B2C_1_Misspelt"))
    #expect(unknownPolicy.url?.hasSuffix("/.well-known/openid-configuration") == true)
    let scope = "https://contoso.onmicrosoft.com/tasks/typo"
    let unknownScope = try await #require(throws: ConnectorError.self) {
      try await scene.connector().signIn(options: SignInOptions(scopes: [scope]))
    }
    #expect(unknownScope.serverCode == "AADB2C90117" && unknownScope.message.contains(scope))
    #expect(unknownScope.url != nil && "\(unknownScope)".contains("is not supported"))
    let connector = try await scene.signedIn()
    scene.tenant.faults = [LocalFault(on: .token, .respond(LocalResponse(status: 503)))]
    let busy = try await #require(throws: ConnectorError.self) { try await connector.accessToken(forceRefresh: true) }
    #expect(busy.method == "POST" && busy.url?.hasSuffix("/oauth2/v2.0/token") == true)
    #expect("\(busy)".contains("POST https://") && "\(busy)".contains("503"))
  }

  @Test("The correlation id of an error is that of the settings, which was sent", arguments: [true, false])
  func correlation(returns: Bool) async throws {
    let (scene, id) = (Scene(), UUID())
    let presenter: any SignInPresenter = returns ? scene.script(.signIn(.alice)) : CannedPresenter { _ in "x:/y" }
    let connector = try scene.connector(scene.settings { $0.correlationID = id }, presenter: presenter)
    scene.tenant.faults = [LocalFault(on: .token, .reset)]
    let error = try await #require(throws: ConnectorError.self) { try await connector.signIn() }
    #expect(error.correlationID == id && "\(error)".contains(id.uuidString.lowercased()))
  }

  // MARK: Changes whose outcome is unknown

  typealias Loss = (method: String, code: ErrorCode, isUnknown: Bool, prepare: @Sendable (Scene) -> Void)

  private static let reset: @Sendable (Scene) -> Void = { $0.tasks.faults = [LocalFault(.reset)] }
  /// The second request with a method.
  private static func second(_ method: String) -> LocalFaultTarget {
    let count = Locked(0)
    return LocalFaultTarget { request in
      guard request.method == method else { return false }
      return count.withLock {
        $0 += 1
        return $0 == 2
      }
    }
  }

  private static let refusal = LocalFault.Effect.respond(LocalResponse(status: 401))
  private static let largeAnswer: @Sendable (Scene) -> Void = { scene in
    // A transport of the app's own has no limit.
    scene.transport.intercept { [host = scene.tasks.url.host] request in
      request.url?.host == host ? LocalResponse(status: 200, body: Data(repeating: 0x20, count: 2 << 20)) : nil
    }
  }

  static let losses: [Loss] = [
    ("POST", .network, true, reset), ("PUT", .network, true, reset), ("GET", .network, false, reset),
    ("POST", .unauthorized, false, { $0.tasks.faults = [LocalFault(refusal)] }),
    // Repeated with another token, and then lost.
    (
      "POST", .network, true,
      { $0.tasks.faults = [LocalFault(on: .any, times: 1, refusal), LocalFault(on: second("POST"), .reset)] }
    ),
    ("GET", .tooLarge, false, largeAnswer), ("POST", .tooLarge, true, largeAnswer),
  ]

  @Test("A request to any API that may have changed something says so", arguments: losses)
  func anyAPI(_ loss: Loss) async throws {
    let scene = Scene()
    let connector = try await scene.signedIn()
    loss.prepare(scene)
    var request = URLRequest(url: scene.tasks.url)
    request.httpMethod = loss.method
    let error = try await #require(throws: ConnectorError.self) { try await connector.data(for: request) }
    #expect(error.code == loss.code && error.outcomeIsUnknown == loss.isUnknown)
    #expect(error.method == loss.method && error.url == scene.tasks.url.absoluteString)
  }

  @Test("A deletion that may have happened stays unknown if no token is left for its second try")
  func noTokenForTheSecondTry() async throws {
    let scene = Scene(dialect: .rest)
    let connector = try await scene.signedIn { $0.retry = RetryPolicy(maximumDelay: .zero) }
    let task = try await connector.addTask(TaskItem(itemName: "old"))
    scene.tenant.revokeGrants()
    await scene.clock.advance(by: .seconds(120))
    // A gateway hides the first answer, and the API refuses the second try.
    scene.tasks.faults = [
      LocalFault(on: .method("DELETE"), times: 1, .change { $0 = LocalResponse(status: 502) }),
      LocalFault(on: Self.second("DELETE"), Self.refusal),
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

  @Test("The transport's advice is in the errors of a sign-in, requests and task calls, and in the diagnosis")
  func advice() async throws {
    let scene = Scene()
    let connector = try await scene.signedIn { $0.retry = .none }
    let request = URLRequest(url: scene.tasks.url)
    scene.transport.intercept { _ in throw URLError(.cannotFindHost) }
    let calls: [@Sendable () async throws -> Void] = [
      { _ = try await connector.getTaskList() }, { _ = try await connector.data(for: request) },
      { try await scene.connector().signIn() },
    ]
    let needed = "needs Outgoing Connections (Client)"
    for call in calls {
      let error = try await #require(throws: ConnectorError.self) { try await call() }
      #expect(error.code == .network && error.recoverySuggestion?.contains(needed) == true, "\(error)")
    }
    let diagnosis = try await scene.connector().diagnose()
    let finding = diagnosis.findings.first { $0.check == "metadata of B2C_1_SignIn" }
    #expect(finding?.recoverySuggestion?.contains(needed) == true, "\(diagnosis)")
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
    // The unknown key causes a warning, too, which explains none of these errors.
    let settings = try settingsFile(replacing: [
      "<dict>": "<dict><key>fulscreen</key><true/>", row.change.0: row.change.1,
    ])
    let connector = try Scene().connector(settings)
    let error = try await #require(throws: ConnectorError.self) { try await row.call(connector) }
    #expect(error.recoverySuggestion?.contains(row.warning) == true, "\(error)")
    #expect(!"\(error)".contains("fulscreen"))
  }
}
