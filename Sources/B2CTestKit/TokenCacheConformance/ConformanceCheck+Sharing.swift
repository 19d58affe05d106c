internal import B2CCore
package import B2CTokenCache
internal import Foundation

extension ConformanceCheck {
  /// The checks with simultaneous callers, and with two instances over one store.
  static let callers = [
    ConformanceCheck(.concurrentUse) { cache in
      try await together(8) { try await write(as: $0, to: cache) }
      let last = try await number(cache, Samples.key())
      try expect(last != nil, "the record that all have written is missing or mixed")
      try expect(last.map { $0 % 100 } == 19, "the record that all have written is an old one")
      try await expect(cache.keys().count == 9, "a record is missing, or there are too many")
    },
    ConformanceCheck(rule: .sharing) { caches in
      guard caches.count == 2 else { return }
      let (first, second) = (caches[0], caches[1])
      try await first.store(Samples.record(1), for: Samples.key(1))
      for round in 2..<30 {
        // Both instances have read the record before, so an instance that answers from memory fails here.
        let (writer, reader) = round % 2 == 0 ? (first, second) : (second, first)
        try await expect(reader.record(for: Samples.key(1)) != nil, "a stored record is not seen")
        try await writer.store(Samples.record(round), for: Samples.key(1))
        try await expect(number(reader, Samples.key(1)) == round, "a change by the other instance is not seen")
      }
      try await second.store(Samples.record(2), for: Samples.key(2))
      let keys = try await Set(first.keys())
      try expect(keys == [Samples.key(1), Samples.key(2)], "a key that the other instance has added is not listed")
      try await second.removeRecord(for: Samples.key(1))
      try await expect(first.record(for: Samples.key(1)) == nil, "a removal is not seen")
      try await expect(first.keys() == [Samples.key(2)], "a removed key is still listed")
    },
  ]

  /// The check with a store that cannot be reached.
  static let failing = ConformanceCheck(.failing) { cache in
    let (key, new) = (Samples.key(1), Samples.record(1))
    var calls: [(String, @Sendable () async throws -> Void)] = [
      ("record(for:)", { _ = try await cache.record(for: key) }),
      ("store(_:for:)", { try await cache.store(new, for: key) }),
      ("removeRecord(for:)", { try await cache.removeRecord(for: key) }),
      ("keys()", { _ = try await cache.keys() }),
    ]
    if let shared = cache as? any SharedTokenCache {
      calls.append(("replace(_:expecting:with:)", { _ = try await shared.replace(key, expecting: UUID(), with: new) }))
    }
    for (name, call) in calls { try expect((try? await call()) == nil, "\(name) does not throw") }
  }

  /// The check of a refresh lock in a store that cannot be reached, for caches that processes share.
  static let failingLock = ConformanceCheck(shared: .failingLock) { caches in
    let hasRun = Locked(false)
    let work = RefreshWork { hasRun.withLock { $0 = true } }
    let hasReturned = (try? await caches[0].withRefreshLock(for: Samples.key(1), work)) != nil
    try expect(!hasRun.withLock { $0 }, "the work has run")
    try expect(!hasReturned, "no error was thrown")
  }

  /// The checks of the two methods that a shared cache adds.
  static let shared = [
    ConformanceCheck(shared: .replacing) { caches in
      let (cache, key) = (caches[0], Samples.key(1))
      let (first, second) = (Samples.record(1), Samples.record(2))
      try await cache.store(first, for: key)
      let isReplaced = try await cache.replace(key, expecting: first.stamp, with: second)
      try expect(isReplaced, "a record with the expected stamp is not replaced")
      try await expect(number(cache, key) == 2, "the record that replaced another one is not read")
      for stamp in [first.stamp, first.signIn, UUID()] {
        let isReplaced = try await cache.replace(key, expecting: stamp, with: Samples.record(3))
        try expect(!isReplaced, "a record with another stamp is replaced")
        try await expect(number(cache, key) == 2, "a refused replacement has changed the record")
      }
      try await cache.removeRecord(for: key)
      let isBack = try await cache.replace(key, expecting: second.stamp, with: Samples.record(4))
      try expect(!isBack, "a record that is not there is replaced")
      try await expect(cache.keys().isEmpty, "a refused replacement has brought a removed record back")
    },
    ConformanceCheck(shared: .atomicReplacing) { caches in
      try await repeated(caches, by: 8) { cache in
        for _ in 0..<1_000 {
          guard let old = try await cache.record(for: Samples.key(1)) else { return }
          let new = Samples.record((Samples.number(of: old) ?? 0) + 1)
          if try await cache.replace(Samples.key(1), expecting: old.stamp, with: new) { return }
        }
        throw Observation(description: "a replacement was refused 1,000 times in turn")
      }
    },
    ConformanceCheck(shared: .refreshLock) { caches in
      let (key, isHeld) = (Samples.key(1), Locked(false))
      // Each instance has a single caller, because the connectors of a process run one refresh of a user at a time.
      try await repeated(caches, by: caches.count) { cache in
        try await cache.underRefreshLock(of: key) {
          try expect(isHeld.setOnce(), "two instances were inside at the same time")
          let number = try await number(cache, key) ?? 0
          for _ in 0..<10 { await Task.yield() }
          try await cache.store(Samples.record(number + 1), for: key)
          isHeld.withLock { $0 = false }
        }
      }
      // The work cancels its caller's task, and `Locked` makes it wait until that task is known.
      let caller = Locked<Task<Void, any Error>?>(nil)
      let work = RefreshWork { caller.withLock { $0?.cancel() } }
      caller.withLock { $0 = Task { try await caches[0].withRefreshLock(for: key, work) } }
      _ = await caller.withLock { $0 }?.result
      let stillHeld = Observation(description: "a caller that was cancelled during its work has not released the lock")
      try await abandoning(after: .seconds(5), on: ContinuousClock(), throwing: stillHeld) {
        try await caches.last?.underRefreshLock(of: key) {}
      }
    },
    ConformanceCheck(shared: .useInside) { caches in
      let (cache, key) = (caches[0], Samples.key(1))
      try await cache.underRefreshLock(of: key) {
        let (first, second) = (Samples.record(1), Samples.record(2))
        try await cache.store(first, for: key)
        try await expect(cache.replace(key, expecting: first.stamp, with: second), "a record is not replaced inside")
        try await expect(number(cache, key) == 2, "what was stored and replaced inside is not read inside")
        try await cache.removeRecord(for: key)
        // A sign-in by another caller must not wait for the refresh lock, so this call must not deadlock.
        try await Task { try await cache.store(Samples.record(5), for: key) }.value
      }
      try await expect(number(cache, key) == 5, "what was stored while the lock was held is not there afterwards")
    },
    ConformanceCheck(shared: .cancellation) { caches in
      guard caches.count == 2 else { return }
      let (holder, other, key) = (caches[0], caches[1], Samples.key(1))
      let hasRun = Locked(false)
      let waiter = try await holder.underRefreshLock(of: key) {
        let waiter = Task { try await other.withRefreshLock(for: key, RefreshWork { hasRun.withLock { $0 = true } }) }
        for _ in 0..<20 { await Task.yield() }
        waiter.cancel()
        return waiter
      }
      let result = await waiter.result
      try expect(!hasRun.withLock { $0 }, "the work of a cancelled caller has run")
      guard case .failure(let error) = result else { throw Observation(description: "a cancelled caller is not told") }
      try expect(error is CancellationError, "a cancelled caller gets another error than CancellationError: \(error)")
      try await other.underRefreshLock(of: key) {}
    },
  ]

  /// Runs a body for several callers at the same time, with the number of each.
  private static func together(_ callers: Int, _ body: @escaping @Sendable (Int) async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for caller in 0..<callers { group.addTask { try await body(caller) } }
      try await group.waitForAll()
    }
  }

  /// Lets callers, spread over all instances, add 1 to one record ten times each, and checks the sum.
  private static func repeated(
    _ caches: [any SharedTokenCache], by callers: Int,
    _ body: @escaping @Sendable (any SharedTokenCache) async throws -> Void
  ) async throws {
    try await caches[0].store(Samples.record(0), for: Samples.key(1))
    try await together(callers) { caller in
      for _ in 0..<10 { try await body(caches[caller % caches.count]) }
    }
    let sum = try await number(caches[0], Samples.key(1)) ?? 0
    try expect(sum == callers * 10, "of \(callers * 10) additions to one record, \(sum) were kept")
  }

  /// Stores twenty records under a shared key and under the writer's own key, and reads both after each round.
  private static func write(as writer: Int, to cache: any TokenCache) async throws {
    for round in 0..<20 {
      let number = writer * 100 + round
      try await cache.store(Samples.record(number), for: Samples.key())
      try await cache.store(Samples.record(number), for: Samples.key(writer))
      let shared = try await cache.record(for: Samples.key())
      try expect(shared != nil, "a record was nil while it was written")
      try expect(shared.flatMap(Samples.number) != nil, "a record holds parts of two")
      try await expect(Self.number(cache, Samples.key(writer)) == number, "a caller does not read what it alone stored")
    }
  }
}

extension SharedTokenCache {
  /// Runs a body as the work of a refresh, and returns its result, after checking that it ran exactly once.
  package func underRefreshLock<Value: Sendable>(
    of key: TokenCacheKey, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let results = Locked<[Result<Value, any Error>]>([])
    let end = { @Sendable (result: Result<Value, any Error>) in results.withLock { $0.append(result) } }
    let work = RefreshWork { do { end(.success(try await body())) } catch { end(.failure(error)) } }
    try await withRefreshLock(for: key, work)
    let all = results.withLock { $0 }
    try ConformanceCheck.expect(all.count == 1, "the work of a refresh lock ran \(all.count) times")
    return try all[0].get()
  }
}
