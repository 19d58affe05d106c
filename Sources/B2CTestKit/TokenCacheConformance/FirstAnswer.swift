internal import B2CCore

/// A value that is given once; what comes later is dropped.
///
/// A cache that hangs cannot be waited for, so the check goes on without it.
final class FirstAnswer<Value: Sendable>: Sendable {
  private enum State {
    case open
    case awaited(CheckedContinuation<Value, Never>)
    case given(Value)
    case done
  }

  private let state = Locked(State.open)

  /// Waits for the first answer; to be asked once.
  var value: Value {
    get async {
      await withCheckedContinuation { continuation in
        let value: Value? = state.withLock { state in
          if case .given(let value) = state {
            state = .done
            return value
          }
          state = .awaited(continuation)
          return nil
        }
        if let value { continuation.resume(returning: value) }
      }
    }
  }

  func give(_ value: Value) {
    let waiting: CheckedContinuation<Value, Never>? = state.withLock { state in
      switch state {
      case .open:
        state = .given(value)
        return nil
      case .awaited(let continuation):
        state = .done
        return continuation
      case .given, .done:
        return nil
      }
    }
    waiting?.resume(returning: value)
  }
}
