import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite("Requests to any API", .hangLimit)
struct ConnectorRequestsTests {
  @Test("Microsoft Graph takes the token of a scope without a host")
  func graph() async throws {
    let scene = Scene(shape: .entra)
    let me = try url("https://graph.microsoft.com/v1.0/me")
    scene.transport.intercept { [tenant = scene.tenant] request in
      guard request.url == me else { return nil }
      let token = String(request.value(forHTTPHeaderField: "Authorization")?.dropFirst(7) ?? "")
      let user = tenant.user(accessToken: token, audiences: ["00000003-0000-0000-c000-000000000000"])
      return LocalResponse(status: user == nil ? 401 : 200, body: Data((user?.displayName ?? "").utf8))
    }
    let settings = try scene.settings { $0.scopes = ["https://graph.microsoft.com/User.Read"] }
    let connector = try scene.connector(settings) { $0.allowedAPIs = [me] }
    try await connector.signIn()
    let (data, response) = try await connector.data(for: URLRequest(url: me))
    #expect(response.statusCode == 200 && String(decoding: data, as: UTF8.self) == LocalUser.alice.displayName)
  }

  @Test(
    "For an origin that is not allowed, a request gets no token, and none is refreshed",
    arguments: ["https://evil.example/tasks", "https://tasks.example:8443/tasks", "http://tasks.example/tasks"])
  func foreignOrigin(_ text: String) async throws {
    let stage = try await SignedInScene()
    let (connector, request) = (stage.connector, URLRequest(url: try url(text)))
    await expectError(ConnectorError.self, .originNotAllowed) { try await connector.data(for: request) }
    await expectError(ConnectorError.self, .originNotAllowed) { try await connector.authorizedRequest(for: request) }
    #expect(stage.scene.tenant.counters.refreshRequests == 0)
  }

  @Test(
    "An allowed API that a token cannot be sent to safely is a mistake in the options",
    arguments: ["http://plain.example", "http://plain.example:8443/api", "ftp://api.example", "https://me@api.example"])
  func unsafeAPI(_ text: String) throws {
    let (scene, api) = (Scene(), try url(text))
    expectError(ConnectorError.self, .configuration) { try scene.connector { $0.allowedAPIs = [api] } }
    let safe = try [url("http://127.0.0.1:8080"), url("https://a.example")]
    #expect(throws: Never.self) { try scene.connector { $0.allowedAPIs = safe } }
  }

  @Test("A request to an API has the limits of the options, unless the call names others")
  func limits() async throws {
    let scene = try await SignedInScene(after: 0).scene
    let small = TransportLimits(maximumBodyBytes: 10)
    let answer = LocalResponse(status: 200, body: Data(repeating: 0x20, count: 12))
    scene.tasks.faults = [LocalFault(.respond(answer))]
    let request = URLRequest(url: scene.tasks.url)
    let connector = try scene.connector { $0.limits = small }
    await expectError(ConnectorError.self, .tooLarge) { try await connector.data(for: request) }
    #expect(try await connector.data(for: request, limits: TransportLimits()).0 == answer.body)
    await expectError(ConnectorError.self, .tooLarge) { try await connector.signIn() }
    let ofTasks = try scene.connector { $0.taskLimits = small }
    await expectError(ConnectorError.self, .tooLarge) { try await ofTasks.getTaskList() }
    await expectError(ConnectorError.self, .tooLarge) { try await ofTasks.data(for: request, limits: small) }
    #expect(try await ofTasks.data(for: request).0 == answer.body)
  }

  @Test("Each user's own token is sent, for the scopes of the call, and the request stays what it was")
  func tokens() async throws {
    let stage = try await SignedInScene(after: 0)
    let bob = try await stage.signIn(.bob).user
    let (scene, connector) = (stage.scene, stage.connector)
    var request = URLRequest(url: scene.tasks.url)
    request.setValue("de", forHTTPHeaderField: "Accept-Language")
    var sent: Set<String?> = []
    for user in [stage.alice.user, bob, nil] {
      for scopes in [nil, SignedInScene.otherScopes] {
        let token = try await connector.accessToken(scopes: scopes, user: user).token.value
        _ = try await connector.data(for: request, scopes: scopes, user: user)
        let crafted = try await connector.authorizedRequest(for: request, scopes: scopes, user: user)
        #expect(crafted.value(forHTTPHeaderField: "Accept-Language") == "de" && crafted.url == request.url)
        for request in [crafted, try #require(scene.tasks.requests.last?.request)] {
          #expect(request.value(forHTTPHeaderField: "Authorization") == "Bearer " + token)
        }
        sent.insert(token)
      }
    }
    #expect(sent.count == 4)
  }

  @Test("The number of attempts of the options counts for the requests to APIs and for the metadata")
  func retries() async throws {
    let stage = try await SignedInScene(after: 0, waitingOn: TestClock()) {
      $0.retry = RetryPolicy(maximumAttempts: 2)
    }
    let (scene, connector) = (stage.scene, stage.connector)
    let busy = LocalFault.Effect.respond(LocalResponse(status: 503))
    scene.tasks.faults = [LocalFault(busy)]
    #expect(try await connector.data(for: URLRequest(url: scene.tasks.url)).1.statusCode == 503)
    #expect(scene.tasks.requests.count == 2)
    scene.tenant.faults = [LocalFault(on: .metadata, busy)]
    let before = scene.network.requestCount
    await expectError(ConnectorError.self, .serviceUnavailable) { try await connector.doPolicy(.signUp) }
    #expect(scene.network.requestCount == before + 2)
  }
}
