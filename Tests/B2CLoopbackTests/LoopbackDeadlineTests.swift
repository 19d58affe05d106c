import B2CLoopback
import TestSupport
import Testing

@Suite(.descriptors(), .hangLimit)
struct LoopbackDeadlineTests {
  @Test("A client that sends without a pause does not outrun the deadline of its request")
  func unbroken() async throws {
    // The deadline has passed after the first read, which takes 16 KiB; the rest of the request is there already.
    let listener = try await LoopbackListenerTests.echo(LoopbackLimits(requestTimeout: .zero))
    let head = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20000\r\n\r\n"
    let client = try await LoopbackClient(port: listener.port, sending: head + String(repeating: "a", count: 20_000))
    #expect(await client.receiveAll().hasPrefix("HTTP/1.1 408 "))
    await listener.close()
  }
}
