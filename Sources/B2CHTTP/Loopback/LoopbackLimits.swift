/// What a listener takes from a client before it gives it up.
package struct LoopbackLimits: Sendable {
  /// The most bytes of a request line with its header fields, and of a chunked body's trailer.
  package var headBytes: Int
  /// The most bytes of a body.
  package var bodyBytes: Int
  /// The most connections at a time; a new one beyond takes the place of the oldest that has not sent a request.
  package var connections: Int
  /// The time for a whole request, from its first byte on.
  package var requestTimeout: Duration
  /// The time between two requests, and before the first.
  package var idleTimeout: Duration
  /// The time for an answer to be taken.
  package var responseTimeout: Duration

  package init(
    headBytes: Int = 16 * 1024, bodyBytes: Int = 1 << 20, connections: Int = 2048,
    requestTimeout: Duration = .seconds(10), idleTimeout: Duration = .seconds(60),
    responseTimeout: Duration = .seconds(30)
  ) {
    self.headBytes = headBytes
    self.bodyBytes = bodyBytes
    self.connections = connections
    self.requestTimeout = requestTimeout
    self.idleTimeout = idleTimeout
    self.responseTimeout = responseTimeout
  }

  /// For a server that tests talk to.
  package static let server = LoopbackLimits()

  /// For a listener that waits for one redirect of a browser.
  package static let redirect = LoopbackLimits(
    bodyBytes: 64 * 1024, connections: 64, requestTimeout: .seconds(5), idleTimeout: .seconds(10),
    responseTimeout: .seconds(5))
}
