import B2CConnector
import B2CCore
import Foundation
import TestSupport

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Counts the allocations of a silent hit, with the counter of `allocations.c` preloaded.
///
/// Other threads may allocate at any time, so the least of many rounds counts.
enum AllocationWork {
  static func run() async throws {
    let symbol = try require(dlsym(nil, "b2c_allocations"), "the preloaded counter")
    let count = unsafeBitCast(symbol, to: (@convention(c) () -> Int).self)
    let connector = try Scene.connector(try await Scene.memoryCache(users: 100))
    var least = Int.max
    for _ in 0..<200 {
      let before = count()
      let token = try await connector.accessToken(user: Scene.user(7))
      least = min(least, count() - before)
      withExtendedLifetime(token) {}
    }
    try Child.say("\(least)")
  }
}
