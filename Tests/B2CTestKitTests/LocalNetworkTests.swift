import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

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
    let services: [any LocalService] = [tenant, server]
    for network in [LocalNetwork(tenant, server), LocalNetwork(services.reversed(), clock: clock)] {
      #expect(try await network.answer(to: keys).status == 200)
      #expect(try await network.answer(to: URLRequest(url: server.url)).status == 401)
      #expect(network.requestCount == 2 && network.requests.map(\.response?.status) == [200, 401])
    }
    #expect(tenant.requests.count == 2 && server.requests.count == 2)
    tenant.clearRequests()
    #expect(tenant.requests.isEmpty && tenant.counters == LocalTenant(shape: .b2c).counters)
    await expectError(ConnectorError.self, .network) { try await LocalNetwork([]).answer(to: keys) }
  }

  @Test("A record of a request shows its secrets only when asked")
  func records() async throws {
    _ = try await TenantVisitor(tenant).tokens()
    let record = try #require(tenant.requests.last)
    #expect(record.form["code_verifier"] == TenantVisitor.verifier)
    #expect(record.query["p"] == "B2C_1_SignIn" && record.response?.status == 200)
    #expect("\(record)".hasSuffix("→ 200") && !"\(record)".contains(TenantVisitor.verifier))
  }

  @Test("No value that may be secret is shown", arguments: ["Authorization", "Set-Cookie", "Location", "X-Anything"])
  func secrecy(_ name: String) async throws {
    let response = LocalResponse(status: 200, headers: [name: "canary"], body: Data("canary".utf8))
    tenant.faults = [LocalFault(.respond(response))]
    let page = try TenantVisitor(tenant).url("/discovery/v2.0/keys", [("code", "canary")])
    let request = URLRequest(method: "POST", url: page, headers: [name: "canary"], body: Data("canary".utf8))
    _ = try await tenant.transport.answer(to: request)
    let record = try #require(tenant.requests.first)
    var shown = "\(response) \(String(reflecting: response)) \(record) \(String(reflecting: record))"
    dump(response, to: &shown)
    dump(record, to: &shown)
    #expect(!shown.contains("canary") && shown.contains("POST https://contoso.b2clogin.com/"), "\(shown)")
  }

  @Test("A response is an answer as URLSession gives it")
  func answer() throws {
    let url = try url("https://example.com/")
    let (body, response) = try LocalResponse(status: 404, headers: ["X-A": "1, 2"], body: Data([1])).answer(to: url)
    #expect(body == Data([1]) && response.statusCode == 404 && response.url == url)
    #expect(response.value(forHTTPHeaderField: "x-a") == "1, 2")
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
    #expect(network.requestCount == 20_001 && network.requests.count == 10_001)
    #expect(network.requests.allSatisfy { $0.request.method != "HEAD" && $0.response?.status == 204 })
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

  @Test("Faults add up; a request that waits has not taken effect, one whose answer is held or lost has")
  func gates() async throws {
    let (before, after) = (TestGate(), TestGate())
    tenant.faults = [
      LocalFault(on: .keys, .wait(before)), LocalFault(on: .keys, .change { $0.headers["X-Test"] = "1" }),
      LocalFault(on: .any, .change { $0.status = 418 }), LocalFault(.holdAnswer(after)),
    ]
    let request = try keys
    async let answer = tenant.transport.answer(to: request)
    await before.waitForArrivals(1)
    #expect(tenant.counters.keysRequests == 0)
    before.open()
    await after.waitForArrivals(1)
    #expect(tenant.counters.keysRequests == 1)
    after.open()
    let response = try await answer
    #expect(response.status == 418 && response.header("x-test") == "1")
    tenant.faults = [LocalFault(.reset)]
    await expectError(URLError.self, .networkConnectionLost) { try await tenant.transport.answer(to: request) }
    #expect(tenant.counters.keysRequests == 2)
  }

  @Test("Offline, nothing is sent: a change has certainly not happened, and all works when the device is back")
  func offline() async throws {
    let server = LocalTaskServer(tenant: tenant)
    let connector = try Connector.local(tenant, server)
    try await connector.doPolicy(.signIn)
    (tenant.faults, server.faults) = ([LocalFault(.offline)], [LocalFault(.offline)])
    let milk = TaskItem(itemName: "Buy milk")
    let lost = await #expect(throws: ConnectorError.self) { try await connector.addTask(milk) }
    #expect(lost?.code == .network && lost?.outcomeIsUnknown == false && server.requests.isEmpty)
    await expectError(ConnectorError.self, .network) { try await connector.accessToken(forceRefresh: true) }
    #expect(tenant.counters.refreshRequests == 0)
    (tenant.faults, server.faults) = ([], [])
    _ = try await connector.accessToken(forceRefresh: true)
    try await connector.addTask(milk)
    #expect(server.tasks.map(\.text) == ["Buy milk"] && tenant.counters.refreshRequests == 1)
  }

  @Test("An answer that never comes ends with the deadline on the given clock")
  func never() async throws {
    tenant.faults = [LocalFault(.never)]
    let request = try keys
    let answer = Task { [tenant, clock] in try await LocalNetwork(tenant, clock: clock).answer(to: request) }
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

  @Test("Targets find their requests")
  func findsTargets() async throws {
    let visitor = TenantVisitor(tenant)
    let answer = try await visitor.tokens()
    _ = try await visitor.refresh(answer["refresh_token"])
    _ = try await visitor.get(visitor.url("/oauth2/v2.0/logout"))
    let targets: [(LocalFaultTarget, count: Int)] = [
      (.any, 5), (.authorize, 2), (.token, 2), (.tokenCode, 1), (.tokenRefresh, 1), (.logout, 1),
      (.method("POST"), 3), (.token.and(.method("GET")), 0),
    ]
    let requests = tenant.requests.map(\.request)
    #expect(targets.map { requests.filter($0.0.contains).count } == targets.map(\.count))
  }
}
