import B2CTestKit
import Foundation
import TaskAPI
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A transport over an app's own session, as Docs/TaskAPI.md describes one, over real HTTP.
@Suite(.timeLimit(.minutes(10))) struct TaskAPIClientDocumentationTests {
  @Test func anAppsOwnSessionCarriesTheRequests() async throws {
    let server = LocalTaskServer(tenant: LocalTenant())
    try await server.start()
    let session = URLSession(configuration: .patient)
    let client = try TaskAPIClient(baseURL: server.url, transport: AppTransport(session: session)) { "opaque-token-1" }
    // The server does not know the token, so this is its 401 with its challenge, twice.
    let error = await taskError { _ = try await client.list() }
    #expect(error?.code == .unauthorized && error?.status == 401)
    #expect(error?.url == server.url.absoluteString && error?.oauthError == "invalid_token")
    session.invalidateAndCancel()
    await server.stop()
  }
}

struct AppTransport: HTTPTransport {
  let session: URLSession  // with a delegate that follows no redirects

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    var call = URLRequest(url: request.url, timeoutInterval: 30)
    call.httpMethod = request.method.rawValue
    call.httpBody = request.body
    for field in request.headers.fields { call.addValue(field.value, forHTTPHeaderField: field.name) }
    let (body, response) = try await session.data(for: call)
    guard let head = response as? HTTPURLResponse else { throw TransportError(.invalidResponse, "Not HTTP.") }
    let fields = head.allHeaderFields.map { (name: "\($0.key)", value: "\($0.value)") }
    return TransportResponse(status: head.statusCode, headers: TransportRequest.Headers(fields), body: body)
  }
}
