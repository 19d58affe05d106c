import B2CHTTP
import B2CLoopback
import Foundation

/// One way for a server to fail, as bytes on the wire.
struct WireFault: Sendable {
  /// What helps when the fault happens only once.
  enum Recovery: Sendable {
    /// Nothing: the call ends as if the fault stayed.
    case none
    /// Another try, for what may be tried again.
    case retry
    /// The same, and an `add` as well: the server says that it has done nothing.
    case retryOfAnything
    /// Another token, for the task API.
    case newToken
  }

  let name: String
  let expected: FaultExpectation
  var recovery = Recovery.none
  /// No connection is taken at all.
  var isRefusal = false
  /// So much is sent that memory is measured.
  var isLarge = false
  /// The platform's own `URLSession` may end the process.
  var mayEndTheProcess = false
  /// The answer leads to another origin.
  var isRedirect = false
  /// The answer says for certain that the refresh token will never work again.
  var endsSession = false
  let play: @Sendable (WireScene) async -> Void

  init(
    _ name: String, _ expected: FaultExpectation, recovery: Recovery = .none,
    play: @escaping @Sendable (WireScene) async -> Void
  ) {
    self.name = name
    self.expected = expected
    self.recovery = recovery
    self.play = play
  }

  /// The table's rows.
  static let all = connections + statuses + bodies + large
}

/// One request that a fault happens to.
struct WireScene: Sendable {
  let exchange: LoopbackExchange
  /// Where redirects lead.
  let other: URL
  /// Has the server do its work, and gives the answer it would send.
  let genuine: @Sendable () async -> LoopbackResponse
}
