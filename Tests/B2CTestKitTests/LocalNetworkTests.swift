import B2CConnector
import B2CCore
import B2CHTTP
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.hangLimit)
struct LocalNetworkTests {
  let tenant = LocalTenant()
  let clock = TestClock(advancesItself: false)
  var keys: URLRequest {
    get throws { URLRequest(url: try TenantVisitor(tenant).url("/discovery/v2.0/keys")) }
  }

  @Test("Each request is carried to its origin and counted")
  func origins() async throws {
    let server = LocalTaskServer(tenant: tenant)
    let network = LocalNetwork(tenant, server)
    #expect(try await network.answer(to: keys).status == 200)
    #expect(try await network.answer(to: URLRequest(url: server.url)).status == 401)
    #expect(network.requestCount == 2)
    #expect(network.requests.map(\.response?.status) == [200, 401])
    #expect(tenant.requests.count == 1 && server.requests.count == 1)
    tenant.clearRequests()
    #expect(tenant.requests.isEmpty)
    #expect(tenant.counters == LocalTenant(shape: .b2c).counters)
  }

  @Test("Servers and actions can be passed on as arrays")
  func arrays() async throws {
    let server = LocalTaskServer(tenant: tenant)
    let services: [any LocalService] = [tenant, server]
    for network in [LocalNetwork(services), LocalNetwork(services.reversed(), clock: clock)] {
      #expect(try await network.answer(to: keys).status == 200)
      #expect(try await network.answer(to: URLRequest(url: server.url)).status == 401)
    }
    await expectError(ConnectorError.self, .network) { try await LocalNetwork([]).answer(to: keys) }
    let visitor = TenantVisitor(tenant)
    let wrong = ScriptedPresenter.Action.signIn(email: LocalUser.alice.email, password: "wrong")
    let user = ScriptedPresenter(transport: LocalNetwork([tenant]), [wrong, .signIn(.alice)])
    #expect(try await visitor.signIn(as: user)["code"] != nil)
    user.clearCookies()
    user.follow([wrong, wrong, .signIn(.bob)])
    #expect(try await visitor.signIn(as: user)["code"] != nil)
    #expect(user.steps.filter { $0.hasSuffix("Your password is incorrect.") }.count == 3)
  }

  @Test("A record of a request shows its secrets only when asked")
  func records() async throws {
    _ = try await TenantVisitor(tenant).tokens()
    let record = try #require(tenant.requests.last)
    #expect(record.form["code_verifier"] == TenantVisitor.verifier)
    #expect(record.query["p"] == "B2C_1_SignIn")
    #expect(record.response?.status == 200)
    #expect("\(record)".hasSuffix("→ 200") && !"\(record)".contains(TenantVisitor.verifier))
  }

  @Test(
    "Other origins are not reached",
    arguments: [
      ("http://contoso.b2clogin.com/", ErrorCode.configuration), ("https://nobody.example/", .network),
      ("https://contoso.b2clogin.com:8443/", .network),
    ])
  func foreignOrigins(_ address: String, _ code: ErrorCode) async throws {
    let request = URLRequest(url: try url(address))
    await expectError(ConnectorError.self, code) { try await LocalNetwork(tenant).answer(to: request) }
    #expect(tenant.requests.isEmpty)
  }

  @Test("A long run forgets its beginning")
  func longRun() async throws {
    tenant.faults = [LocalFault(.respond(LocalResponse(status: 204)))]
    let network = LocalNetwork(tenant)
    var first = try keys
    first.httpMethod = "HEAD"
    _ = try await network.answer(to: first)
    for _ in 0..<20_000 { _ = try await network.answer(to: keys) }
    #expect(network.requestCount == 20_001)
    #expect(network.requests.count == 10_001)
    #expect(!network.requests.contains { $0.request.method == "HEAD" })
    #expect(network.requests.allSatisfy { $0.response?.status == 204 })
  }

  // MARK: Faults

  @Test("A fault happens to its target as often as said")
  func times() async throws {
    tenant.faults = [LocalFault(on: .keys, times: 2, .respond(LocalResponse(status: 503)))]
    let metadata = URLRequest(url: try TenantVisitor(tenant).url("/v2.0/.well-known/openid-configuration"))
    #expect(try await tenant.transport.answer(to: metadata).status == 200)
    for status in [503, 503, 200] { #expect(try await tenant.transport.answer(to: keys).status == status) }
    #expect(tenant.counters.keysRequests == 1)
  }

  @Test("Faults add up; a request that waits has not taken effect, one whose answer is held has")
  func gates() async throws {
    let (before, after) = (TestGate(), TestGate())
    tenant.faults = [
      LocalFault(on: .keys, .wait(before)), LocalFault(on: .keys, .change { $0.headers["X-Test"] = "1" }),
      LocalFault(on: .any, .change { $0.status = 418 }), LocalFault(.holdAnswer(after)),
    ]
    async let answer = tenant.transport.answer(to: keys)
    await before.waitForArrivals(1)
    #expect(tenant.counters.keysRequests == 0)
    before.open()
    await after.waitForArrivals(1)
    #expect(tenant.counters.keysRequests == 1)
    after.open()
    let response = try await answer
    #expect(response.status == 418)
    #expect(response.header("x-test") == "1")
  }

  @Test("A connection that breaks is lost after the request took effect")
  func reset() async throws {
    tenant.faults = [LocalFault(.reset)]
    let request = try keys
    await expectError(URLError.self, .networkConnectionLost) { try await tenant.transport.answer(to: request) }
    #expect(tenant.counters.keysRequests == 1)
  }

  @Test("Offline, nothing is sent: a change has certainly not happened, and all works when the device is back")
  func offline() async throws {
    let server = LocalTaskServer(tenant: tenant)
    let connector = try Connector.local(tenant, server)
    try await connector.doPolicy(.signIn)
    tenant.faults = [LocalFault(.offline)]
    server.faults = [LocalFault(.offline)]
    let milk = TaskItem(itemName: "Buy milk")
    let lost = await #expect(throws: ConnectorError.self) { try await connector.addTask(milk) }
    #expect(lost?.code == .network && lost?.outcomeIsUnknown == false)
    let error = await #expect(throws: ConnectorError.self) { try await connector.accessToken(forceRefresh: true) }
    #expect(error?.code == .network && tenant.counters.refreshRequests == 0)
    #expect(server.requests.isEmpty)
    tenant.faults = []
    server.faults = []
    _ = try await connector.accessToken(forceRefresh: true)
    try await connector.addTask(milk)
    #expect(server.tasks.map(\.text) == ["Buy milk"] && tenant.counters.refreshRequests == 1)
  }

  @Test("An answer that never comes ends with the deadline on the given clock")
  func never() async throws {
    tenant.faults = [LocalFault(.never)]
    let network = LocalNetwork(tenant, clock: clock)
    let request = try keys
    let answer = Task { try await network.answer(to: request) }
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(15))
    await expectError(URLError.self, .timedOut) { try await answer.value }
    #expect(tenant.counters.keysRequests == 0)
  }

  @Test("A caller that is cancelled while its request waits leaves")
  func cancellation() async throws {
    let gate = TestGate()
    tenant.faults = [LocalFault(.wait(gate))]
    let request = try keys
    let task = Task { [tenant] in try await tenant.transport.answer(to: request) }
    await gate.waitForArrivals(1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  static let targets: [(String, LocalFaultTarget, Int)] = [
    ("any", .any, 5), ("authorize", .authorize, 2), ("token", .token, 2), ("code", .tokenCode, 1),
    ("refresh", .tokenRefresh, 1), ("logout", .logout, 1), ("POST", .method("POST"), 3),
    ("token by GET", .token.and(.method("GET")), 0),
  ]

  @Test("Targets find their requests")
  func findsTargets() async throws {
    let visitor = TenantVisitor(tenant)
    let answer = try await visitor.tokens()
    _ = try await visitor.refresh(answer["refresh_token"])
    _ = try await visitor.get(visitor.url("/oauth2/v2.0/logout"))
    let requests = tenant.requests.map(\.request)
    for (name, target, count) in Self.targets {
      #expect(requests.filter(target.contains).count == count, "\(name)")
    }
  }
}
