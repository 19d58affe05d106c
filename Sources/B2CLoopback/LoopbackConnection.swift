internal import B2CCore
internal import Foundation

/// A connection, which serves one request.
struct LoopbackConnection: Sendable {
  let socket: Socket
  let port: UInt16
  let limits: LoopbackLimits
  let handler: @Sendable (LoopbackExchange) async -> Void

  func serve() async {
    defer { socket.close() }
    do throws(RequestRefusal) {
      guard let request = try await readRequest() else { return }
      await handler(LoopbackExchange(request: request, port: port, socket: socket, limits: limits))
    } catch {
      let answer = LoopbackResponse.text(error.reason, status: error.status).bytes(omittingBody: false)
      _ = await socket.send(answer, until: .now.advanced(by: limits.responseTimeout))
    }
    await socket.finish(within: .seconds(1))
  }

  /// Reads the request, or returns `nil` if the client closes the connection first or never sends a byte.
  private func readRequest() async throws(RequestRefusal) -> LoopbackRequest? {
    var parser = RequestParser(limits: limits)
    var deadline = ContinuousClock.now.advanced(by: limits.idleTimeout)
    while true {
      let isFirst = parser.isEmpty
      guard let bytes = await socket.receive(until: deadline) else {
        if isFirst { return nil }
        throw .timedOut
      }
      if bytes.isEmpty { return nil }
      if isFirst { deadline = ContinuousClock.now.advanced(by: limits.requestTimeout) }
      if let request = try parser.parse(bytes) { return request }
      if parser.awaitsContinue {
        _ = await socket.send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), until: deadline)
      }
      // A client that sends without a pause never waits in `receive`, so its deadline is checked here too.
      guard ContinuousClock.now < deadline else { throw .timedOut }
    }
  }
}

/// A request, with everything that a handler needs to answer it or to misbehave on purpose.
///
/// The connection ends when the handler returns. Every method returns `false` if the client did not receive everything,
/// because it is gone or the listener was closed.
package struct LoopbackExchange: Sendable {
  /// The complete request.
  package let request: LoopbackRequest
  /// The port that received the request.
  package let port: UInt16

  let socket: Socket
  let limits: LoopbackLimits

  /// Sends a complete response.
  @discardableResult
  package func respond(_ response: LoopbackResponse) async -> Bool {
    await write(response.bytes(omittingBody: request.method == "HEAD"))
  }

  /// Sends bytes unchanged.
  @discardableResult
  package func write(_ bytes: some Collection<UInt8>) async -> Bool {
    await socket.send(bytes, until: .now.advanced(by: limits.responseTimeout))
  }

  /// Sends text unchanged.
  @discardableResult
  package func write(_ text: String) async -> Bool { await write(text.utf8) }

  /// Closes the connection without a reset.
  ///
  /// The client still receives everything that was sent before.
  package func close() { socket.close() }

  /// Breaks the connection, which the client sees as a reset.
  package func reset() { socket.reset() }

  /// Waits until the client is gone or the listener is closed, without sending a response.
  package func waitForDisconnect() async {
    while await socket.receive(until: nil)?.isEmpty == false {}
  }
}
