import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Requests to any API", .hangLimit)
struct ConnectorRequestsTests {
  /// An API whose audience is Microsoft Graph.
  private struct Graph: LocalService {
    let tenant: LocalTenant

    func serves(_ url: URL) -> Bool { url.host == "graph.microsoft.com" }

    func answer(_ request: URLRequest) async throws -> LocalResponse {
      let token = String(request.value(forHTTPHeaderField: "Authorization")?.dropFirst(7) ?? "")
      let user = tenant.user(accessToken: token, audiences: ["00000003-0000-0000-c000-000000000000"])
      return LocalResponse(status: user == nil ? 401 : 200, body: Data((user?.displayName ?? "").utf8))
    }
  }

  @Test("Microsoft Graph takes the token of a scope without a host")
  func graph() async throws {
    let clock = TestClock()
    let tenant = LocalTenant(shape: .entra, now: { clock.date })
    let network = LocalNetwork(tenant, Graph(tenant: tenant), clock: clock)
    let me = try url("https://graph.microsoft.com/v1.0/me")
    let settings = ConnectorSettings(
      authority: try Authority(tenant.authority(), kind: .entra), clientID: tenant.clientID,
      scopes: ["https://graph.microsoft.com/User.Read"], redirectURI: try url(LocalTenant.standardRedirectURI))
    let connector = try Connector(
      settings: settings,
      environment: Connector.Environment(
        presenter: ScriptedPresenter(transport: network, .signIn(.alice)), transport: network, clock: clock,
        now: { clock.date })
    ) { $0.allowedAPIs = [me] }
    try await connector.signIn()
    let (data, response) = try await connector.data(for: URLRequest(url: me))
    #expect(response.statusCode == 200 && String(decoding: data, as: UTF8.self) == LocalUser.alice.displayName)
  }

  @Test(
    "A token is not attached for an origin that was not allowed",
    arguments: [
      "https://evil.example/tasks", "https://tasks.example:8443/tasks", "http://tasks.example/tasks",
      "https://tasks.example.evil.example/",
    ])
  func foreignOrigin(_ text: String) async throws {
    let scene = Scene()
    let connector = try await scene.signedIn()
    await scene.clock.advance(by: .seconds(4_000))
    let request = URLRequest(url: try url(text))
    await expectError(ConnectorError.self, .originNotAllowed) { try await connector.data(for: request) }
    await expectError(ConnectorError.self, .originNotAllowed) { try await connector.authorizedRequest(for: request) }
    // Not even a token was asked for.
    #expect(scene.tenant.counters.refreshRequests == 0)
  }

  @Test(
    "An API that a token cannot be sent to safely is refused before anything else",
    arguments: ["http://plain.example", "http://plain.example:8443/api", "ftp://api.example", "https://me@api.example"])
  func unsafeAPI(_ text: String) throws {
    let scene = Scene()
    let api = try url(text)
    let error = try #require(throws: ConnectorError.self) { try scene.connector { $0.allowedAPIs = [api] } }
    #expect(error.code == .configuration)
    let safe = try [url("http://127.0.0.1:8080"), url("https://a.example")]
    #expect(throws: Never.self) { try scene.connector { $0.allowedAPIs = safe } }
  }

  @Test("A request to an API has the limits of the options, unless the call names others")
  func limitsOfOptions() async throws {
    let scene = Scene()
    let cache = InMemoryTokenCache()
    try await scene.connector(cache: cache).doPolicy(.signIn)
    let connector = try scene.connector(cache: cache) { $0.limits = TransportLimits(maximumBodyBytes: 1) }
    let request = URLRequest(url: scene.tasks.url)
    await expectError(ConnectorError.self, .tooLarge) { try await connector.data(for: request) }
    await expectError(ConnectorError.self, .tooLarge) {
      try await connector.data(for: request, limits: TransportLimits(maximumBodyBytes: 1))
    }
    let (_, response) = try await connector.data(for: request, limits: TransportLimits())
    #expect(response.statusCode == 200)
  }

  @Test("Each repeat of an API's request is an event, with policy and code", arguments: [true, false])
  func repeats(_ isTaskCall: Bool) async throws {
    let scene = Scene()
    let events = Locked<[Connector.Event]>([])
    var environment = scene.environment()
    environment.onEvent = { event in events.withLock { $0.append(event) } }
    let connector = try Connector(settings: scene.settings(), environment: environment)
    let alice = try await connector.doPolicy(.signIn)
    await scene.clock.advance(by: .seconds(120))
    let statuses = Locked([503, 401, 429])
    scene.tasks.faults = [
      LocalFault(.change { answer in statuses.withLock { if !$0.isEmpty { answer.status = $0.removeFirst() } } })
    ]
    events.withLock { $0 = [] }
    if isTaskCall {
      _ = try await connector.getTaskList(user: alice)
    } else {
      _ = try await connector.data(for: URLRequest(url: scene.tasks.url))
    }
    let repeats = events.withLock { $0 }.filter { $0.step == .retry }
    #expect(repeats.map(\.errorCode) == [.serviceUnavailable, .unauthorized, .throttled])
    #expect(repeats.allSatisfy { $0.policyID == "B2C_1_SignIn" })
  }

  @Test("A crafted request carries the bearer token and everything it had")
  func crafted() async throws {
    let scene = Scene()
    let connector = try await scene.signedIn()
    var request = URLRequest(url: scene.tasks.url)
    request.setValue("de", forHTTPHeaderField: "Accept-Language")
    let authorized = try await connector.authorizedRequest(for: request)
    #expect(
      authorized.value(forHTTPHeaderField: "Authorization") == "Bearer \(try await connector.accessToken().token.value)"
    )
    #expect(authorized.value(forHTTPHeaderField: "Accept-Language") == "de")
    #expect(authorized.url == request.url)
  }

  @Test("Of two users each gets its own token, for the scopes that the call names")
  func secondUser() async throws {
    let scene = Scene()
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(presenter: presenter)
    let alice = try await connector.doPolicy(.signIn)
    presenter.follow(.signIn(.bob))
    let bob = try await connector.doPolicy(.signIn, options: SignInOptions(prompt: .login))
    scene.tasks.tasks = [LocalUser.alice, .bob].map {
      LocalTask(owner: $0.id, text: $0.displayName, date: scene.clock.date)
    }
    let request = URLRequest(url: scene.tasks.url)
    let own = [scene.tenant.clientID]
    for (person, user) in [(alice, LocalUser.alice), (bob, .bob), (nil, .bob)] {
      for scopes in [nil, own] {
        let (data, response) = try await connector.data(for: request, scopes: scopes, user: person)
        #expect(response.statusCode == 200)
        let list = try JSONDecoder().decode(JSONValue.self, from: data)
        #expect(list.array?.map { $0.object?["task"]?.string } == [user.displayName])
        let token = try await connector.accessToken(scopes: scopes, user: person).token.value
        let sent = scene.tasks.requests.last?.request.value(forHTTPHeaderField: "Authorization")
        #expect(sent == "Bearer " + token)
        let crafted = try await connector.authorizedRequest(for: request, scopes: scopes, user: person)
        #expect(crafted.value(forHTTPHeaderField: "Authorization") == "Bearer " + token)
      }
    }
    // Two people, two APIs: four tokens.
    #expect(Set(scene.tasks.requests.map { $0.request.value(forHTTPHeaderField: "Authorization") }).count == 4)
  }

  @Test("A token of a named user that the API refuses is replaced by another of the same user")
  func refusedTokenOfUser() async throws {
    let scene = Scene()
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(presenter: presenter)
    let alice = try await connector.doPolicy(.signIn)
    presenter.follow(.signIn(.bob))
    try await connector.doPolicy(.signIn, options: SignInOptions(prompt: .login))
    let owned = LocalTask(owner: LocalUser.alice.id, text: "hers", date: scene.clock.date)
    scene.tasks.tasks = [owned]
    scene.tasks.faults = [LocalFault(on: .method("GET"), times: 1, .respond(LocalResponse(status: 401)))]
    let (data, _) = try await connector.data(for: URLRequest(url: scene.tasks.url), user: alice)
    #expect(String(decoding: data, as: UTF8.self).contains("hers"))
    #expect(scene.tenant.counters.refreshes == 1)
  }

  @Test("A scope the API wants and the token lacks is named")
  func insufficientScope() async throws {
    let clock = TestClock()
    let tenant = LocalTenant(now: { clock.date })
    let tasks = LocalTaskServer(tenant: tenant, requiredScopes: ["tasks/admin"])
    let network = LocalNetwork(tenant, tasks, clock: clock)
    let settings = ConnectorSettings(
      authority: try Authority(tenant.authority()), clientID: tenant.clientID, scopes: tenant.apiScopes,
      redirectURI: try url(LocalTenant.standardRedirectURI), taskWebAPI: tasks.url,
      policies: .init(emailSignIn: try Policy("B2C_1_SignIn")))
    let connector = try Connector(
      settings: settings,
      environment: Connector.Environment(
        presenter: ScriptedPresenter(transport: network, .signIn(.alice)), transport: network, clock: clock,
        now: { clock.date }))
    try await connector.doPolicy(.signIn)
    let error = try await #require(throws: ConnectorError.self) { try await connector.getTaskList() }
    #expect(error.code == .insufficientScope)
    #expect("\(error)".contains("tasks/admin"))
    #expect(tenant.counters.refreshRequests == 0)
  }

  @Test("An app that wants two tries gets two: of a list, of any request, of the metadata")
  func retries() async throws {
    let scene = Scene()
    let connector = try scene.connector(waitingOn: TestClock()) { $0.retry = RetryPolicy(maximumAttempts: 2) }
    try await connector.doPolicy(.signIn)
    let busy = LocalResponse(status: 503)
    scene.tasks.faults = [LocalFault(.respond(busy))]
    await expectError(ConnectorError.self, .serviceUnavailable) { try await connector.getTaskList() }
    #expect(scene.tasks.requests.count == 2)
    #expect(try await connector.data(for: URLRequest(url: scene.tasks.url)).1.statusCode == 503)
    #expect(scene.tasks.requests.count == 4)
    scene.tenant.faults = [LocalFault(on: .metadata, .respond(busy))]
    let before = scene.network.requestCount
    await expectError(ConnectorError.self, .serviceUnavailable) { try await connector.doPolicy(.signUp) }
    #expect(scene.network.requestCount == before + 2)
  }

  @Test("What is larger than the limits of the options, or of the call, is refused")
  func limits() async throws {
    let scene = Scene()
    let small = TransportLimits(maximumBodyBytes: 10)
    let connector = try scene.connector { $0.taskLimits = small }
    try await connector.doPolicy(.signIn)
    let answer = LocalResponse(status: 200, body: Data(repeating: 0x20, count: 12))
    scene.tasks.faults = [LocalFault(.respond(answer))]
    let request = URLRequest(url: scene.tasks.url)
    await expectError(ConnectorError.self, .tooLarge) { try await connector.getTaskList() }
    await expectError(ConnectorError.self, .tooLarge) { try await connector.data(for: request, limits: small) }
    #expect(try await connector.data(for: request).0 == answer.body)
    let engine = try scene.connector { $0.limits = small }
    await expectError(ConnectorError.self, .tooLarge) { try await engine.doPolicy(.signIn) }
  }
}
