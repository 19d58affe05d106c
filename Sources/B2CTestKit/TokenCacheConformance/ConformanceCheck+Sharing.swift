internal import B2CCore
internal import B2CTokenCache

extension ConformanceCheck {
  /// Two instances over one store.
  static func sharing(
    _ makeSecond: @escaping @Sendable (any TokenCache) async throws -> any TokenCache
  ) -> [ConformanceCheck] {
    /// A check for two shared caches over one store.
    func together(
      _ rule: TokenCacheRule, _ body: @escaping @Sendable ([any SharedTokenCache]) async throws -> String?
    ) -> ConformanceCheck {
      .shared(rule) { first in
        guard let second = try await makeSecond(first) as? any SharedTokenCache else { return nil }
        return try await body([first, second])
      }
    }
    return [
      ConformanceCheck(.sharing) { first in
        try await first.store(Samples.record(1), for: Samples.key(1))
        let second = try await makeSecond(first)
        for number in 2..<30 {
          // Both have read the record before, so neither may answer from memory.
          let (writer, reader) = number % 2 == 0 ? (first, second) : (second, first)
          guard try await reader.record(for: Samples.key(1)) != nil else { return "a stored record is not seen" }
          try await writer.store(Samples.record(number), for: Samples.key(1))
          let read = try await reader.record(for: Samples.key(1)).flatMap(Samples.number)
          guard read == number else { return "a change by the other instance is not seen" }
        }
        try await second.store(Samples.record(2), for: Samples.key(2))
        guard try await Set(first.keys()) == [Samples.key(1), Samples.key(2)] else {
          return "a key that the other instance has added is not listed"
        }
        try await second.removeRecord(for: Samples.key(1))
        guard try await first.record(for: Samples.key(1)) == nil else { return "a removal is not seen" }
        return try await first.keys() == [Samples.key(2)] ? nil : "a removed key is still listed"
      },
      together(.atomicUpdates) { try await countUpdates($0) },
      together(.refreshLock) { try await countInside($0) },
    ]
  }

  /// A store that cannot be reached.
  static func failing(_ makeUnreachable: @escaping TokenCacheConformance.Factory) -> ConformanceCheck {
    ConformanceCheck(.failing) { _ in
      // A cache that cannot be opened without its store reports the failure even earlier.
      guard let cache = try? await makeUnreachable() else { return nil }
      var calls: [(String, @Sendable () async throws -> Void)] = [
        ("record(for:)", { _ = try await cache.record(for: Samples.key(1)) }),
        ("store(_:for:)", { try await cache.store(Samples.record(1), for: Samples.key(1)) }),
        ("keys()", { _ = try await cache.keys() }),
      ]
      if let shared = cache as? any SharedTokenCache {
        calls.append(("update(_:_:)", { try await shared.update(Samples.key(1)) { _ in Samples.record(1) } }))
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
  }
}

extension ConformanceCheck {
  /// Several callers at once.
  static let together = [
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
    .shared(.updating) { cache in
      let key = Samples.key(1)
      let added = try await cache.update(key) { $0 == nil ? Samples.record(1) : nil }
      guard added.flatMap(Samples.number) == 1 else { return "a record added by an update is not returned" }
      guard try await number(cache, key) == 1 else { return "a record added by an update is not read" }
      let changed = try await cache.update(key) { $0.flatMap(Samples.number).map { Samples.record($0 + 1) } }
      guard changed.flatMap(Samples.number) == 2 else { return "a changed record is not returned" }
      guard try await number(cache, key) == 2 else { return "a changed record is not read" }
      guard try await cache.update(key, { $0 }).flatMap(Samples.number) == 2, try await number(cache, key) == 2 else {
        return "a record returned unchanged is not kept"
      }
      for _ in 0..<2 {
        guard try await cache.update(key, { _ in nil }) == nil else { return "a removed record is returned" }
      }
      guard try await cache.record(for: key) == nil else { return "a record whose change is nil is still there" }
      return try await cache.keys().isEmpty ? nil : "a record whose change is nil is still listed"
    },
    .shared(.atomicUpdates) { try await countUpdates([$0]) },
    .shared(.refreshLock) { try await countInside([$0]) },
    .shared(.useInside) { cache in
      let key = Samples.key(1)
      let inside = try await cache.withRefreshLock(for: key) {
        try await cache.store(Samples.record(1), for: key)
        try await cache.update(key) { $0.flatMap(Samples.number).map { Samples.record($0 + 1) } }
        let read = try await number(cache, key)
        try await cache.removeRecord(for: key)
        // A sign-in elsewhere does not wait for the request.
        try await Task { try await cache.store(Samples.record(5), for: key) }.value
        return read
      }
      guard inside == 2 else { return "what was stored and updated inside is not read inside" }
      return try await number(cache, key) == 5 ? nil : "what was stored while the lock was held is not there afterwards"
    },
    .shared(.cancellation) { cache in
      let key = Samples.key(1)
      let hasRun = Locked(false)
      let error = try await cache.withRefreshLock(for: key) {
        let waiter = Task { try await cache.withRefreshLock(for: key) { hasRun.withLock { $0 = true } } }
        for _ in 0..<20 { await Task.yield() }
        waiter.cancel()
        do {
          try await waiter.value
          return false
        } catch {
          return true
        }
      }
      if hasRun.withLock({ $0 }) { return "the body of a cancelled caller has run" }
      guard error else { return "a cancelled caller is not told" }
      return try await cache.withRefreshLock(for: key) { nil }
    },
    .shared(.release) { cache in
      struct Thrown: Error {}
      do {
        try await cache.withRefreshLock(for: Samples.key(1)) { throw Thrown() }
        return "what the body threw was not passed on"
      } catch is Thrown {
        // As it should be.
      }
      let answer = try await cache.withRefreshLock(for: Samples.key(1)) { 42 }
      return answer == 42 ? nil : "what the body returned was not passed on"
    },
  ]

  private static let callers = 8
  private static let rounds = 10

  /// Lets callers add to one record by updates and counts the sum.
  static func countUpdates(_ caches: [any SharedTokenCache]) async throws -> String? {
    try await repeated(caches) { cache in
      try await cache.update(Samples.key(1)) { Samples.record(($0.flatMap(Samples.number) ?? 0) + 1) }
    }
    return try await lost(caches)
  }

  /// Lets callers add to one record under its refresh lock and counts both those inside and the sum.
  static func countInside(_ caches: [any SharedTokenCache]) async throws -> String? {
    let inside = Locked(0)
    let hasOverlapped = Locked(false)
    try await repeated(caches) { cache in
      try await cache.withRefreshLock(for: Samples.key(1)) {
        let count = inside.withLock { count in
          count += 1
          return count
        }
        if count > 1 { hasOverlapped.withLock { $0 = true } }
        let number = try await number(cache, Samples.key(1)) ?? 0
        for _ in 0..<10 { await Task.yield() }
        try await cache.store(Samples.record(number + 1), for: Samples.key(1))
        inside.withLock { $0 -= 1 }
      }
    }
    return hasOverlapped.withLock { $0 } ? "two callers were inside at the same time" : try await lost(caches)
  }

  private static func repeated(
    _ caches: [any SharedTokenCache], _ body: @escaping @Sendable (any SharedTokenCache) async throws -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for caller in 0..<callers {
        let cache = caches[caller % caches.count]
        group.addTask {
          for _ in 0..<rounds { try await body(cache) }
        }
      }
      try await group.waitForAll()
    }
  }

  private static func lost(_ caches: [any SharedTokenCache]) async throws -> String? {
    let sum = try await number(caches[0], Samples.key(1)) ?? 0
    return sum == callers * rounds ? nil : "of \(callers * rounds) additions to one record, \(sum) were kept"
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
