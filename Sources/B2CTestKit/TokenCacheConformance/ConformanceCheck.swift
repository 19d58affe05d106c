internal import B2CTokenCache

/// The check of one rule with a new cache.
struct ConformanceCheck: Sendable {
  let rule: TokenCacheRule
  /// Checks one cache, or two instances over one store, and throws an ``Observation`` if the rule is broken.
  let body: @Sendable ([any TokenCache]) async throws -> Void

  /// Returns how a cache, or two instances over one store, break the rule, or `nil` if they do not.
  func problem(of caches: [any TokenCache]) async -> String? {
    do {
      try await body(caches)
      return nil
    } catch {
      let seen = (error as? Observation)?.description ?? "an error was thrown: \(error)"
      return "Broken: \(rule.rawValue). Seen: \(seen)"
    }
  }

  static func expect(_ isKept: Bool, _ observation: @autoclosure () -> String) throws {
    if !isKept { throw Observation(description: observation()) }
  }

  static func number(_ cache: any TokenCache, _ key: TokenCacheKey) async throws -> Int? {
    try await cache.record(for: key).flatMap(Samples.number)
  }
}

extension ConformanceCheck {
  /// Creates the check of a rule that needs one instance.
  init(_ rule: TokenCacheRule, _ body: @escaping @Sendable (any TokenCache) async throws -> Void) {
    self.init(rule: rule) { try await body($0[0]) }
  }

  /// Creates the check of a rule for shared caches, which other caches pass.
  init(shared rule: TokenCacheRule, _ body: @escaping @Sendable ([any SharedTokenCache]) async throws -> Void) {
    self.init(rule: rule) { caches in
      let shared = caches.compactMap { $0 as? any SharedTokenCache }
      if !shared.isEmpty { try await body(shared) }
    }
  }
}

/// The way in which a cache breaks a rule.
struct Observation: Error, CustomStringConvertible {
  let description: String
}

/// A rule that every token cache must follow, as a sentence.
package enum TokenCacheRule: String, CaseIterable, Sendable {
  case overwriting = "a record replaces the one before it as a whole"
  case removing = "what is not there reads as nil and can be removed; a removed record is gone, and only that one"
  case listing = "keys() lists the key of each record once and no other"
  case distinctKeys = "keys of any characters and length that differ at all have separate records"
  case everyField = "every field of a record is kept as it was, tokens of any length"
  case concurrentUse = "callers at the same time never mix or lose records"
  case sharing = "another instance over the same store sees every change"
  case failing = "a store that cannot be reached is an error, not an empty cache"
  // These rules are only for shared caches.
  case replacing = "a replacement takes place if the record has the expected stamp, and changes nothing if not"
  case atomicReplacing = "of several replacements of one record one takes place"
  case failingLock = "a refresh lock that cannot be taken is an error, and its work does not run"
  case refreshLock = "a refresh lock runs its work once, in one process at a time, and ends with it"
  case useInside = "a record can be read, stored, replaced and removed while its refresh lock is held, by any caller"
  case cancellation = "a caller that is cancelled while it waits for a refresh lock leaves, and its work does not run"
}
