import B2CConnector
import B2CCore
import Foundation

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
    case "door": try Child.say("\(try await door(counter))")
    default: throw Failure("unknown work \(arguments)")
    }
  }

  private static func hit(_ counter: AllocationCounter) async throws -> Int {
    let client = try Scene.client(try await Scene.memoryCache(accounts: 100))
    let account = Scene.account(7)
    var least = Int.max
    for _ in 0..<rounds {
      let before = counter.count
      let token = try await client.accessToken(account: account)
      least = min(least, counter.count - before)
      withExtendedLifetime(token) {}
    }
    return least
  }

  private static func door(_ counter: AllocationCounter) async throws -> Int {
    let atDoor = Locked(0)
    let transport = Door { atDoor.withLock { $0 = counter.count } }
    let connector = try Scene.connector(try await Scene.memoryCache(accounts: 1), transport: transport)
    var least = Int.max
    for _ in 0..<rounds {
      let before = counter.count
      _ = try await connector.getTaskList()
      least = min(least, atDoor.withLock { $0 } - before)
    }
    return least
  }
}

/// A transport that notes when a request arrives and answers at once.
struct Door: HTTPTransport {
  let arrived: @Sendable () -> Void

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    arrived()
    return Scene.emptyList
  }
}
