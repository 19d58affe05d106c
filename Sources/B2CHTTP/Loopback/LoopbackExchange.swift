internal import B2CCore
package import Foundation

/// One request and the means to answer it, well or badly.
///
/// A handler that returns without having answered ends the connection. Every method gives `false` when the client did not
/// take what was sent, because it is gone or the listener was closed.
package final class LoopbackExchange: Sendable {
  private enum Outcome {
    case nothing
    case answered
    case ended
  }

  /// The request, whole.
  package let request: LoopbackRequest
  /// The port that the request came to.
  package let port: UInt16

  private let stream: SocketStream
  private let limits: LoopbackLimits
  private let wantsConnectionKept: Bool
  private let outcome = Locked(Outcome.nothing)

  init(
    _ request: LoopbackRequest, port: UInt16, keepingConnection: Bool, stream: SocketStream, limits: LoopbackLimits
  ) {
    self.request = request
    self.port = port
    self.stream = stream
    self.limits = limits
    wantsConnectionKept = keepingConnection
  }

  /// Whether the connection may take another request.
  var keepsConnection: Bool { outcome.withLock { $0 } == .answered }

  /// Sends a whole answer.
  @discardableResult
  package func respond(_ response: LoopbackResponse) async -> Bool {
    let isClosing = response.closesConnection || !wantsConnectionKept
    let bytes = response.bytes(omittingBody: request.method == "HEAD", closing: isClosing)
    let isSent = await write(bytes)
    if isSent, !isClosing {
      outcome.withLock { if $0 == .nothing { $0 = .answered } }
    }
    return isSent
  }

  /// Sends bytes as they are; the connection ends when the handler returns, unless ``respond(_:)`` came last.
  @discardableResult
  package func write(_ bytes: some Collection<UInt8>) async -> Bool {
    await stream.send(bytes, until: ContinuousClock.now.advanced(by: limits.responseTimeout))
  }

  /// Sends text as it is.
  @discardableResult
  package func write(_ text: String) async -> Bool {
    await write(Array(text.utf8))
  }

  /// Sends bytes in small pieces, and does something between two of them, such as waiting.
  @discardableResult
  package func drip(
    _ bytes: Data, size: Int = 1, between: @Sendable () async throws -> Void = {}
  ) async rethrows -> Bool {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      guard await write(rest.prefix(size)) else { return false }
      rest = rest.dropFirst(size)
      if !rest.isEmpty { try await between() }
    }
    return true
  }

  /// Ends the connection in order, whatever was sent so far.
  package func close() {
    outcome.withLock { $0 = .ended }
    stream.handle.close()
  }

  /// Breaks the connection: the client sees a reset.
  package func reset() {
    outcome.withLock { $0 = .ended }
    stream.handle.reset()
  }

  /// Never answers: waits until the client is gone or the listener is closed.
  package func waitForDisconnect() async {
    await stream.waitForEnd(keepingAtMost: limits.headBytes + limits.bodyBytes)
  }
}
