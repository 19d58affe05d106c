import B2CConnector
import Foundation
import TestSupport

/// The floor of a token table: a lock, a dictionary, a look at the clock.
struct TokenTable: Sendable {
  private let tokens: Locked<[TokenCacheKey: CachedAccessToken]>

  init(users: Int) throws {
    var table: [TokenCacheKey: CachedAccessToken] = [:]
    for number in 0..<users { table[try Scene.key(number)] = Scene.record(number).accessTokens.first }
    tokens = Locked(table)
  }

  func token(_ key: TokenCacheKey) -> Secret? {
    guard let entry = tokens.withLock({ $0[key] }), entry.expiresAt > Date() else { return nil }
    return entry.token
  }
}

extension Row {
  static let silentHit = Row(
    number: "1", title: "silent hit: a valid token of one of 10,000 users, off the main actor",
    meaning: """
      Every call of an API first asks for the user's access token, which is still valid. The baseline is a lock, a \
      dictionary and a look at the clock. The call itself takes 50 ms or more.
      """
  ) { context in
    let users = context.manyUsers
    let client = try Scene.connector(try await Scene.memoryCache(users: users))
    let (table, key, user) = (try TokenTable(users: users), try Scene.key(7), Scene.user(7))
    let pairs = try await Pairs.compare(context, by: .processor) { count in
      for _ in 0..<count { _ = try require(table.token(key), "the token") }
    } subject: { count in
      for _ in 0..<count { _ = try await client.accessToken(user: user) }
    }
    var measurements = [
      Measurement("hit against lock, dictionary and clock", pairs, goal: 6),
      Measurement("hit, one of 10,000 users", pairs.subject.median * 1e6, "µs"),
      Measurement("floor", pairs.baseline.median * 1e6, "µs"),
    ]
    if let count = try context.allocationsOfHit() {
      measurements.append(Measurement(count: "allocations of a hit", Double(count), "allocations", goal: 8))
    }
    return measurements
  }

  static let mainActorHit = Row(
    number: "1b", title: "the same awaited from the main actor",
    meaning: """
      A view asks for the token from the main actor. The baseline is the bare hop from the main actor to another actor \
      and back.
      """
  ) { context in
    let client = try Scene.connector(try await Scene.memoryCache(users: context.manyUsers))
    let user = Scene.user(7)
    let elsewhere = Elsewhere()
    let pairs = try await Pairs.compare(context, by: .processor) { count in
      await hop(count, elsewhere)
    } subject: { count in
      try await hit(count, client, user)
    }
    return [
      Measurement("hit against the bare hop", pairs, goal: 1.3),
      Measurement("hit from the main actor", pairs.subject.median * 1e6, "µs"),
    ]
  }

  static let parallelHit = Row(
    number: "1c", title: "the same from 8 tasks at the same time, wall time per call",
    meaning: """
      Eight tasks ask for the token at the same time. The baseline is one task that makes as many calls, so a ratio \
      above 1 means that the tasks wait for each other.
      """
  ) { context in
    let client = try Scene.connector(try await Scene.memoryCache(users: context.manyUsers))
    let user = Scene.user(7)
    let pairs = try await Pairs.compare(context) { count in
      for _ in 0..<count { _ = try await client.accessToken(user: user) }
    } subject: { count in
      try await simultaneously(8) { _ in
        for _ in 0..<count / 8 + 1 { _ = try await client.accessToken(user: user) }
      }
    }
    return [Measurement("8 tasks against one", pairs, goal: 1.5)]
  }

  @MainActor
  private static func hop(_ count: Int, _ elsewhere: Elsewhere) async {
    for _ in 0..<count { await elsewhere.visit() }
  }

  @MainActor
  private static func hit(_ count: Int, _ client: Connector, _ user: UserInfo) async throws {
    for _ in 0..<count { _ = try await client.accessToken(user: user) }
  }
}

/// A place off the main actor; its state keeps the optimiser from leaving the visit out.
private actor Elsewhere {
  private var visits = 0

  func visit() { visits += 1 }
}
