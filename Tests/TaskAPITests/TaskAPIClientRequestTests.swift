import B2CTestKit
import Foundation
import TestSupport
import Testing

/// The rules that all requests of the client share.
@Suite(.hangLimit) struct TaskAPIClientRequestTests {
  private static let base = "https://tasks.example.com/tasks"

  @Test(
    "A base URL that is not safe is refused, in words without its password and query",
    arguments: [
      "http://tasks.example.com/tasks", "ftp://tasks.example.com/tasks", "file:///tasks", "https:///tasks", "/tasks",
      "http://localhost.example.com/tasks", "https://user:canary@tasks.example.com/tasks?code=canary",
      "https://tasks.example.com/tasks#top",
    ])
  func refusesBaseURL(_ base: String) throws {
    let error = try #require(throws: ConnectorError.self) { try TaskAPIClient(baseURL: url(base)) { "token" } }
    #expect(error.code == .configuration && !"\(error)".contains("canary"))
    #expect(error.message.contains(Self.base) || !base.contains("canary"))
  }

  @Test(
    "https, and http to this machine, are taken, and a task's id is escaped behind the path, before the query",
    arguments: [
      ("https://h.example/tasks", "https://h.example/tasks", "https://h.example/tasks/a%2Fb"),
      ("https://h.example/tasks/", "https://h.example/tasks", "https://h.example/tasks/a%2Fb"),
      ("https://h.example/a?k=%2B", "https://h.example/a?k=%2B", "https://h.example/a/a%2Fb?k=%2B"),
      ("https://h.example/tasks/?k=1", "https://h.example/tasks?k=1", "https://h.example/tasks/a%2Fb?k=1"),
      ("https://h.example", "https://h.example/", "https://h.example/a%2Fb"),
      ("https://h.example/?k=1", "https://h.example/?k=1", "https://h.example/a%2Fb?k=1"),
      ("https://h.example/a:b/tasks", "https://h.example/a:b/tasks", "https://h.example/a:b/tasks/a%2Fb"),
      ("http://localhost:81/t", "http://localhost:81/t", "http://localhost:81/t/a%2Fb"),
      ("http://127.0.0.1/t", "http://127.0.0.1/t", "http://127.0.0.1/t/a%2Fb"),
      ("http://[::1]:81/t", "http://[::1]:81/t", "http://[::1]:81/t/a%2Fb"),
    ])
  func buildsURLs(_ base: String, _ list: String, _ item: String) async throws {
    let transport = CannedTransport(.text(200, "[]"), .text(204, ""))
    let client = try TaskAPIClient(baseURL: url(base), transport: transport) { "token" }
    _ = try await client.list()
    try await client.delete(TaskItem(itemName: "x", serverID: "a/b"))
    #expect(transport.requests.map(\.url?.absoluteString) == [list, item])
  }

  @Test("Every request has the token and the limits, and asks for JSON", arguments: TaskCall.allCases)
  func everyRequest(_ call: TaskCall) async throws {
    let limits = TransportLimits(maximumBodyBytes: 9, deadline: .seconds(3), idleTimeout: .seconds(2))
    let transport = CannedTransport(call.success)
    try await call.run(client(transport) { $0.limits = limits })
    let request = try #require(transport.requests.first)
    #expect(transport.limits == [limits] && request.method == call.rawValue)
    #expect(request.value(forHTTPHeaderField: "authorization") == "Bearer opaque-token-1")
    #expect(request.value(forHTTPHeaderField: "accept") == "application/json")
    #expect(request.httpBody == nil || call != .list)
    #expect(request.url?.absoluteString.contains("opaque") == false)
  }

  @Test("Without a token nothing is sent, and the closure's error is thrown", arguments: TaskCall.allCases)
  func noToken(_ call: TaskCall) async throws {
    let transport = CannedTransport(call.success)
    let client = try TaskAPIClient(baseURL: url(Self.base), transport: transport) { throw SignedOut() }
    await #expect(throws: SignedOut()) { try await call.run(client) }
    #expect(transport.requests.isEmpty)
  }

  @Test("If a try may have acted, the lack of a new token is an error that says so")
  func noTokenAfterAnUnknownOutcome() async throws {
    func delete(over transport: CannedTransport) async throws {
      let client = try client(transport) {
        $0.dialect = .rest
        $0.tokens = { refused in
          guard refused == nil else { throw SignedOut() }
          return (Secret("only-token"), nil)
        }
      }
      try await TaskCall.delete.run(client)
    }
    await #expect(throws: SignedOut()) { try await delete(over: CannedTransport(statuses: 401)) }
    let transport = CannedTransport(statuses: 502, 401)
    let error = await taskError { try await delete(over: transport) }
    #expect(error?.code == .other && error?.outcomeIsUnknown == true && transport.unused == 0)
    #expect(error?.underlying is SignedOut)
  }

  /// The call, the dialect, and whether the effect of two requests is that of one.
  static let repetitions: [(TaskCall, TaskDialect, Bool)] = [
    (.list, .tutorial, true), (.update, .tutorial, true), (.update, .rest, true), (.delete, .rest, true),
    (.delete, .tutorial, false), (.delete, .repository, false), (.add, .tutorial, false), (.add, .rest, false),
  ]

  @Test("After a fault, only what may be done twice is sent again, and everything after a 429", arguments: repetitions)
  func repeats(_ call: TaskCall, _ dialect: TaskDialect, _ isRepeated: Bool) async throws {
    let faults: [CannedTransport.Outcome] = [.success(.text(503, "")), .failure(URLError(.networkConnectionLost))]
    for fault in faults {
      let transport = CannedTransport([fault, .success(call.success)])
      let error = await taskError { try await call.run(client(transport) { $0.dialect = dialect }) }
      #expect(transport.unused == (isRepeated ? 0 : 1) && (error == nil) == isRepeated)
      if let error { #expect(error.outcomeIsUnknown && error.isRetryable) }
    }
    let clock = LeapingClock()
    let throttled = CannedTransport(.text(429, ""), .text(429, ""), call.success)
    try await call.run(client(throttled, clock: clock) { $0.dialect = dialect })
    #expect(throttled.unused == 0 && clock.sleeps == [.seconds(1), .seconds(2)])
    #expect(Set(throttled.requests.map(\.httpBody)).count == 1)
  }

  @Test("An error of the app's own transport is named as that, and leaves the outcome of a change open")
  func ownFailure() async throws {
    struct OwnFailure: Error {}
    for call in [TaskCall.list, .add] {
      let error = await taskError { try await call.run(client(CannedTransport([.failure(OwnFailure())]))) }
      #expect(error?.code == .other && error?.isRetryable == false && error?.outcomeIsUnknown == (call == .add))
      #expect(error?.underlying is OwnFailure && error?.message.contains("OwnFailure") == true)
    }
  }

  @Test("A token closure that throws CancellationError by itself cancels nobody")
  func ownCancellation() async throws {
    let tokenless = try TaskAPIClient(baseURL: url(Self.base), transport: CannedTransport(statuses: 200)) {
      throw CancellationError()
    }
    let error = await taskError { _ = try await tokenless.list() }
    #expect(error?.code == .other && error?.underlying is CancellationError && error?.outcomeIsUnknown == false)
  }
}
