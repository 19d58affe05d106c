import B2CConnector
import Foundation
import TestSupport

extension Row {
  static let taskCall = Row(
    number: "5", title: "authorized getTaskList (20 tasks) over loopback",
    meaning: """
      Your app lists the user's tasks. The baseline is the code that you would write yourself: an ephemeral \
      URLSession, an Authorization header and a JSONDecoder.
      """
  ) { context in
    let server = try ChildProcess("serve-tasks", ["20"])
    let url = try Scene.url("http://127.0.0.1:\(server.readLine())/tasks")
    var settings = try Scene.settings()
    settings.taskWebAPI = url
    let cache = try await Scene.memoryCache(users: 1)
    let connector = try Scene.connector(cache, transport: URLSessionTransport(), settings: settings)
    let plain = PlainCall(url: url, token: try await connector.accessToken().token.value)
    let pairs = try await Pairs.compare(context, batch: 0.05) { count in
      for _ in 0..<count { _ = try await plain.tasks() }
    } subject: { count in
      for _ in 0..<count { _ = try await connector.getTaskList() }
    }
    server.readToEnd()
    return [
      Measurement("call against URLSession and JSONDecoder", pairs, goal: 1.1),
      Measurement("call, time", pairs.subject.median * 1e6, "µs"),
      Measurement("plain call, time", pairs.baseline.median * 1e6, "µs"),
    ]
  }
}

/// The call as an app would write it: an ephemeral session, a header, Foundation's decoder.
private struct PlainCall: Sendable {
  private struct Task: Decodable {
    let task: String
    let owner: String?
    let completed: Bool
    let date: Date?
  }

  let url: URL
  let token: String
  private let session = URLSession(configuration: .ephemeral)

  init(url: URL, token: String) {
    self.url = url
    self.token = token
  }

  func tasks() async throws -> Int {
    var request = URLRequest(url: url)
    request.setValue("Bearer " + token, forHTTPHeaderField: "Authorization")
    let (data, _) = try await session.data(for: request)
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return try decoder.decode([Task].self, from: data).count
  }
}
