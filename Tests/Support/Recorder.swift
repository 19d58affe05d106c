internal import B2CCore

/// Keeps what it is given, in order.
package final class Recorder<Value: Sendable>: Sendable {
  private let kept = Locked<[Value]>([])

  package init() {}

  package var values: [Value] { kept.withLock { $0 } }

  package func record(_ value: Value) {
    kept.withLock { $0.append(value) }
  }
}
