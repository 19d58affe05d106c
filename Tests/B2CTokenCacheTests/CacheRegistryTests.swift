import B2CCore
import B2CTokenCache
import Foundation
import TestSupport
import Testing

/// One state for each cache, whatever number of clients use it.
@Suite(.timeLimit(.minutes(10))) struct CacheRegistryTests {
  @Test(
    "Two caches over one store share one state; a struct shares nothing but its type's locks",
    arguments: CacheKind.allCases)
  func sameStore(_ kind: CacheKind) throws {
    let directory = try TemporaryDirectory()
    let (one, two) = try kind.make(in: directory.store)
    let (first, second) = (CacheRegistry.state(of: one), CacheRegistry.state(of: two))
    #expect((first === second) == (kind != .structOverClass))
  }

  @Test("Two caches over two stores share nothing", arguments: CacheKind.allCases)
  func otherStore(_ kind: CacheKind) throws {
    let (here, there) = (try TemporaryDirectory(), try TemporaryDirectory())
    let (one, two) = (try kind.make(in: here.store).one, try kind.make(in: there.store).one)
    #expect(CacheRegistry.state(of: one) !== CacheRegistry.state(of: two))
  }

  @Test("Copies of a struct exclude each other in a refresh")
  func structCopies() async throws {
    let store = FourMethodCache()
    let one = FourMethodStruct(store: store).shared(on: ContinuousClock())
    let two = FourMethodStruct(store: store).shared(on: LeapingClock())
    try await one.withRefreshLock(for: Samples.key) {
      let error = await failure { try await two.withRefreshLock(for: Samples.key) {} }
      #expect(error?.code == .lockTimedOut)
    }
  }

  @Test("A new cache at the address of one that has gone starts with nothing of it")
  func reusedAddress() {
    var addresses: Set<ObjectIdentifier> = []
    var wasReused = false
    for number in 0..<10_000 where !wasReused {
      let cache = FourMethodCache()
      wasReused = !addresses.insert(ObjectIdentifier(cache)).inserted
      let known = CacheRegistry.state(of: cache).knownKeys(authority: "a", clientID: "c")
      #expect(known.entry(for: KnownKeys.Lookup(userID: nil, policy: nil)).entry == nil, "cache \(number)")
      known.signedIn(Samples.key, at: Samples.date(0), requiredUser: nil)
    }
    #expect(wasReused, "The addresses were all different, so nothing was tested.")
  }

  @Test("The state of a cache that has gone goes as well", arguments: [true, false])
  func released(isWrapped: Bool) throws {
    weak var state: CacheState?
    do {
      let cache = FourMethodCache()
      let key = try Samples.encryptionKey()
      state = CacheRegistry.state(of: isWrapped ? EncryptedTokenCache(wrapping: cache, key: key) : cache)
      #expect(state != nil)
    }
    // Entries of caches that have gone are removed when a cache is seen for the first time.
    let other = FourMethodCache()
    #expect(CacheRegistry.state(of: other) !== state)
    #expect(state == nil)
  }
}
