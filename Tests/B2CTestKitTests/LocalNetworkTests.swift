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

  @Test func carriesEachRequestToItsOriginAndCounts() async throws {
    let server = LocalTaskServer(tenant: tenant)
    let network = LocalNetwork(tenant, server)
    #expect(try await network.answer(to: keys).status == 200)
    #expect(try await network.answer(to: URLRequest(url: server.url)).status == 401)
    #expect(network.requestCount == 2)
    #expect(network.requests.map(\.response?.status) == [200, 401])
    #expect(tenant.requests.count == 1)
    #expect(server.requests.count == 1)
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
    func presenter(_ script: ScriptedPresenter.Action...) -> ScriptedPresenter {
      ScriptedPresenter(transport: LocalNetwork([tenant]), script)
    }
    let visitor = TenantVisitor(tenant)
    let wrong = ScriptedPresenter.Action.signIn(email: LocalUser.alice.email, password: "wrong")
    #expect(try await visitor.signIn(presenter: presenter(wrong, .signIn(.alice)))["code"] != nil)
    let again = presenter(.closeBrowser)
    again.follow([wrong, wrong, .signIn(.bob)])
    #expect(try await visitor.signIn(presenter: again)["code"] != nil)
    #expect(again.steps.filter { $0.hasSuffix("Your password is incorrect.") }.count == 2)
    let none = presenter()
    await expectError(ConnectorError.self, .presentationFailed) { try await visitor.signIn(presenter: none) }
  }

  @Test func recordsShowSecretsOnlyWhenAsked() async throws {
    let visitor = TenantVisitor(tenant)
    _ = try await visitor.tokens()
    let record = try #require(tenant.requests.last)
    #expect(record.form["code_verifier"] == TenantVisitor.verifier)
    #expect(!"\(record)".contains(TenantVisitor.verifier))
    #expect(record.query["p"] == "B2C_1_SignIn")
    #expect(record.response?.status == 200)
    #expect("\(record)".hasSuffix("→ 200"))
  }

  @Test(arguments: [
    ("http://contoso.b2clogin.com/", ErrorCode.configuration), ("https://nobody.example/", .network),
    ("https://contoso.b2clogin.com:8443/", .network),
  ])
  func foreignOriginsAreNotReached(url: String, code: ErrorCode) async throws {
    let request = URLRequest(url: try #require(URL(string: url)))
    await expectError(ConnectorError.self, code) { try await LocalNetwork(tenant).answer(to: request) }
    #expect(tenant.requests.isEmpty)
  }

  @Test func longRunsForgetTheirBeginning() async throws {
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

  @Test func faultsHappenToTheirTargetAsOftenAsSaid() async throws {
    tenant.faults = [LocalFault(on: .keys, times: 2, .respond(LocalResponse(status: 503)))]
    let metadata = URLRequest(url: try TenantVisitor(tenant).url("/v2.0/.well-known/openid-configuration"))
    #expect(try await tenant.transport.answer(to: metadata).status == 200)
    for status in [503, 503, 200] { #expect(try await tenant.transport.answer(to: keys).status == status) }
    #expect(tenant.counters.keysRequests == 1)
  }

  @Test func faultsAddUp() async throws {
    let gate = TestGate()
    tenant.faults = [
      LocalFault(on: .keys, .wait(gate)), LocalFault(on: .keys, .change { $0.headers["X-Test"] = "1" }),
      LocalFault(on: .any, .change { $0.status = 418 }),
    ]
    async let answer = tenant.transport.answer(to: keys)
    await gate.waitForArrivals(1)
    #expect(tenant.counters.keysRequests == 0)
    gate.open()
    let response = try await answer
    #expect(response.status == 418)
    #expect(response.header("x-test") == "1")
  }

  @Test func heldAnswerHasTakenEffect() async throws {
    let gate = TestGate()
    tenant.faults = [LocalFault(.holdAnswer(gate))]
    async let answer = tenant.transport.answer(to: keys)
    await gate.waitForArrivals(1)
    #expect(tenant.counters.keysRequests == 1)
    gate.open()
    #expect(try await answer.status == 200)
  }

  @Test func brokenConnectionsAreLost() async throws {
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

  @Test func neverEndsWithTheDeadlineOnTheGivenClock() async throws {
    tenant.faults = [LocalFault(.never)]
    let network = LocalNetwork(tenant, clock: clock)
    let request = try keys
    let answer = Task { try await network.answer(to: request) }
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(15))
    await expectError(URLError.self, .timedOut) { try await answer.value }
    #expect(tenant.counters.keysRequests == 0)
  }

  @Test func cancelledCallerLeavesAtOnce() async throws {
    let gate = TestGate()
    tenant.faults = [LocalFault(.wait(gate))]
    let request = try keys
    let task = Task { [tenant] in try await tenant.transport.answer(to: request) }
    await gate.waitForArrivals(1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func targetsFindTheirRequests() async throws {
    let visitor = TenantVisitor(tenant)
    let answer = try await visitor.tokens()
    _ = try await visitor.refresh(answer["refresh_token"])
    _ = try await visitor.get(visitor.url("/oauth2/v2.0/logout"))
    let requests = tenant.requests.map(\.request)
    func count(_ target: LocalFaultTarget) -> Int { requests.filter(target.contains).count }
    #expect(count(.any) == 5)
    #expect(count(.authorize) == 2)
    #expect(count(.token) == 2)
    #expect(count(.tokenCode) == 1)
    #expect(count(.tokenRefresh) == 1)
    #expect(count(.logout) == 1)
    #expect(count(.method("POST")) == 3)
    #expect(count(.token.and(.method("GET"))) == 0)
  }
}
