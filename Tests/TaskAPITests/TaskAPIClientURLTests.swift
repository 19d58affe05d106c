import Foundation
import TaskAPI
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.hangLimit) struct TaskAPIClientURLTests {
  @Test(
    "A base URL that is not safe is refused",
    arguments: [
      "http://tasks.example.com/tasks", "ftp://tasks.example.com/tasks", "file:///tasks", "https:///tasks", "/tasks",
      "http://localhost.example.com/tasks", "https://user:pass@tasks.example.com/tasks",
      "https://tasks.example.com/tasks#top",
    ])
  func refusesBaseURL(_ base: String) throws {
    expectError(ConnectorError.self, .configuration) { try TaskAPIClient(baseURL: url(base)) { "token" } }
  }

  @Test(
    "https, and http to this machine, are taken",
    arguments: [
      "https://tasks.example.com/tasks", "http://localhost:8080/tasks/", "http://127.0.0.1:3000/api/tasks",
      "http://[::1]:3000/api/tasks?code=1", "https://tasks.example.com", "https://tasks.example.com/a:b/tasks",
    ])
  func takesBaseURL(_ base: String) throws {
    _ = try TaskAPIClient(baseURL: url(base)) { "token" }
  }

  @Test("The error of a refused URL hides its password and query")
  func secrets() throws {
    do {
      _ = try TaskAPIClient(baseURL: url("http://user:canary-value@tasks.example.com/tasks?code=canary-value")) {
        "token"
      }
      Issue.record("Plain http was taken.")
    } catch {
      #expect("\(error)".contains("http://tasks.example.com/tasks") && !"\(error)".contains("canary-value"))
    }
  }

  @Test(
    "The id of a task is escaped behind the path, before the query",
    arguments: [
      ("https://h.example/tasks", "https://h.example/tasks", "https://h.example/tasks/a%2Fb"),
      ("https://h.example/tasks/", "https://h.example/tasks", "https://h.example/tasks/a%2Fb"),
      (
        "https://h.example/tasks?k=%2B", "https://h.example/tasks?k=%2B",
        "https://h.example/tasks/a%2Fb?k=%2B"
      ),
      (
        "https://h.example/tasks/?k=1", "https://h.example/tasks?k=1",
        "https://h.example/tasks/a%2Fb?k=1"
      ),
      ("https://h.example", "https://h.example/", "https://h.example/a%2Fb"),
      ("https://h.example/?k=1", "https://h.example/?k=1", "https://h.example/a%2Fb?k=1"),
      ("http://[::1]:81/t", "http://[::1]:81/t", "http://[::1]:81/t/a%2Fb"),
    ])
  func buildsURLs(_ base: String, _ list: String, _ item: String) async throws {
    let transport = CannedTransport(.text(200, "[]"), .text(204, ""))
    let client = try client(transport, base: base)
    _ = try await client.list()
    try await client.delete(decoded(#"{"_id":"a/b","task":"x"}"#))
    #expect(transport.requests.map(\.url?.absoluteString) == [list, item])
  }

  @Test("Every request has the limits")
  func limits() async throws {
    let limits = TransportLimits(maximumBodyBytes: 9, deadline: .seconds(3), idleTimeout: .seconds(2))
    let transport = CannedTransport(.text(200, "[]"), .text(204, ""), .text(204, ""), .text(204, ""))
    let client = try client(transport) { $0.limits = limits }
    let task = try decoded(#"{"_id":"1","task":"x"}"#)
    _ = try await client.list()
    try await client.add(task)
    try await client.update(task)
    try await client.delete(task)
    #expect(transport.limits == Array(repeating: limits, count: 4))
  }
}
