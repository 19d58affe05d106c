import B2CLoopback
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// A cancelled call returns, whatever is under way, and harms no other.
@Suite(.descriptors(), .hangLimit)
struct URLSessionTransportCancellationTests {
  private let transport = URLSessionTransport()

  @Test("A cancelled call returns while it waits for an answer, and its transfer ends")
  func waiting() async throws {
    let (arrived, left) = (TestGate(), TestGate())
    let server = try await TestServer { exchange in
      arrived.open()
      await exchange.waitForDisconnect()
      left.open()
    }
    let request = try server.request()
    let call = Task { try await transport.answer(to: request, limits: .patient) }
    try? await arrived.wait()
    call.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
    // The transfer itself ends too.
    try? await left.wait()
    #expect(server.requests.count == 1)
  }

  @Test("A task that is already cancelled sends nothing")
  func cancelledBefore() async throws {
    let server = try await TestServer(answering: .text(""))
    let call = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await transport.answer(to: server.request(), limits: .patient)
    }
    await #expect(throws: CancellationError.self) { try await call.value }
    #expect(server.requests.isEmpty)
  }

  /// On Linux a redirect that meets a cancellation could end the process.
  @Test("A thousand cancellations at random instants leave nothing hanging", arguments: [200, 302, nil])
  func randomInstants(status: Int?) async throws {
    let server = try await TestServer(
      answering: LoopbackResponse(status: status ?? 200, headers: ["Location": "/elsewhere"]))
    // Another test could open a port that was closed here, but nothing listens at a reserved port.
    let closed = try #require(URL(string: "http://127.0.0.1:1/"))
    let request = status == nil ? URLRequest(url: closed) : try server.request()
    var ends: [String] = []
    for _ in 0..<40 {
      ends += try await simultaneously(25) { _ in
        let call = Task { try await transport.answer(to: request, limits: .patient) }
        for _ in 0..<Int.random(in: 0...60) { await Task.yield() }
        call.cancel()
        switch await call.result {
        case .success(let response): return "\(response.status)"
        case .failure(is CancellationError): return "cancelled"
        case .failure(let error): return (error as? URLError)?.code == .cannotConnectToHost ? "refused" : "\(error)"
        }
      }
    }
    #expect(ends.count == 1000 && Set(ends).isSubset(of: ["cancelled", status.map { "\($0)" } ?? "refused"]))
    // The session is still fit for use.
    let other = try await TestServer(answering: .text("ok"))
    #expect(try await transport.answer(to: other.request(), limits: .patient).status == 200)
  }
}
