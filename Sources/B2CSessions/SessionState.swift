package import B2CCore
internal import Foundation

/// The state of a user's session according to the records on this device, without asking the provider.
///
/// See <doc:AtLaunch>.
public enum SessionState: Sendable, Hashable {
  /// No user is stored.
  case signedOut
  /// A user is current, and the SDK can get tokens without the user, according to this device's clock.
  ///
  /// The next call may still need the user, so check `needsInteraction` of its error.
  case signedIn(UserInfo)
  /// The session of the current user has expired, so the user must sign in again.
  case expired(UserInfo)

  /// Whether an observer would see no difference, because user, state and the claims about the user are the same.
  func isSame(as other: SessionState) -> Bool {
    switch (self, other) {
    case (.signedOut, .signedOut): true
    case (.signedIn(let user), .signedIn(let before)), (.expired(let user), .expired(let before)):
      user.id == before.id && TokenClaims.aboutPerson(user.claims) == TokenClaims.aboutPerson(before.claims)
    default: false
    }
  }
}

/// The claims that describe a token or a sign-in and not the user.
package enum TokenClaims {
  private static let names: Set<String> = [
    "iss", "sub", "aud", "azp", "tfp", "acr", "amr", "exp", "nbf", "iat", "jti", "auth_time", "nonce", "at_hash",
    "c_hash", "sid", "ver", "aio", "rh", "uti",
  ]

  package static func aboutPerson(_ claims: [String: JSONValue]) -> [String: JSONValue] {
    claims.filter { !names.contains($0.key) }
  }
}

/// The observers of the sessions of all connectors with the same cache.
package final class SessionObservers: Sendable {
  /// The pauses in seconds before a state that could not be read is read again.
  ///
  /// The last one is repeated.
  private static let pauses = [1.0, 5, 30]

  /// The observers in the order of their registration, so that a simulated run is repeatable.
  private let observers = Locked<[(id: UUID, signal: AsyncStream<Void>.Continuation)]>([])

  /// Tells every observer to read its session again.
  package func changed() { observers.withLock { $0.map(\.signal) }.forEach { $0.yield() } }

  /// Returns the state now and after each change, without repeating equal states.
  ///
  /// - Parameters:
  ///   - clock: The clock for the pauses after a failed read, because an error of the cache is not a sign-out.
  ///   - read: Reads the state.
  /// - Returns: The states, which end with the task that reads them.
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
