import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Requests to any API")
struct RequestTests {
  @Test("Microsoft Graph's /v1.0/me answers with the user")
  func graph() async throws {
    let clock = TestClock()
    let tenant = LocalTenant(shape: .entra, now: { clock.date })
    let network = LocalNetwork(tenant, clock: clock)
    let settings = ConnectorSettings(
      authority: try Authority(tenant.authority(), kind: .entra), clientID: tenant.clientID,
      scopes: ["https://graph.microsoft.com/User.Read"], redirectURI: try url(LocalTenant.standardRedirectURI))
    let connector = try Connector(
      settings: settings,
      environment: OAuthEnvironment(
        presenter: ScriptedPresenter(transport: network, .signIn(.alice)), transport: network, clock: clock,
        now: { clock.date })
    ) { $0.allowedAPIs = [tenant.graphURL] }
    try await connector.oauth.signIn()
    let (data, response) = try await connector.data(
      for: URLRequest(url: tenant.graphURL.appendingPathComponent("v1.0/me")))
    #expect(response.statusCode == 200)
    let me = try JSONDecoder().decode(JSONValue.self, from: data)
    #expect(me.object?["displayName"]?.string == LocalUser.alice.displayName)
  }

  @Test(
    "A token is not attached for an origin that was not allowed",
    arguments: [
      "https://evil.example/tasks", "https://tasks.example:8443/tasks", "http://tasks.example/tasks",
      "https://tasks.example.evil.example/",
    ])
  func foreignOrigin(_ text: String) async throws {
    let world = World()
    let connector = try world.connector()
    try await connector.doPolicy(.signIn)
    await world.clock.advance(by: .seconds(4_000))
    let request = URLRequest(url: try url(text))
    await #expect(throws: ConnectorError(.originNotAllowed, "")) { try await connector.data(for: request) }
    await #expect(throws: ConnectorError(.originNotAllowed, "")) { try await connector.authorizedRequest(for: request) }
    // Not even a token was asked for.
    #expect(world.tenant.counters.refreshRequests == 0)
  }

  @Test(
    "An API that a token cannot be sent to safely is refused before anything else",
    arguments: ["http://plain.example", "http://plain.example:8443/api", "ftp://api.example", "https://me@api.example"])
  func unsafeAPI(_ text: String) throws {
    let world = World()
    let error = try #require(throws: ConnectorError.self) { try world.connector(allowedAPIs: [url(text)]) }
    #expect(error.code == .configuration)
    let safe = try [url("http://127.0.0.1:8080"), url("https://a.example")]
    #expect(throws: Never.self) { try world.connector(allowedAPIs: safe) }
  }

  @Test("All calls of a connector share one retry budget")
  func sharedRetryBudget() async throws {
    let world = World()
    let cache = InMemoryTokenCache()
    try await world.connector(cache: cache).doPolicy(.signIn)
    // One that knows nothing of the tenant yet.
    let connector = try Connector(
      settings: world.settings(), environment: world.environment(cache: cache, waitingOn: ContinuousClock())
    ) {
      $0.retry = RetryPolicy(maximumAttempts: 5, baseDelay: .zero, maximumDelay: .zero, budget: 6)
    }
    world.tasks.faults = [LocalFault(on: .any, .respond(TransportResponse(status: 503)))]
    world.tasks.clearRequests()
    let request = URLRequest(url: world.tasks.url)
    for sent in [5, 8, 9] {
      #expect(try await connector.data(for: request).1.statusCode == 503)
      #expect(world.tasks.requests.count == sent)
    }
    // The task client's calls are of the same budget, and so is metadata.
    await #expect(throws: ConnectorError.self) { try await connector.getTaskList() }
    #expect(world.tasks.requests.count == 10)
    world.tenant.faults = [LocalFault(on: .metadata, .respond(TransportResponse(status: 503)))]
    world.tenant.clearRequests()
    await #expect(throws: OAuthError(.serviceUnavailable, "")) {
      try await connector.oauth.signIn(policy: Policy("B2C_1_SignUpOrSignIn"))
    }
    #expect(world.tenant.requests.count == 1)
  }

  @Test("A crafted request carries the bearer token and everything it had")
  func crafted() async throws {
    let world = World()
    let connector = try world.connector()
    try await connector.doPolicy(.signIn)
    var request = URLRequest(url: world.tasks.url)
    request.setValue("de", forHTTPHeaderField: "Accept-Language")
    let authorized = try await connector.authorizedRequest(for: request)
    #expect(
      authorized.value(forHTTPHeaderField: "Authorization") == "Bearer \(try await connector.accessToken().token.value)"
    )
    #expect(authorized.value(forHTTPHeaderField: "Accept-Language") == "de")
    #expect(authorized.url == request.url)
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
      environment: OAuthEnvironment(
        presenter: ScriptedPresenter(transport: network, .signIn(.alice)), transport: network, clock: clock,
        now: { clock.date }))
    try await connector.doPolicy(.signIn)
    let error = try await #require(throws: ConnectorError.self) { try await connector.getTaskList() }
    #expect(error.code == .insufficientScope)
    #expect("\(error)".contains("tasks/admin"))
    #expect(tenant.counters.refreshRequests == 0)
  }

  @Test("A second refusal is an error, not a loop")
  func refusedTwice() async throws {
    let world = World()
    let connector = try world.connector()
    try await connector.doPolicy(.signIn)
    world.tasks.faults = [
      LocalFault(
        on: .any,
        .respond(TransportResponse(status: 401, headers: ["WWW-Authenticate": #"Bearer error="invalid_token""#])))
    ]
    world.tasks.clearRequests()
    await #expect(throws: ConnectorError(.unauthorized, "")) { try await connector.getTaskList() }
    #expect(world.tasks.requests.count == 2)
    #expect(world.tenant.counters.refreshes == 1)
  }

  @Test("The repository's dialect works as well")
  func repository() async throws {
    let world = World(dialect: .repository)
    let clock = world.clock
    let connector = try Connector(settings: world.settings(), environment: world.environment()) {
      $0.taskAPI?.dialect = .repository
    }
    try await connector.doPolicy(.signIn)
    let task = try await connector.addTask(TaskItem(itemName: "Zwölf Boxkämpfer\n\"jagen\" 🥊"))
    #expect(try await connector.getTaskList().map(\.itemName) == [task.itemName])
    try await connector.deleteTask(task)
    #expect(try await connector.getTaskList().isEmpty)
  }

  @Test("A throttled list backs off and succeeds")
  func throttled() async throws {
    let world = World()
    let connector = try Connector(
      settings: world.settings(), environment: world.environment(waitingOn: ContinuousClock())
    ) {
      $0.retry = RetryPolicy(baseDelay: .zero, maximumDelay: .zero, throttledDelay: .zero)
    }
    try await connector.doPolicy(.signIn)
    world.tasks.faults = [LocalFault(on: .any, times: 2, .respond(TransportResponse(status: 429)))]
    #expect(try await connector.getTaskList().isEmpty)
  }
}
