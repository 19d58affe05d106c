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

/// The number of allocations of this process, from the preloaded counter (`allocations.c`).
struct AllocationCounter {
  private typealias Read = @convention(c) () -> Int

  private let read: Read

  /// Finds the counter; `nil` where it is not preloaded.
  init?() {
    guard let symbol = dlsym(nil, "b2c_allocations") else { return nil }
    read = unsafeBitCast(symbol, to: Read.self)
  }

  var count: Int { read() }
}

/// Counts the allocations of one piece of work, in a process of its own with the counter preloaded.
///
/// Other threads may allocate at any time, so the least of many rounds counts.
enum AllocationWork {
  private static let rounds = 200

  static func run(_ arguments: [String]) async throws {
    let counter = try require(AllocationCounter(), "the preloaded counter")
    switch arguments.first {
    case "hit": try Child.say("\(try await hit(counter))")
    default: throw Failure("unknown work \(arguments)")
    }
  }

  private static func hit(_ counter: AllocationCounter) async throws -> Int {
    let client = try Scene.connector(try await Scene.memoryCache(users: 100))
    let user = Scene.user(7)
    var least = Int.max
    for _ in 0..<rounds {
      let before = counter.count
      let token = try await client.accessToken(user: user)
      least = min(least, counter.count - before)
      withExtendedLifetime(token) {}
    }
    return least
  }
}
