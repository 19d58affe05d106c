internal import B2CCore
internal import Foundation

/// Whether a user is signed in, as far as this device knows.
public enum SessionState: Sendable, Hashable {
  /// No account is stored.
  case signedOut
  /// The current account, with a token that has not expired by this device's clock.
  ///
  /// The next call may need the user all the same: go by ``OAuthError/needsInteraction``.
  case signedIn(UserInfo)
  /// The account that was current; only a new sign-in brings tokens again.
  case expired(UserInfo)
}

/// Tells the observers of a client's session that it may have changed.
final class SessionMonitor: Sendable {
  private typealias Signal = AsyncStream<Void>.Continuation

  private struct Observers {
    var nextID = 0
    var signals: [Int: Signal] = [:]
  }

  private let observers = Locked(Observers())

  /// Has every observer read the session again.
  func changed() {
    for signal in observers.withLock({ $0.signals.values }) { signal.yield() }
  }

  /// The states that a read returns now and after each change, without equal ones in a row.
  ///
  /// A state that cannot be read is left out: an error of the cache is not a sign-out.
  func states(_ read: @escaping @Sendable () async throws -> SessionState) -> AsyncStream<SessionState> {
    let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let id = add(signal)
    signal.yield()
    return AsyncStream { continuation in
      let task = Task {
        var last: SessionState?
        for await _ in signals {
          guard let state = try? await read(), state != last else { continue }
          last = state
          continuation.yield(state)
        }
        continuation.finish()
      }
      continuation.onTermination = { [weak self] _ in
        task.cancel()
        self?.remove(id)
      }
    }
  }

  private func add(_ signal: Signal) -> Int {
    observers.withLock { observers in
      observers.nextID += 1
      observers.signals[observers.nextID] = signal
      return observers.nextID
    }
  }

  private func remove(_ id: Int) {
    observers.withLock { _ = $0.signals.removeValue(forKey: id) }
  }
}
