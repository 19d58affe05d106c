internal import B2CCore
internal import B2CTokenCache

extension ConformanceCheck {
  /// What holds when several callers are there at once.
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
    ConformanceCheck(.exclusivity) { cache in
      guard let cache = cache as? any ExclusiveTokenCache else { return nil }
      return try await exclude([cache])
    },
    ConformanceCheck(.useInside) { cache in
      guard let cache = cache as? any ExclusiveTokenCache else { return nil }
      let inside = try await cache.withExclusiveAccess(to: Samples.key(1)) {
        try await cache.store(Samples.record(1), for: Samples.key(1))
        let record = try await cache.record(for: Samples.key(1))
        try await cache.removeRecord(for: Samples.key(1))
        try await cache.store(Samples.record(2), for: Samples.key(1))
        return record.flatMap(Samples.number)
      }
      guard inside == 1 else { return "what was stored inside is not read inside" }
      let after = try await cache.record(for: Samples.key(1)).flatMap(Samples.number)
      return after == 2 ? nil : "what was stored inside is not there afterwards"
    },
    ConformanceCheck(.nesting) { cache in
      guard let cache = cache as? any ExclusiveTokenCache else { return nil }
      // As many keys as the engine may renew at once: none may wait for a lock that another's holder needs.
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<8 {
          group.addTask {
            let key = Samples.key(number)
            try await cache.withExclusiveAccess(to: key.forSpending) {
              for _ in 0..<10 { await Task.yield() }
              try await cache.withExclusiveAccess(to: key) { try await cache.store(Samples.record(number), for: key) }
            }
          }
        }
        try await group.waitForAll()
      }
      let listed = try await cache.keys()
      if listed.contains(where: \.isForSpending) { return "a key that was only held is listed" }
      return listed.count == 8 ? nil : "of 8 records stored inside, \(listed.count) are there"
    },
    ConformanceCheck(.release) { cache in
      guard let cache = cache as? any ExclusiveTokenCache else { return nil }
      struct Thrown: Error {}
      do {
        try await cache.withExclusiveAccess(to: Samples.key(1)) { throw Thrown() }
        return "what the body threw was not passed on"
      } catch is Thrown {
        // As it should be.
      }
      let answer = try await cache.withExclusiveAccess(to: Samples.key(1)) { 42 }
      return answer == 42 ? nil : "what the body returned was not passed on"
    },
  ]

  /// Stores twenty records under a shared key and one of its own, and looks at the shared one in between.
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

  /// Lets callers add to one record under exclusive access and counts both those inside and the sum.
  static func exclude(_ caches: [any ExclusiveTokenCache]) async throws -> String? {
    let callers = 8
    let rounds = 10
    let inside = Locked(0)
    let hasOverlapped = Locked(false)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for caller in 0..<callers {
        let cache = caches[caller % caches.count]
        group.addTask {
          for _ in 0..<rounds {
            try await cache.withExclusiveAccess(to: Samples.key(1)) {
              let count = inside.withLock { count in
                count += 1
                return count
              }
              if count > 1 { hasOverlapped.withLock { $0 = true } }
              let number = try await cache.record(for: Samples.key(1)).flatMap(Samples.number) ?? 0
              for _ in 0..<10 { await Task.yield() }
              try await cache.store(Samples.record(number + 1), for: Samples.key(1))
              inside.withLock { $0 -= 1 }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    if hasOverlapped.withLock({ $0 }) { return "two callers were inside at the same time" }
    let sum = try await caches[0].record(for: Samples.key(1)).flatMap(Samples.number) ?? 0
    return sum == callers * rounds ? nil : "of \(callers * rounds) additions to one record, \(sum) were kept"
  }
}
