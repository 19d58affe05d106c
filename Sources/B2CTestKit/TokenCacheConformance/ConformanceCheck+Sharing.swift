internal import B2CTokenCache

extension ConformanceCheck {
  /// What two instances over one store owe each other.
  static func sharing(
    _ makeSecond: @escaping @Sendable (any TokenCache) async throws -> any TokenCache
  ) -> [ConformanceCheck] {
    [
      ConformanceCheck(.sharing) { first in
        try await first.store(Samples.record(1), for: Samples.key(1))
        let second = try await makeSecond(first)
        for number in 2..<30 {
          // Both have read the record before, so neither may answer from what it remembers.
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
      ConformanceCheck(.exclusivity) { first in
        guard let cache = first as? any ExclusiveTokenCache,
          let second = try await makeSecond(first) as? any ExclusiveTokenCache
        else { return nil }
        return try await exclude([cache, second])
      },
    ]
  }

  /// What a cache owes when its store is out of reach.
  static func failing(_ makeUnreachable: @escaping TokenCacheConformance.Factory) -> ConformanceCheck {
    ConformanceCheck(.failing) { _ in
      // A cache that cannot be opened without its store reports the failure even earlier.
      guard let cache = try? await makeUnreachable() else { return nil }
      let calls: [(String, @Sendable () async throws -> Void)] = [
        ("record(for:)", { _ = try await cache.record(for: Samples.key(1)) }),
        ("store(_:for:)", { try await cache.store(Samples.record(1), for: Samples.key(1)) }),
        ("keys()", { _ = try await cache.keys() }),
      ]
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
