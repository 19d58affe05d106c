package import B2CCore
internal import Foundation

/// Whether a user is signed in, by the records on this device; the server is not asked.
public enum SessionState: Sendable, Hashable {
  /// No user is stored.
  case signedOut
  /// The current user, with a token that has not expired by this device's clock.
  ///
  /// The next call may need the user all the same: go by `needsInteraction` of the error.
  case signedIn(UserInfo)
  /// The user who was current; only a new sign-in brings tokens again.
  case expired(UserInfo)

  /// Whether an observer would see no difference: the same state of the same user with the same claims about the person.
  func isSame(as other: SessionState) -> Bool {
    switch (self, other) {
    case (.signedOut, .signedOut): true
    case (.signedIn(let user), .signedIn(let before)), (.expired(let user), .expired(let before)):
      user.id == before.id && TokenClaims.aboutPerson(user.claims) == TokenClaims.aboutPerson(before.claims)
    default: false
    }
  }
}

/// The claims that describe a token or a sign-in and say nothing about the person.
package enum TokenClaims {
  private static let names: Set<String> = [
    "iss", "sub", "aud", "azp", "tfp", "acr", "amr", "exp", "nbf", "iat", "jti", "auth_time", "nonce", "at_hash",
    "c_hash", "sid", "ver", "aio", "rh", "uti",
  ]

  package static func aboutPerson(_ claims: [String: JSONValue]) -> [String: JSONValue] {
    claims.filter { !names.contains($0.key) }
  }
}

/// The observers of the sessions of every connector over one cache.
package final class SessionObservers: Sendable {
  /// The pauses before a state that could not be read is read again, the last one for good, in seconds.
  private static let pauses = [1.0, 5, 30]

  /// In the order in which they came, so that a simulated run repeats itself.
  private let observers = Locked<[(id: UUID, signal: AsyncStream<Void>.Continuation)]>([])

  /// Signals every observer to read its session again.
  package func changed() { observers.withLock { $0.map(\.signal) }.forEach { $0.yield() } }

  /// Returns the states that a read returns now and after each change, without equal ones in a row.
  ///
  /// - Parameters:
  ///   - clock: The clock of the pauses after a read that has failed: an error of the cache is not a sign-out.
  ///   - read: Reads the state.
  /// - Returns: The states; they end with the task that reads them.
  package func states(
    on clock: any Clock<Duration>, _ read: @escaping @Sendable () async throws -> SessionState
  ) -> AsyncStream<SessionState> {
    let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let id = UUID()
    observers.withLock { $0.append((id, signal)) }
    signal.yield()
    return AsyncStream { continuation in
      let reading = Task {
        var last: SessionState?
        var failures = 0
        var again: Task<Void, any Error>?
        for await _ in signals {
          again?.cancel()
          guard let new = try? await read() else {
            let pause = Self.pauses[min(failures, Self.pauses.count - 1)]
            failures += 1
            again = Task {
              try await clock.sleep(for: .seconds(pause))
              signal.yield()
            }
            continue
          }
          failures = 0
          guard last?.isSame(as: new) != true else { continue }
          last = new
          continuation.yield(new)
        }
        again?.cancel()
        continuation.finish()
      }
      continuation.onTermination = { [weak self] _ in
        reading.cancel()
        signal.finish()
        self?.observers.withLock { $0.removeAll { $0.id == id } }
      }
    }
  }
}
