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
