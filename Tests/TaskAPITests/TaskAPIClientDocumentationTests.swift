import B2CHTTP
import B2CTestKit
import Foundation
import TaskAPI
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A transport over an app's own session, as Docs/TaskAPI.md describes one, over real HTTP.
@Suite(.hangLimit) struct TaskAPIClientDocumentationTests {
  @Test("The session of an app carries the requests")
  func ownSession() async throws {
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

  func send(_ request: URLRequest, limits: TransportLimits) async throws -> (Data, HTTPURLResponse) {
    let (body, response) = try await session.data(for: request)
    guard let head = response as? HTTPURLResponse else { throw URLError(.cannotParseResponse) }
    return (body, head)
  }
}
