import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite(.descriptors(), .hangLimit)
struct LocalFrontTests {
  let tenant = LocalTenant()

  /// Sends a request over a plain connection, and returns the whole answer.
  private func answer(
    to text: String = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", from origin: URL? = nil
  ) async throws -> String {
    let port = UInt16(try #require((origin ?? tenant.origin).port))
    return try await LoopbackClient(port: port, sending: text).receiveAll()
  }

  @Test("A whole sign-in and a call work over real HTTP, with cookies that are not for https only")
  func wholeSignIn() async throws {
    let server = LocalTaskServer(tenant: tenant)
    try await tenant.start()
    try await server.start()
    let visitor = TenantVisitor(tenant, transport: PatientTransport())
    #expect(tenant.authority(form: .query) == "\(tenant.origin.absoluteString)/contoso.onmicrosoft.com/")
    let answer = try await visitor.tokens()
    #expect(answer.idToken["iss"] == .string(tenant.issuer))
    #expect(tenant.issuer == tenant.origin.absoluteString + "/\(tenant.tenantID)/v2.0/")
    let request = URLRequest(
      method: "POST", url: server.url,
      headers: ["Content-Type": "application/json", "Authorization": "Bearer \(answer["access_token"] ?? "")"],
      body: Data(#"{"task":"Buy milk"}"#.utf8))
    #expect(try await visitor.transport.answer(to: request).status == 201)
    #expect(server.tasks(of: LocalUser.alice.id).map(\.text) == ["Buy milk"])
    let form = ["email": LocalUser.alice.email, "password": LocalUser.alice.password.value, "stage": "signIn"]
    let cookie = try #require(try await visitor.post(visitor.authorizeURL(), form).header("set-cookie"))
    #expect(cookie.hasSuffix("SameSite=Lax"))
    await server.stop()
    await tenant.stop()
  }

  @Test("The two ways to a tenant, in memory and over HTTP, share one state")
  func sharedState() async throws {
    let inMemory = try TenantVisitor(tenant).url("/discovery/v2.0/keys")
    try await tenant.start()
    let overHTTP = try TenantVisitor(tenant).url("/discovery/v2.0/keys")
    #expect(inMemory != overHTTP)
    let network = LocalNetwork(tenant)
    #expect(try await network.answer(to: URLRequest(url: inMemory)).status == 200)
    #expect(try await network.answer(to: URLRequest(url: overHTTP)).status == 200)
    #expect(try await PatientTransport().answer(to: URLRequest(url: overHTTP)).status == 200)
    #expect(tenant.counters.keysRequests == 3 && tenant.issuers.count == 2)
    await tenant.stop()
    #expect(tenant.origin == tenant.inMemoryOrigin)
    await #expect(throws: (any Error).self) { try await PatientTransport().answer(to: URLRequest(url: overHTTP)) }
  }

  @Test(
    "Only requests that name this machine are answered, because a page elsewhere may have a name that leads here",
    arguments: [
      ("127.0.0.1", true), ("127.0.0.1:PORT", true), ("localhost:PORT", true), ("LOCALHOST", true),
      ("[::1]:PORT", true), ("localhost:1", true), ("LocalHost:65535", true), ("evil.example", false),
      ("evil.example:PORT", false),
      ("127.0.0.1.evil.example", false), ("localhost.evil.example:PORT", false), ("localhost.:PORT", false),
      ("127.0.0.2", false), ("0.0.0.0:PORT", false), ("127.1:PORT", false), ("", false), ("::1", false),
      ("[::1]x", false), ("[::1%lo]:PORT", false), ("localhost:PORT@evil.example", false), ("localhost:PORTx", false),
      ("evil.example:PORT, localhost", false), ("contoso.b2clogin.com", false),
    ])
  func ownHosts(_ host: String, _ isAnswered: Bool) async throws {
    let server = LocalTaskServer(tenant: tenant)
    try await tenant.start()
    try await server.start()
    for (url, status) in [(tenant.origin, 404), (server.url, 401)] {
      let name = host.replacingOccurrences(of: "PORT", with: "\(url.port ?? 0)")
      let text = "GET \(url.path.isEmpty ? "/" : url.path) HTTP/1.1\r\nHost: \(name)\r\n\r\n"
      let answer = try await answer(to: text, from: url)
      #expect(answer.hasPrefix("HTTP/1.1 \(isAnswered ? status : 421) "), "\(name): \(answer.prefix(20))")
    }
    #expect(tenant.requests.count == (isAnswered ? 1 : 0) && server.requests.count == tenant.requests.count)
    await server.stop()
    await tenant.stop()
  }

  @Test(
    "A request without one Host, or with a whole URL as its target, is refused",
    arguments: [
      "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
      "GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
      "GET http://localhost/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    ])
  func unclearHost(_ head: String) async throws {
    try await tenant.start()
    #expect(try await answer(to: head).hasPrefix("HTTP/1.1 400 "))
    #expect(tenant.requests.isEmpty)
    await tenant.stop()
  }

  @Test("A port in use is an error, and the port of a tenant that is stopped is free")
  func ports() async throws {
    try await tenant.start()
    try await tenant.start()
    let port = UInt16(try #require(tenant.origin.port))
    let second = LocalTenant()
    await expectError(ConnectorError.self, .portInUse) { try await second.start(port: port) }
    await tenant.stop()
    try await second.start(port: port)
    #expect(second.origin.port == Int(port))
    await second.stop()
  }

  @Test("A lost answer is a broken connection, and one that never comes ends when the tenant is stopped")
  func lostAnswers() async throws {
    try await tenant.start()
    for effect in [LocalFault.Effect.reset, .offline] {
      tenant.faults = [LocalFault(effect)]
      #expect(try await answer() == "")
    }
    let gate = TestGate()
    tenant.faults = [LocalFault(.wait(gate)), LocalFault(.never)]
    async let text = answer()
    await gate.waitForArrivals(1)
    gate.open()
    await tenant.stop()
    #expect(try await text == "")
  }

  @Test("A tenant that nobody holds goes with its port")
  func released() async throws {
    var tenant: LocalTenant? = LocalTenant()
    try await tenant?.start()
    let isGone = { [weak tenant] in tenant == nil }
    tenant = nil
    #expect(isGone())
  }
}
