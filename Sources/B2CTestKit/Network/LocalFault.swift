public import B2CHTTP

/// One rule by which a local server misbehaves: on which requests, how often, and how.
///
/// Rules are tried in their order and add up: a server can wait at a gate, then change its answer, then cut it.
///
/// ```swift
/// tenant.faults = [LocalFault(on: .token, times: 2, .respond(.init(status: 503)))]
/// tasks.faults = [LocalFault(on: .method(.get), .cut(afterBodyBytes: 10))]
/// ```
public struct LocalFault: Sendable {
  /// What the server does.
  public enum Effect: Sendable {
    /// Answers this; the request has no other effect.
    case respond(TransportResponse)
    /// Works as always, then changes the answer.
    case change(@Sendable (inout TransportResponse) -> Void)
    /// Waits at a gate before it looks at the request; whoever opens the gate decides when.
    case wait(TestGate)
    /// Works as always, then waits at a gate with the answer.
    case holdAnswer(TestGate)
    /// Works as always, then breaks the connection before the first byte of the answer.
    case reset
    /// Works as always, then breaks the connection after so many bytes of the body.
    case cut(afterBodyBytes: Int)
    /// Works as always, then gives the answer in pieces of so many bytes, with a pause before each.
    case drip(piece: Int, pause: Duration)
    /// Never answers; the request has no other effect.
    case never
  }

  /// Which requests it happens to.
  public var target: LocalFaultTarget
  /// How many requests it happens to before the server behaves again; without end for `nil`.
  public var times: Int?
  /// What the server does.
  public var effect: Effect

  /// Makes a rule.
  ///
  /// - Parameters:
  ///   - target: Which requests it happens to; all of them unless said otherwise.
  ///   - times: How many requests it happens to before the server behaves again; without end for `nil`.
  ///   - effect: What the server does.
  public init(on target: LocalFaultTarget = .any, times: Int? = nil, _ effect: Effect) {
    self.target = target
    self.times = times
    self.effect = effect
  }
}
