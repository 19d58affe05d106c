import B2CConnector
import Foundation
import TestSupport

extension Row {
  static let userGrowth = Row(
    number: "2", title: "growth with the number of users, 10,000 against 1",
    meaning: """
      On a device or a server that many people have used, a call must be as quick as on a new one. The baseline is the \
      same call with one user in the cache.
      """
  ) { context in
    let many = try await Scene.memoryCache(users: context.manyUsers)
    let (small, large) = (try Scene.connector(try await Scene.memoryCache(users: 1)), try Scene.connector(many))
    let user = Scene.user(0)
    let hit = try await Pairs.compare(context, by: .processor) { count in
      for _ in 0..<count { _ = try await small.accessToken(user: user) }
    } subject: { count in
      for _ in 0..<count { _ = try await large.accessToken(user: user) }
    }
    let lookUp = try await Pairs.compare(context, by: .processor) { count in
      for _ in 0..<count { _ = try await small.user(id: user.id) }
    } subject: { count in
      for _ in 0..<count { _ = try await large.user(id: user.id) }
    }
    let counting = CountingCache(many)
    let counted = try Scene.connector(counting)
    _ = try require(try await counted.user(id: user.id), "the user")
    _ = counting.takeCounts()
    _ = try require(try await counted.user(id: user.id), "the user")
    let reads = counting.takeCounts()["record"] ?? 0
    return [
      Measurement("hit", hit, goal: 1.1),
      Measurement("user(id:)", lookUp, goal: 1.1),
      Measurement(count: "user(id:), records read", Double(reads), "records", goal: 1),
    ]
  }
}
