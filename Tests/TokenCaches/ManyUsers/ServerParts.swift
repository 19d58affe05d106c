import AsyncHTTPClient
import B2CConnector
import Foundation
import Hummingbird

package enum ServerParts {
  package static func transport() -> any HTTPTransport { AsyncHTTPClientTransport() }

  package static func postgreSQL(_ database: String) -> any TokenCache { PostgreSQLTokenCache(database) }

  package static func sqlite(_ directory: URL) throws -> any TokenCache { try SQLiteTokenCache(directory: directory) }

  /// Answers every request with a list of tasks in JSON, and calls `started` with the port.
  package static func serve(_ body: Data, _ started: @escaping @Sendable (Int) -> Void) async throws {
    let router = Router()
    let buffer = ByteBuffer(bytes: body)
    router.get("/tasks") { _, _ in
      Response(status: .ok, headers: [.contentType: "application/json"], body: ResponseBody(byteBuffer: buffer))
    }
    let configuration = ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0))
    try await Application(
      router: router, configuration: configuration,
      onServerRunning: { channel in started(channel.localAddress?.port ?? 0) }
    ).runService()
  }
}

/// A call as a server would write it: one client, a header, Foundation's decoder.
package struct PlainClient: Sendable {
  private struct Task: Decodable {
    let task: String
    let owner: String?
    let completed: Bool
    let date: Date?
  }

  private let url: String
  private let token: String
  private let client = HTTPClient(eventLoopGroupProvider: .singleton)

  package init(url: String, token: String) {
    self.url = url
    self.token = token
  }

  package func tasks() async throws -> Int {
    var request = HTTPClientRequest(url: url)
    request.headers.add(name: "Authorization", value: "Bearer " + token)
    let response = try await client.execute(request, timeout: .seconds(60))
    let body = try await response.body.collect(upTo: 1 << 20)
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return try decoder.decode([Task].self, from: Data(body.readableBytesView)).count
  }

  package func close() async throws { try await client.shutdown() }
}
