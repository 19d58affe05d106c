internal import B2CCore

/// Finds the state that belongs to a token cache.
///
/// The one global state of the package, because nothing else is common to two clients that were made apart. It keeps no
/// cache alive, and an entry goes when its cache has gone.
package enum CacheRegistry {
  /// The identity of a store that several cache values can be over.
  enum Store: Hashable, Sendable {
    case keychain(KeychainPlace)
    case directory(String)
  }

  private struct Entry {
    weak var cache: (any TokenCache & AnyObject)?
    let state: CacheState
  }

  private struct WeakState {
    weak var state: CacheState?
  }

  private struct Content: Sendable {
    var objects: [ObjectIdentifier: Entry] = [:]
    var stores: [Store: WeakState] = [:]
    var locksByType: [ObjectIdentifier: CacheState.Locks] = [:]
  }

  private static let content = Locked(Content())

  /// Returns the state of a cache.
  ///
  /// A class or an actor is known by its identity. Two copies of a value type cannot be told from two caches: they share
  /// the locks of their type, which is safe, and nothing else.
  ///
  /// - Parameter cache: The cache.
  /// - Returns: Its state: the same for each client of the cache.
  package static func state(of cache: any TokenCache) -> CacheState {
    if let cache = cache as? any StoreIdentifying { return cache.sharedState }
    guard type(of: cache) is AnyClass, let object = cache as? any TokenCache & AnyObject else {
      let type = ObjectIdentifier(type(of: cache))
      return CacheState(
        locks: content.withLock { content in
          let locks = content.locksByType[type] ?? CacheState.Locks()
          content.locksByType[type] = locks
          return locks
        })
    }
    return content.withLock { content in
      // The address of a cache that has gone may be that of a new one: only a living entry counts.
      if let entry = content.objects[ObjectIdentifier(object)], entry.cache === object { return entry.state }
      content.objects = content.objects.filter { $0.value.cache != nil }
      let state = CacheState()
      content.objects[ObjectIdentifier(object)] = Entry(cache: object, state: state)
      return state
    }
  }

  /// Returns the state of a store; it lives as long as a cache over the store keeps it.
  static func state(of store: Store) -> CacheState {
    content.withLock { content in
      if let state = content.stores[store]?.state { return state }
      content.stores = content.stores.filter { $0.value.state != nil }
      let state = if case .keychain = store { CacheState(keychain: KeychainMemory()) } else { CacheState() }
      content.stores[store] = WeakState(state: state)
      return state
    }
  }
}
