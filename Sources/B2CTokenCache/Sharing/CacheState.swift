internal import B2CCore
internal import Dispatch

/// The state that all users of one token cache share within the process: its locks, the changes that wait for it, the
/// known keys of each client, its early renewals, and the observers of its sessions.
///
/// It belongs to the cache and to no client, so any number of clients over one cache use a refresh token once and agree
/// on who is current. ``CacheRegistry`` finds it.
package final class CacheState: Sendable {
  /// The locks of a cache that has none of its own.
  struct Locks: Sendable {
    let writes = KeyedLock<TokenCacheKey>()
    let refreshes = KeyedLock<TokenCacheKey>()
  }

  let locks: Locks
  /// The changes that the cache has refused so far.
  package let waiting = WaitingChanges()
  /// The observers of the sessions of every client.
  package let observers = CacheObservers()
  private let keysByClient = Locked<[ClientID: KnownKeys]>([:])

  private struct ClientID: Hashable {
    let authority: String
    let clientID: String
  }

  /// What is known of the keychain's items, where the store is one.
  let keychain: KeychainMemory?

  private let queue = DispatchQueue(label: "B2CTokenCache", qos: .userInitiated)

  init(locks: Locks = Locks(), keychain: KeychainMemory? = nil) {
    self.locks = locks
    self.keychain = keychain
  }

  /// Runs a body that blocks: one at a time, off the threads that tasks share; it is not cancelled with its caller.
  func onQueue<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Swift.Result { try body() }) }
    }
  }

  /// The known keys of one authority and client.
  package func knownKeys(authority: String, clientID: String) -> KnownKeys {
    keysByClient.withLock { keys in
      let client = ClientID(authority: authority, clientID: clientID)
      if let known = keys[client] { return known }
      let new = KnownKeys()
      keys[client] = new
      return new
    }
  }
}

/// A token cache that knows which store it is over, so that two values over one store share one state.
package protocol StoreIdentifying: TokenCache {
  /// The state that every cache over the same store shares.
  var sharedState: CacheState { get }
}

/// The observers of a cache's sessions.
package final class CacheObservers: Sendable {
  package typealias Signal = AsyncStream<Void>.Continuation

  private struct Content {
    var nextID = 0
    var signals: [Int: Signal] = [:]
  }

  private let content = Locked(Content())

  /// Signals every observer to read its session again.
  package func changed() {
    for signal in content.withLock({ Array($0.signals.values) }) { signal.yield() }
  }

  /// Adds an observer.
  ///
  /// - Returns: The number to remove it by.
  package func add(_ signal: Signal) -> Int {
    content.withLock { content in
      content.nextID += 1
      content.signals[content.nextID] = signal
      return content.nextID
    }
  }

  package func remove(_ id: Int) {
    content.withLock { _ = $0.signals.removeValue(forKey: id) }
  }
}
