internal import B2CCore

/// The limits of a listener for size, time and connections.
package struct LoopbackLimits: Sendable {
  /// The largest size of a request line with its header fields, in bytes.
  package var headBytes: Int
  /// The largest size of a body, in bytes.
  package var bodyBytes: Int
  /// The largest number of open connections, beyond which others wait in the system's queue.
  package var connections: Int
  /// Whether a new connection beyond the limit closes the oldest one without a complete request, instead of waiting.
  package var closesWaiting: Bool
  /// The time for a complete request, from its first byte on.
  package var requestTimeout: Duration
  /// The time from accepting a connection to its first byte.
  package var idleTimeout: Duration
  /// The time in which the client must receive a response.
  package var responseTimeout: Duration

  package init(
    headBytes: Int = 16 * 1024, bodyBytes: Int = 1 << 20, connections: Int = 1024, closesWaiting: Bool = false,
    requestTimeout: Duration = .seconds(10), idleTimeout: Duration = .seconds(60),
    responseTimeout: Duration = .seconds(30)
  ) {
    self.headBytes = headBytes
    self.bodyBytes = bodyBytes
    self.connections = connections
    self.closesWaiting = closesWaiting
    self.requestTimeout = requestTimeout
    self.idleTimeout = idleTimeout
    self.responseTimeout = responseTimeout
  }

  /// The limits of a test server.
  package static let server = LoopbackLimits()

  /// The limits of a listener that waits for one redirect of a browser.
  package static let redirect = LoopbackLimits(
    bodyBytes: 64 * 1024, connections: 16, closesWaiting: true, requestTimeout: .seconds(5),
    idleTimeout: .seconds(5), responseTimeout: .seconds(5))
}
