import B2CCore
import B2CHTTP
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.descriptors(), .hangLimit)
struct LocalFrontTests {
  @Test func wholeSignInOverRealHTTP() async throws {
    let tenant = LocalTenant()
    let server = LocalTaskServer(tenant: tenant)
    try await tenant.start()
    try await server.start()
    let visitor = TenantVisitor(tenant, transport: SocketTransport())
    #expect(tenant.authority(form: .query) == "\(tenant.origin.absoluteString)/contoso.onmicrosoft.com/")
    let answer = try await visitor.tokens()
    #expect(answer.status == 200)
    #expect(answer.idToken["iss"] == .string(tenant.issuer))
    #expect(tenant.issuer == tenant.origin.absoluteString + "/\(tenant.tenantID)/v2.0/")
    var request = URLRequest(
      method: "POST", url: server.url, headers: ["Content-Type": "application/json"],
      body: Data(#"{"task":"Buy milk"}"#.utf8))
    request.setValue("Bearer " + (answer["access_token"] ?? ""), forHTTPHeaderField: "Authorization")
    #expect(try await visitor.transport.answer(to: request).status == 201)
    #expect(server.tasks(of: LocalUser.alice.id).map(\.text) == ["Buy milk"])
    await server.stop()
    await tenant.stop()
  }

  @Test func cookiesAreNotForHTTPSOnlyThere() async throws {
    let tenant = LocalTenant()
    try await tenant.start()
    let visitor = TenantVisitor(tenant, transport: SocketTransport())
    let form = ["email": LocalUser.alice.email, "password": LocalUser.alice.password.value, "stage": "signIn"]
    let cookie = try #require(try await visitor.post(visitor.authorizeURL(), form).header("set-cookie"))
    #expect(cookie.hasSuffix("SameSite=Lax"))
    await tenant.stop()
  }

  @Test func bothFrontsShareOneState() async throws {
    let tenant = LocalTenant()
    let inMemory = try TenantVisitor(tenant).url("/discovery/v2.0/keys")
    try await tenant.start()
    let overHTTP = try TenantVisitor(tenant).url("/discovery/v2.0/keys")
    #expect(inMemory != overHTTP)
    let network = LocalNetwork(tenant)
    #expect(try await network.answer(to: URLRequest(url: inMemory)).status == 200)
    #expect(try await network.answer(to: URLRequest(url: overHTTP)).status == 200)
    #expect(try await SocketTransport().answer(to: URLRequest(url: overHTTP)).status == 200)
    #expect(tenant.counters.keysRequests == 3)
    #expect(tenant.issuers.count == 2)
    await tenant.stop()
    #expect(tenant.origin == tenant.inMemoryOrigin)
    await #expect(throws: LoopbackClient.Refused.self) {
      try await SocketTransport().answer(to: URLRequest(url: overHTTP))
    }
  }

  @Test(
    "Only requests that name this machine are answered, because a page elsewhere may have a name that leads here",
    arguments: [
      ("127.0.0.1", true), ("127.0.0.1:PORT", true), ("localhost:PORT", true), ("LOCALHOST", true),
      ("[::1]:PORT", true),
      ("localhost:1", true), ("LocalHost:65535", true), ("evil.example", false), ("evil.example:PORT", false),
      ("127.0.0.1.evil.example", false), ("localhost.evil.example:PORT", false), ("localhost.:PORT", false),
      ("127.0.0.2", false), ("0.0.0.0:PORT", false), ("127.1:PORT", false), ("", false), ("::1", false),
      ("[::1]x", false), ("[::1%lo]:PORT", false), ("localhost:PORT@evil.example", false), ("localhost:PORTx", false),
      ("evil.example:PORT, localhost", false), ("contoso.b2clogin.com", false),
    ])
  func answersItsOwnHosts(_ host: String, _ isAnswered: Bool) async throws {
    let tenant = LocalTenant()
    let server = LocalTaskServer(tenant: tenant)
    try await tenant.start()
    try await server.start()
    for (url, status) in [(tenant.origin, 404), (server.url, 401)] {
      let port = UInt16(try #require(url.port))
      let client = try await LoopbackClient(port: port)
      let name = host.replacingOccurrences(of: "PORT", with: "\(port)")
      await client.send("GET \(url.path.isEmpty ? "/" : url.path) HTTP/1.1\r\nHost: \(name)\r\n\r\n")
      let answer = await client.receiveAll()
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
    let tenant = LocalTenant()
    try await tenant.start()
    let client = try await LoopbackClient(port: UInt16(try #require(tenant.origin.port)))
    await client.send(head)
    #expect(await client.receiveAll().hasPrefix("HTTP/1.1 400 "))
    #expect(tenant.requests.isEmpty)
    await tenant.stop()
  }

  @Test func portInUseIsAnErrorAndAStoppedPortIsFree() async throws {
    let first = LocalTenant()
    try await first.start()
    try await first.start()
    let port = UInt16(try #require(first.origin.port))
    let second = LocalTenant()
    await expectError(ConnectorError.self, .portInUse) { try await second.start(port: port) }
    await first.stop()
    try await second.start(port: port)
    #expect(second.origin.port == Int(port))
    await second.stop()
  }

  @Test("A lost answer is a broken connection", arguments: [LocalFault.Effect.reset, .offline])
  func brokenConnection(effect: LocalFault.Effect) async throws {
    let tenant = LocalTenant()
    try await tenant.start()
    tenant.faults = [LocalFault(effect)]
    let client = try await LoopbackClient(port: UInt16(try #require(tenant.origin.port)))
    await client.send("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    #expect(await client.receiveAll() == "")
    await tenant.stop()
  }

  @Test func neverAnswersUntilStopped() async throws {
    let tenant = LocalTenant()
    try await tenant.start()
    let gate = TestGate()
    tenant.faults = [LocalFault(.wait(gate)), LocalFault(.never)]
    let client = try await LoopbackClient(port: UInt16(try #require(tenant.origin.port)))
    await client.send("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    await gate.waitForArrivals(1)
    gate.open()
    await tenant.stop()
    #expect(await client.receiveAll() == "")
  }

  @Test func lettingGoOfATenantFreesItsPort() async throws {
    var tenant: LocalTenant? = LocalTenant()
    try await tenant?.start()
    let isGone = { [weak tenant] in tenant == nil }
    tenant = nil
    #expect(isGone())
  }
}

/// A transport over a plain socket: one connection for each request, no redirects, no cookies.
struct SocketTransport: HTTPTransport {
  func send(_ request: URLRequest, limits: TransportLimits) async throws -> (Data, HTTPURLResponse) {
    let client = try await LoopbackClient(port: UInt16(request.url?.port ?? 0))
    let components = request.url.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: true) }
    let path = components?.percentEncodedPath ?? ""
    let target = (path.isEmpty ? "/" : path) + (components?.percentEncodedQuery.map { "?" + $0 } ?? "")
    var head = "\(request.method) \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    for (name, value) in request.allHTTPHeaderFields ?? [:] { head += "\(name): \(value)\r\n" }
    let body = request.httpBody ?? Data()
    await client.send(Data((head + "Content-Length: \(body.count)\r\n\r\n").utf8) + body)
    let text = await client.receiveAll()
    guard let end = text.range(of: "\r\n\r\n") else { throw URLError(.networkConnectionLost) }
    var lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
    let status = Int(lines.removeFirst().split(separator: " ")[1]) ?? 0
    var headers: [String: String] = [:]
    for line in lines {
      let parts = line.split(separator: ":", maxSplits: 1)
      headers[String(parts[0])] = parts[1].trimmingCharacters(in: .whitespaces)
    }
    return try LocalResponse(status: status, headers: headers, body: Data(text[end.upperBound...].utf8))
      .answer(to: request.url)
  }
}
