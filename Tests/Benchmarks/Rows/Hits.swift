import B2CConnector
import Foundation
import TestSupport

extension Row {
  static let silentHit = Row(
    number: "1", title: "silent hit: a valid token of one of 10,000 users, off the main actor"
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

  static let mainActorHit = Row(number: "1b", title: "the same awaited from the main actor") { context in
    let client = try Scene.connector(try await Scene.memoryCache(users: context.manyUsers))
    let user = Scene.user(7)
    let elsewhere = Elsewhere()
    let pairs = try await Pairs.compare(context, by: .processor) { @MainActor count in
      for _ in 0..<count { await elsewhere.visit() }
    } subject: { @MainActor count in
      for _ in 0..<count { _ = try await client.accessToken(user: user) }
    }
    return [
      Measurement("hit against the bare hop", pairs, goal: 1.3),
      Measurement("hit from the main actor", pairs.subject.median * 1e6, "µs"),
    ]
  }

  static let parallelHit = Row(
    number: "1c", title: "the same from 8 tasks at the same time, wall time per call"
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

  static let keychainHit = Row(
    number: "18", title: "silent hit over the keychain cache, with a stand-in for the keychain"
  ) { _ in
    var measurements: [Measurement] = []
    for (name, isShared, calls) in [("without a named group", false, 0.0), ("in a named group", true, 1.0)] {
      let keychain = DictionaryKeychain(isShared: isShared)
      let cache = StoredTokenCache(KeychainStore(keychain))
      try await Scene.fill(cache, users: 1)
      let client = try Scene.connector(cache)
      for _ in 0..<2 { _ = try await client.accessToken() }
      _ = keychain.takeCalls()
      for _ in 0..<10 { _ = try await client.accessToken() }
      let made = Double(keychain.takeCalls().count) / 10
      measurements.append(Measurement(count: "\(name), keychain calls of a hit", made, "calls", goal: calls))
    }
    return measurements
  }

  static let userGrowth = Row(number: "2", title: "growth with the number of users, 10,000 against 1") { context in
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

/// The floor of a token table: a lock, a dictionary, a look at the clock.
private struct TokenTable: Sendable {
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

/// A place off the main actor; its state keeps the optimiser from leaving the visit out.
private actor Elsewhere {
  private var visits = 0

  func visit() { visits += 1 }
}
