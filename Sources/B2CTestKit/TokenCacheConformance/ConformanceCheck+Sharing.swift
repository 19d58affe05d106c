internal import B2CCore
package import B2CTokenCache
internal import Foundation

extension ConformanceCheck {
  /// Several callers at once, and two instances over one store.
  static let callers = [
    ConformanceCheck(.concurrentUse) { cache in
      let observations = try await withThrowingTaskGroup(of: String?.self) { group in
        for writer in 0..<8 {
          group.addTask { try await write(as: writer, to: cache) }
        }
        return try await group.reduce(into: []) { $0.append($1) }.compactMap { $0 }
      }
      if let observation = observations.first { return observation }
      guard let shared = try await cache.record(for: Samples.key()), let number = Samples.number(of: shared) else {
        return "the record that all have written is missing or mixed"
      }
      guard number % 100 == 19 else { return "the record that all have written is an old one" }
      return try await cache.keys().count == 9 ? nil : "a record is missing, or there are too many"
    },
    ConformanceCheck(.sharing) { first, second in
      guard let second else { return nil }
      try await first.store(Samples.record(1), for: Samples.key(1))
      for round in 2..<30 {
        // Both have read the record before, so neither may answer from memory.
        let (writer, reader) = round % 2 == 0 ? (first, second) : (second, first)
        guard try await reader.record(for: Samples.key(1)) != nil else { return "a stored record is not seen" }
        try await writer.store(Samples.record(round), for: Samples.key(1))
        guard try await number(reader, Samples.key(1)) == round else {
          return "a change by the other instance is not seen"
        }
      }
      try await second.store(Samples.record(2), for: Samples.key(2))
      guard try await Set(first.keys()) == [Samples.key(1), Samples.key(2)] else {
        return "a key that the other instance has added is not listed"
      }
      try await second.removeRecord(for: Samples.key(1))
      guard try await first.record(for: Samples.key(1)) == nil else { return "a removal is not seen" }
      return try await first.keys() == [Samples.key(2)] ? nil : "a removed key is still listed"
    },
  ]

  /// A store that cannot be reached.
  static let failing = ConformanceCheck(.failing) { cache in
    var calls: [(String, @Sendable () async throws -> Void)] = [
      ("record(for:)", { _ = try await cache.record(for: Samples.key(1)) }),
      ("store(_:for:)", { try await cache.store(Samples.record(1), for: Samples.key(1)) }),
      ("removeRecord(for:)", { try await cache.removeRecord(for: Samples.key(1)) }),
      ("keys()", { _ = try await cache.keys() }),
    ]
    if let shared = cache as? any SharedTokenCache {
      calls.append(
        (
          "replace(_:expecting:with:)",
          { _ = try await shared.replace(Samples.key(1), expecting: UUID(), with: Samples.record(1)) }
        ))
    }
    for (name, call) in calls {
      do {
        try await call()
        return "\(name) does not throw"
      } catch {
        continue
      }
    }
    return nil
  }

  /// The two methods of a shared cache.
  static let shared = [
    ConformanceCheck(shared: .replacing) { caches in
      let (cache, key) = (caches[0], Samples.key(1))
      let (first, second) = (Samples.record(1), Samples.record(2))
      try await cache.store(first, for: key)
      guard try await cache.replace(key, expecting: first.stamp, with: second) else {
        return "a record with the expected stamp is not replaced"
      }
      guard try await number(cache, key) == 2 else { return "the record that replaced another one is not read" }
      for stamp in [first.stamp, first.signIn, UUID()] {
        guard try await !cache.replace(key, expecting: stamp, with: Samples.record(3)) else {
          return "a record with another stamp is replaced"
        }
        guard try await number(cache, key) == 2 else { return "a refused replacement has changed the record" }
      }
      try await cache.removeRecord(for: key)
      guard try await !cache.replace(key, expecting: second.stamp, with: Samples.record(4)) else {
        return "a record that is not there is replaced"
      }
      guard try await cache.record(for: key) == nil, try await cache.keys().isEmpty else {
        return "a refused replacement has brought a removed record back"
      }
      return nil
    },
    ConformanceCheck(shared: .atomicReplacing) { caches in
      try await repeated(caches) { cache in
        for _ in 0..<1_000 {
          guard let old = try await cache.record(for: Samples.key(1)) else { return }
          let new = Samples.record((Samples.number(of: old) ?? 0) + 1)
          if try await cache.replace(Samples.key(1), expecting: old.stamp, with: new) { return }
        }
        throw Unfinished()
      }
    },
    ConformanceCheck(shared: .refreshLock) { caches in
      let inside = Locked(0)
      let hasOverlapped = Locked(false)
      let observation = try await repeated(caches) { cache in
        try await cache.underRefreshLock(of: Samples.key(1)) {
          if inside.withLock({ inside in
            inside += 1
            return inside > 1
          }) {
            hasOverlapped.withLock { $0 = true }
          }
          let number = try await number(cache, Samples.key(1)) ?? 0
          for _ in 0..<10 { await Task.yield() }
          try await cache.store(Samples.record(number + 1), for: Samples.key(1))
          inside.withLock { $0 -= 1 }
        }
      }
      return hasOverlapped.withLock { $0 } ? "two callers were inside at the same time" : observation
    },
    ConformanceCheck(shared: .useInside) { caches in
      let (cache, key) = (caches[0], Samples.key(1))
      let read = try await cache.underRefreshLock(of: key) {
        let first = Samples.record(1)
        try await cache.store(first, for: key)
        guard try await cache.replace(key, expecting: first.stamp, with: Samples.record(2)) else { return Int?.none }
        let read = try await number(cache, key)
        try await cache.removeRecord(for: key)
        // A sign-in elsewhere does not wait for the request.
        try await Task { try await cache.store(Samples.record(5), for: key) }.value
        return read
      }
      guard read == 2 else { return "what was stored and replaced inside is not read inside" }
      return try await number(cache, key) == 5 ? nil : "what was stored while the lock was held is not there afterwards"
    },
    ConformanceCheck(shared: .cancellation) { caches in
      let (cache, key) = (caches[0], Samples.key(1))
      let hasRun = Locked(false)
      let waiter = try await cache.underRefreshLock(of: key) {
        let waiter = Task { try await cache.withRefreshLock(for: key, RefreshWork { hasRun.withLock { $0 = true } }) }
        for _ in 0..<20 { await Task.yield() }
        waiter.cancel()
        return waiter
      }
      let result = await waiter.result
      if hasRun.withLock({ $0 }) { return "the work of a cancelled caller has run" }
      if case .success = result { return "a cancelled caller is not told" }
      return try await cache.underRefreshLock(of: key) { String?.none }
    },
  ]
}

extension ConformanceCheck {
  private struct Unfinished: Error, CustomStringConvertible {
    let description = "a replacement was refused 1,000 times in turn"
  }

  private static let callerCount = 8
  private static let rounds = 10

  /// Lets callers, over all instances, add to one record, and counts the sum.
  private static func repeated(
    _ caches: [any SharedTokenCache], _ body: @escaping @Sendable (any SharedTokenCache) async throws -> Void
  ) async throws -> String? {
    try await caches[0].store(Samples.record(0), for: Samples.key(1))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for caller in 0..<callerCount {
        let cache = caches[caller % caches.count]
        group.addTask {
          for _ in 0..<rounds { try await body(cache) }
        }
      }
      try await group.waitForAll()
    }
    let sum = try await number(caches[0], Samples.key(1)) ?? 0
    return sum == callerCount * rounds ? nil : "of \(callerCount * rounds) additions to one record, \(sum) were kept"
  }

  private static func number(_ cache: any TokenCache, _ key: TokenCacheKey) async throws -> Int? {
    try await cache.record(for: key).flatMap(Samples.number)
  }

  /// Stores twenty records under a shared key and another one, and looks at the shared one in between.
  private static func write(as writer: Int, to cache: any TokenCache) async throws -> String? {
    for round in 0..<20 {
      let number = writer * 100 + round
      try await cache.store(Samples.record(number), for: Samples.key())
      try await cache.store(Samples.record(number), for: Samples.key(writer))
      guard let shared = try await cache.record(for: Samples.key()) else {
        return "a record was nil while it was written"
      }
      guard Samples.number(of: shared) != nil else { return "a record holds parts of two" }
      guard let own = try await cache.record(for: Samples.key(writer)), Samples.number(of: own) == number else {
        return "a caller does not read what it alone has stored"
      }
    }
    return nil
  }
}

extension SharedTokenCache {
  /// Runs a body as the work of a refresh, and returns its result.
  package func underRefreshLock<Value: Sendable>(
    of key: TokenCacheKey, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let results = Locked<[Result<Value, any Error>]>([])
    try await withRefreshLock(
      for: key,
      RefreshWork {
        let result: Result<Value, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        results.withLock { $0.append(result) }
      })
    let all = results.withLock { $0 }
    guard all.count == 1 else { throw RunCount(description: "the work of a refresh lock ran \(all.count) times") }
    return try all[0].get()
  }
}

private struct RunCount: Error, CustomStringConvertible {
  let description: String
}
