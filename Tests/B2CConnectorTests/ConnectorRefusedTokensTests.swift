import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A refused token is replaced at most once a minute.
@Suite("Tokens that the API refuses", .hangLimit)
struct ConnectorRefusedTokensTests {
  private static let refusal = LocalResponse(status: 401, headers: ["WWW-Authenticate": "Bearer"])

  @Test("Against an API that refuses every token twenty calls make one refresh a minute, and send no token twice")
  func refusesAll() async throws {
    let scene = Scene()
    // Waits move another clock: how slow a machine is must not count as minutes.
    let connector = try scene.connector(waitingOn: TestClock())
    try await connector.doPolicy(.signIn)
    scene.tasks.faults = [LocalFault(.respond(Self.refusal))]
    for minute in 1...3 {
      for number in 0..<20 {
        let before = scene.tasks.requests.count
        let error = try await #require(throws: ConnectorError.self) { try await connector.getTaskList() }
        #expect(error.code == .unauthorized)
        let tries = scene.tasks.requests.count - before
        #expect(tries == (number == 0 ? 2 : 1))
        #expect(error.message.contains("new token") == (tries == 2), "\(error.message)")
      }
      #expect(scene.tenant.counters.refreshes == minute)
      await scene.clock.advance(by: .seconds(61))
    }
  }

  @Test("A token that was accepted before it was refused is replaced as often, and the call goes on")
  func acceptedBetween() async throws {
    let scene = Scene()
    // Waits move another clock: how slow a machine is must not count as minutes.
    let connector = try scene.connector(waitingOn: TestClock())
    try await connector.doPolicy(.signIn)
    for number in 1...5 {
      _ = try await connector.getTaskList()
      scene.tasks.faults = [LocalFault(times: 1, .respond(Self.refusal))]
      _ = try await connector.getTaskList()
      #expect(scene.tenant.counters.refreshes == number)
      await scene.clock.advance(by: .seconds(61))
    }
  }

  @Test("An API that refuses its tokens holds back no refresh for another")
  func perScopes() async throws {
    let scene = Scene()
    let other = try url("https://other.example/things")
    let transport = AnsweringTransport(scene.network, at: other, LocalResponse(status: 200))
    let connector = try scene.connector(transport: transport, waitingOn: TestClock()) { $0.allowedAPIs = [other] }
    try await connector.doPolicy(.signIn)
    scene.tasks.faults = [LocalFault(.respond(Self.refusal))]
    for _ in 0..<10 {
      _ = try? await connector.getTaskList()
      _ = try await connector.data(for: URLRequest(url: other), scopes: [LocalTenant.standardClientID])
    }
    // One for the list, one for the first token of the other API.
    #expect(scene.tenant.counters.refreshes == 2)
  }
}

/// Answers requests to one URL itself.
private struct AnsweringTransport: HTTPTransport {
  let next: any HTTPTransport
  let url: URL
  let response: LocalResponse

  init(_ next: any HTTPTransport, at url: URL, _ response: LocalResponse) {
    self.next = next
    self.url = url
    self.response = response
  }

  func send(_ request: URLRequest, limits: TransportLimits) async throws -> (Data, HTTPURLResponse) {
    request.url == url ? try response.answer(to: url) : try await next.send(request, limits: limits)
  }
}
