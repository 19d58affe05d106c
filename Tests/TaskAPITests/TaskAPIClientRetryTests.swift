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

@Suite(.timeLimit(.minutes(10))) struct TaskAPIClientRetryTests {
  private func task() throws -> TaskItem { try decoded(Samples.stored) }

  @Test(arguments: [408, 429, 500, 502, 503, 504])
  func listIsTriedAgain(_ status: Int) async throws {
    let refusal = LocalResponse.text(status, "")
    let transport = CannedTransport(refusal, refusal, .text(200, "[]"))
    let clock = LeapingClock()
    let client = try client(transport, clock: clock)
    #expect(try await client.list().isEmpty)
    #expect(transport.unused == 0)
    #expect(clock.sleeps.count == 2 && clock.sleeps.allSatisfy { $0 > .zero })
  }

  @Test(arguments: [400, 403, 404, 409, 501])
  func definiteAnswerIsNot(_ status: Int) async throws {
    let transport = CannedTransport(.text(status, ""), .text(200, "[]"))
    #expect(await taskError { _ = try await client(transport).list() }?.status == status)
    #expect(transport.requests.count == 1)
  }

  @Test func lostConnectionIsTriedAgain() async throws {
    let transport = CannedTransport([
      .failure(URLError(.networkConnectionLost)), .failure(URLError(.cannotConnectToHost)),
      .success(.text(200, "[]")),
    ])
    #expect(try await client(transport).list().isEmpty)
  }

  @Test func deletionByIDAndPutAreTriedAgain() async throws {
    let transport = CannedTransport(.text(503, ""), .text(204, ""), .text(503, ""), .text(204, ""))
    let client = try client(transport) { $0.dialect = .rest }
    try await client.delete(task())
    try await client.update(task())
    #expect(transport.requests.map(\.method) == ["DELETE", "DELETE", "PUT", "PUT"])
  }

  @Test func policyIsTheUsers() async throws {
    let transport = CannedTransport(.text(503, ""), .text(200, "[]"))
    let error = await taskError { _ = try await client(transport, change: { $0.retry = .none }).list() }
    #expect(error?.status == 503 && transport.requests.count == 1)
  }

  @Test(
    arguments: [("3", 3.0), ("Fri, 20 Nov 2015 06:13:30 GMT", 10), ("soon", nil), ("-1", nil)] as [(String, Double?)])
  func errorSaysHowLongToWait(_ header: String, _ seconds: Double?) async throws {
    let headers = ["Retry-After": header, "Date": "Fri, 20 Nov 2015 06:13:20 GMT"]
    let transport = CannedTransport(.text(429, "", headers: headers))
    let error = await taskError {
      try await client(transport, change: { $0.retry = .none }).add(TaskItem(itemName: "x"))
    }
    #expect(error?.code == .throttled && error?.retryAfter == seconds)
  }

  @Test func serverThatNeverAnswersEndsByDeadline() async throws {
    let late = URLError(.timedOut)
    let transport = CannedTransport(Array(repeating: .failure(late), count: 5))
    let error = await taskError { _ = try await client(transport).list() }
    #expect(error?.code == .timedOut && error?.isRetryable == true && error?.outcomeIsUnknown == false)
    #expect(transport.limits.allSatisfy { $0.deadline <= .seconds(30) && $0.deadline > .zero })
  }

  @Test func cancellationStaysOne() async throws {
    struct Cancelling: HTTPTransport {
      func send(_ request: URLRequest, limits: TransportLimits) async throws -> (Data, HTTPURLResponse) {
        throw CancellationError()
      }
    }
    let client = try client(Cancelling())
    await #expect(throws: CancellationError.self) { try await client.list() }
    await #expect(throws: CancellationError.self) { try await client.add(TaskItem(itemName: "x")) }
    await #expect(throws: CancellationError.self) { try await client.delete(task()) }
  }
}
