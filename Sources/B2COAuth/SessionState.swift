internal import B2CCore
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
}

extension SessionState {
  /// Claims of one token that say nothing about the user.
  private static let claimsOfToken: Set<String> = [
    "iss", "aud", "exp", "nbf", "iat", "jti", "nonce", "at_hash", "c_hash", "auth_time", "acr", "amr", "azp", "sid",
    "aio", "rh", "uti", "ver",
  ]

  /// Whether an observer would see no difference: the same state of the same user with the same claims about the user.
  func isSame(as other: SessionState) -> Bool {
    switch (self, other) {
    case (.signedOut, .signedOut): true
    case (.signedIn(let user), .signedIn(let before)), (.expired(let user), .expired(let before)):
      user.id == before.id && Self.claims(of: user) == Self.claims(of: before)
    default: false
    }
  }

  private static func claims(of user: UserInfo) -> [String: JSONValue] {
    user.claims.filter { !claimsOfToken.contains($0.key) }
  }
}

/// The states of a client's session, as a stream for each observer.
struct SessionMonitor: Sendable {
  /// The observers of every client of the same cache.
  let observers: CacheObservers
  /// Yields when a cache that could not be read on a locked device can be; `nil` where that is not said.
  let protectedDataUpdates: (@Sendable () -> AsyncStream<Void>)?

  /// Signals observers to read the session again.
  func changed() { observers.changed() }

  /// The states that a read returns now and after each change, without equal ones in a row.
  ///
  /// A state that cannot be read is left out: an error of the cache is not a sign-out.
  func states(_ read: @escaping @Sendable () async throws -> SessionState) -> AsyncStream<SessionState> {
    let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let id = observers.add(signal)
    signal.yield()
    return AsyncStream { continuation in
      let task = Task {
        var last: SessionState?
        for await _ in signals {
          guard let new = try? await read(), last?.isSame(as: new) != true else { continue }
          last = new
          continuation.yield(new)
        }
        continuation.finish()
      }
      let unlocks = protectedDataUpdates.map { updates in
        Task { for await _ in updates() { signal.yield() } }
      }
      continuation.onTermination = { [weak observers] _ in
        task.cancel()
        unlocks?.cancel()
        observers?.remove(id)
      }
    }
  }
}
