import B2CCore
import B2CTestKit
import Foundation
import TaskAPI
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.hangLimit) struct TaskAPIClientBearerTests {
  @Test("Without a token nothing is sent")
  func noToken() async throws {
    let transport = CannedTransport()
    let client = try client(transport) { $0.tokens = { _ in throw SignedOut() } }
    let task = try decoded(Samples.stored)
    await #expect(throws: SignedOut()) { try await client.list() }
    await #expect(throws: SignedOut()) { try await client.add(task) }
    await #expect(throws: SignedOut()) { try await client.update(task) }
    await #expect(throws: SignedOut()) { try await client.delete(task) }
    #expect(transport.requests.isEmpty)
  }

  @Test("Every request carries one token")
  func oneToken() async throws {
    let transport = CannedTransport(.text(200, "[]"), .text(204, ""), .text(204, ""), .text(204, ""))
    let client = try client(transport)
    let task = try decoded(Samples.stored)
    _ = try await client.list()
    try await client.add(task)
    try await client.update(task)
    try await client.delete(task)
    #expect(transport.requests.count == 4)
    #expect(transport.requests.allSatisfy { $0.value(forHTTPHeaderField: "Authorization") == "Bearer opaque-token-1" })
    #expect(transport.requests.allSatisfy { $0.url?.absoluteString.contains("opaque") == false })
  }

  @Test("A refused token is replaced once")
  func replacedToken() async throws {
    let refusal = LocalResponse.text(401, "Unauthorized", headers: ["WWW-Authenticate": #"Bearer realm="Users""#])
    let tokens = CannedTokens("first-token", "second-token")
    let transport = CannedTransport(refusal, .text(201, Samples.stored))
    try await client(transport, tokens: tokens).add(TaskItem(itemName: "x"))
    #expect(
      transport.requests.map { $0.value(forHTTPHeaderField: "Authorization") } == [
        "Bearer first-token", "Bearer second-token",
      ])
    #expect(tokens.asked == [nil, Secret("first-token")])
  }

  @Test("After a try that may have acted, the lack of a token is an error that says so")
  func noTokenAfterAnUnknownOutcome() async throws {
    func oneTokenAndREST(_ options: inout ClientOptions) {
      options.dialect = .rest
      options.tokens = { refused in
        guard refused == nil else { throw SignedOut() }
        return (Secret("only-token"), nil)
      }
    }
    let task = TaskItem(itemName: "x", serverID: "1")
    let refused = CannedTransport(.text(401, ""))
    await #expect(throws: SignedOut()) {
      try await client(refused, change: oneTokenAndREST).delete(task)
    }
    let transport = CannedTransport(.text(502, ""), .text(401, ""))
    let error = await taskError { try await client(transport, change: oneTokenAndREST).delete(task) }
    #expect(error?.code == .other && error?.outcomeIsUnknown == true && transport.unused == 0)
    #expect(error?.underlying is SignedOut)
  }

  @Test("Whatever the transport of an app throws, a cancelled call throws a cancellation")
  func cancelled() async throws {
    struct Slow: HTTPTransport {
      let gate = TestGate()

      func send(_ request: URLRequest, limits: TransportLimits) async throws -> (Data, HTTPURLResponse) {
        do { try await gate.wait() } catch { throw URLError(.cancelled) }
        throw URLError(.unknown)
      }
    }
    let transport = Slow()
    let client = try client(transport)
    let call = Task { try await client.add(TaskItem(itemName: "x")) }
    await transport.gate.waitForArrivals(1)
    call.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
  }
}
