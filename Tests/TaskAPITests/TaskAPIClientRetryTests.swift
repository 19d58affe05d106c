import B2CCore
import B2CHTTP
import B2CTestKit
import Foundation
import TaskAPI
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.hangLimit) struct TaskAPIClientRetryTests {
  private func task() throws -> TaskItem { try decoded(Samples.stored) }

  @Test("A list is tried again")
  func list() async throws {
    let transport = CannedTransport([
      .success(.text(503, "")), .failure(URLError(.networkConnectionLost)), .success(.text(200, "[]")),
    ])
    let clock = LeapingClock()
    let client = try client(transport, clock: clock)
    #expect(try await client.list().isEmpty)
    #expect(clock.sleeps.count == 2 && clock.sleeps.allSatisfy { $0 > .zero })
  }

  @Test("A deletion by id and an update are tried again")
  func changes() async throws {
    let transport = CannedTransport(.text(503, ""), .text(204, ""), .text(503, ""), .text(204, ""))
    let client = try client(transport) { $0.dialect = .rest }
    try await client.delete(task())
    try await client.update(task())
    #expect(transport.requests.map(\.method) == ["DELETE", "DELETE", "PUT", "PUT"])
  }

  @Test("An error says how long to wait")
  func retryAfter() async throws {
    let transport = CannedTransport(.text(429, "", headers: ["Retry-After": "11"]))
    let error = await taskError { try await client(transport).add(TaskItem(itemName: "x")) }
    #expect(error?.code == .throttled && error?.retryAfter == 11)
  }

  @Test("A server that never answers ends by the deadline")
  func deadline() async throws {
    let late = URLError(.timedOut)
    let transport = CannedTransport(Array(repeating: .failure(late), count: 5))
    let error = await taskError { _ = try await client(transport).list() }
    #expect(error?.code == .timedOut && error?.isRetryable == true && error?.outcomeIsUnknown == false)
    #expect(transport.limits.allSatisfy { $0.deadline <= .seconds(30) && $0.deadline > .zero })
  }

  @Test("A transport or a token closure that throws CancellationError by itself cancels nobody")
  func ownCancellation() async throws {
    struct Cancelling: HTTPTransport {
      func send(_ request: URLRequest, limits: TransportLimits) async throws -> (Data, HTTPURLResponse) {
        throw CancellationError()
      }
    }
    let client = try client(Cancelling())
    #expect(await taskError { _ = try await client.list() }?.code == .network)
    #expect(await taskError { try await client.delete(task()) }?.code == .network)
    let added = await taskError { try await client.add(TaskItem(itemName: "x")) }
    #expect(added?.code == .network && added?.outcomeIsUnknown == true)
    let url = try #require(URL(string: "https://tasks.example/tasks"))
    let tokenless = try TaskAPIClient(baseURL: url, transport: CannedTransport(statuses: 200)) {
      throw CancellationError()
    }
    let error = await taskError { _ = try await tokenless.list() }
    #expect(error?.code == .other && error?.underlying is CancellationError && error?.outcomeIsUnknown == false)
  }
}
