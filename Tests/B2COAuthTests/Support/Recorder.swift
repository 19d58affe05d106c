import B2CCore

/// Keeps what it is given, in order.
final class Recorder<Value: Sendable>: Sendable {
  private let kept = Locked<[Value]>([])

  var values: [Value] { kept.withLock { $0 } }

  func record(_ value: Value) {
    kept.withLock { $0.append(value) }
  }
}
