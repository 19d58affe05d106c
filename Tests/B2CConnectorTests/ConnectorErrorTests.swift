import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Errors of the facade", .hangLimit)
struct ConnectorErrorTests {
  @Test("Everything the server said is there")
  func server() async throws {
    let scene = Scene()
    let connector = try scene.connector(presenter: scene.script(.cancel))
    let error = try await #require(throws: ConnectorError.self) { try await connector.doPolicy(.signIn) }
    #expect(error.code == .userCancelledInPage)
    #expect(error.serverCode == "AADB2C90091")
    #expect(error.oauthError == "access_denied")
    #expect(error.correlationID != nil)
    #expect(!error.isRetryable && !error.needsInteraction)
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

  @Test("The task server's refusal keeps its status and code")
  func tasks() async throws {
    let scene = Scene()
    let connector = try await scene.signedIn()
    scene.tasks.faults = [
      LocalFault(
        on: .method("POST"),
        .respond(
          LocalResponse(
            status: 409, headers: ["Content-Type": "application/json"],
            body: Data(#"{"code":"MissingTask","message":"\"Text\" is a required parameter"}"#.utf8))))
    ]
    let error = try await #require(throws: ConnectorError.self) {
      try await connector.addTask(TaskItem(itemName: "x"))
    }
    #expect(error.status == 409)
    #expect(error.serverCode == "MissingTask")
  }

  @Test(
    "The server's words end in one full stop before the advice",
    arguments: [("Refresh token inactive", "Refresh token inactive."), ("Gone.", "Gone.")])
  func fullStop(_ said: String, _ shown: String) async throws {
    let tenant = LocalTenant(shape: .openIDConnect)
    let connector = try Connector.local(tenant)
    try await connector.signIn()
    let body = Data(#"{"error":"invalid_grant","error_description":"\#(said)"}"#.utf8)
    tenant.faults = [LocalFault(on: .token, .respond(LocalResponse(status: 400, body: body)))]
    let error = try await #require(throws: ConnectorError.self) { try await connector.accessToken(forceRefresh: true) }
    #expect("\(error)".contains("The server said: \(shown) Sign in again."), "\(error)")
  }

  static let explained:
    [(change: (String, String), warning: String, call: @Sendable (Connector) async throws -> Void)] =
      [
        (("taskWebAPI", "taskWebApi"), "Write \"taskWebAPI\".", { _ = try await $0.getTaskList() }),
        (("emailSignInPolicyId", "policyId"), "Write \"policyID\".", { try await $0.doPolicy(.signIn) }),
        (("emailSignInPolicyId", "policyId"), "Write \"policyID\".", { try await $0.signIn() }),
        (
          ("https://contoso.onmicrosoft.com/tasks/read", "User.Read"), "It is \"User.Read\".", { try await $0.signIn() }
        ),
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

  @Test("A cancelled call throws CancellationError")
  func cancelled() async throws {
    let scene = Scene()
    let connector = try scene.connector()
    let gate = TestGate()
    scene.tenant.faults = [LocalFault(on: .metadata, .wait(gate))]
    let task = Task { try await connector.doPolicy(.signIn) }
    await gate.waitForArrivals(1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    gate.open()
  }

  @Test("A part of the app's own that fails is wrapped, and its text is not repeated")
  func ownPart() async throws {
    struct Canary: Error { let text = "canary-text" }
    struct Presenter: SignInPresenter {
      func present(_ request: PresentationRequest) async throws -> URL { throw Canary() }
    }
    let error = try await #require(throws: ConnectorError.self) {
      try await Scene().connector(presenter: Presenter()).doPolicy(.signIn)
    }
    #expect(error.code == .other && error.underlying is Canary)
    #expect(!"\(error)".contains("canary-text"))
  }

  @Test(
    "A claims request that is not a JSON object is refused before anything is sent",
    arguments: ["", "mfa", "[]", "{", "null", #"{"a":1}x"#])
  func claimsRequestIsAnObject(_ claims: String) async throws {
    let scene = Scene()
    let connector = try await scene.signedIn()
    let sent = scene.network.requestCount
    let silent = try await #require(throws: ConnectorError.self) { try await connector.accessToken(claims: claims) }
    #expect(silent.code == .configuration && silent.message.contains("JSON object"))
    if !claims.isEmpty {
      let signIn = try await #require(throws: ConnectorError.self) {
        try await connector.doPolicy(.signIn, options: SignInOptions(prompt: .login, claimsRequest: claims))
      }
      #expect(signIn.code == .configuration && signIn.message.contains("JSON object"))
    }
    #expect(scene.network.requestCount == sent)
  }

  @Test("A claims challenge of an API reaches the next sign-in")
  func claimsChallenge() async throws {
    let scene = Scene()
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(presenter: presenter)
    try await connector.doPolicy(.signIn)
    let claims = #"{"access_token":{"nbf":{"essential":true,"value":"1767225600"}}}"#
    let challenge = #"Bearer error="insufficient_claims", claims="\#(Data(claims.utf8).base64EncodedString())""#
    scene.tasks.faults = [
      LocalFault(
        on: .any, times: 2, .respond(LocalResponse(status: 401, headers: ["WWW-Authenticate": challenge])))
    ]
    let fromTasks = try await #require(throws: ConnectorError.self) { try await connector.getTaskList() }
    let fromData = try await #require(throws: ConnectorError.self) {
      try await connector.data(for: URLRequest(url: scene.tasks.url))
    }
    for error in [fromTasks, fromData] {
      #expect(error.code == .claimsRequired && !error.needsInteraction)
      #expect(error.claims == claims)
      #expect(error.oauthError == "insufficient_claims" && error.status == 401)
    }
    try await connector.doPolicy(.signIn, options: SignInOptions(prompt: .login, claimsRequest: fromData.claims))
    let page = try #require(presenter.requests.last).url
    #expect(
      URLComponents(url: page, resolvingAgainstBaseURL: false)?.queryItems?.first { $0.name == "claims" }?.value
        == claims)
    #expect(try await connector.getTaskList().isEmpty)
  }

  @Test("Without a network the answer is retryable and the session stays")
  func offline() async throws {
    let scene = Scene()
    let cable = Cable(scene.network)
    let connector = try scene.connector(transport: cable)
    try await connector.doPolicy(.signIn)
    await scene.clock.advance(by: .seconds(4_000))
    cable.isCut.set(true)
    let error = try await #require(throws: ConnectorError.self) { try await connector.accessToken() }
    #expect(error.isRetryable && !error.needsInteraction)
    cable.isCut.set(false)
    _ = try await connector.accessToken()
  }
}

/// A network that can be unplugged.
private struct Cable: HTTPTransport {
  let isCut = Switch()
  let inner: any HTTPTransport

  init(_ inner: any HTTPTransport) { self.inner = inner }

  func send(_ request: URLRequest, limits: TransportLimits) async throws -> (Data, HTTPURLResponse) {
    guard !isCut.isOn else { throw URLError(.cannotConnectToHost) }
    return try await inner.send(request, limits: limits)
  }
}

/// On or off.
private final class Switch: Sendable {
  private let states = Collected<Bool>()
  var isOn: Bool { states.all.last ?? false }
  func set(_ isOn: Bool) { states.add(isOn) }
}
