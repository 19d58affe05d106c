public import B2CTokenCache

/// Checks whether a token cache does what the SDK relies on, and describes each rule that it breaks.
///
/// A cache that deadlocks is found by the time limit of the test.
///
/// ```swift
/// @Test(.timeLimit(.minutes(1))) func myCacheKeepsTheRules() async throws {
///   let broken = try await TokenCacheConformance { MyTokenCache() }.brokenRules()
///   #expect(broken.isEmpty, "\(broken)")
/// }
/// ```
public struct TokenCacheConformance: Sendable {
  /// Creates an empty cache.
  public typealias Factory = @Sendable () async throws -> any TokenCache

  private let makeCache: Factory

  /// Creates a second instance over the store of a cache; `nil` leaves the rules on sharing out.
  public var makeSecondInstance: (@Sendable (any TokenCache) async throws -> any TokenCache)?
  /// Creates a cache whose store cannot be reached; `nil` leaves the rule out.
  public var makeUnreachableCache: Factory?

  /// Creates the suite.
  ///
  /// - Parameter makeCache: Creates an empty cache, a new one at each call.
  public init(makeCache: @escaping Factory) {
    self.makeCache = makeCache
  }

  /// Checks every rule.
  ///
  /// - Returns: The broken rules; none when the cache is right.
  /// - Throws: What the factory throws: without a cache there is nothing to check.
  public func brokenRules() async throws -> [BrokenTokenCacheRule] {
    var broken: [BrokenTokenCacheRule] = []
    for check in checks {
      let cache = try await makeCache()
      let observation: String?
      do {
        observation = try await check.body(cache)
      } catch {
        observation = "an error was thrown: \(error)"
      }
      if let observation {
        broken.append(BrokenTokenCacheRule(rule: check.rule, observation: observation))
      }
    }
    return broken
  }

  private var checks: [ConformanceCheck] {
    var checks = ConformanceCheck.basics + ConformanceCheck.values + ConformanceCheck.together
    if let makeSecondInstance { checks += ConformanceCheck.sharing(makeSecondInstance) }
    if let makeUnreachableCache { checks.append(.failing(makeUnreachableCache)) }
    return checks
  }
}

/// The check of one rule: it receives a fresh cache and returns what is wrong with it, or `nil`.
struct ConformanceCheck: Sendable {
  let rule: TokenCacheRule
  let body: @Sendable (any TokenCache) async throws -> String?

  init(_ rule: TokenCacheRule, _ body: @escaping @Sendable (any TokenCache) async throws -> String?) {
    self.rule = rule
    self.body = body
  }

  /// The check of a rule for shared caches; others pass it.
  static func shared(
    _ rule: TokenCacheRule, _ body: @escaping @Sendable (any SharedTokenCache) async throws -> String?
  ) -> ConformanceCheck {
    ConformanceCheck(rule) { cache in
      guard let cache = cache as? any SharedTokenCache else { return nil }
      return try await body(cache)
    }
  }
}

/// A rule that every token cache has to keep.
public struct TokenCacheRule: RawRepresentable, Sendable, Hashable {
  /// The rule as a sentence.
  public let rawValue: String

  /// Creates a rule.
  ///
  /// - Parameter rawValue: The rule as a sentence.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// A second record replaces the first as a whole.
  public static let overwriting = TokenCacheRule(rawValue: "a record replaces the one before it as a whole")
  /// What was removed, or never stored, reads as `nil`.
  public static let removing = TokenCacheRule(
    rawValue: "what is not there reads as nil and can be removed; a removed record is gone, and only that one")
  /// The list of keys is right.
  public static let listing = TokenCacheRule(rawValue: "keys() lists the key of each record once and no other")
  /// Keys that differ in one byte are different, whatever characters they have and however long they are.
  public static let distinctKeys = TokenCacheRule(
    rawValue: "keys of any characters and length that differ at all have separate records")
  /// Every field of a record is kept.
  public static let everyField = TokenCacheRule(
    rawValue: "every field of a record is kept, dates to the millisecond, tokens of any length")
  /// Several callers at once do no harm.
  public static let concurrentUse = TokenCacheRule(rawValue: "callers at the same time never mix or lose records")
  /// Another instance over the same store sees the same.
  public static let sharing = TokenCacheRule(rawValue: "another instance over the same store sees every change")
  /// A failing store is an error and not an absence.
  public static let failing = TokenCacheRule(rawValue: "a store that cannot be reached is an error, not an empty cache")
  /// An update stores, replaces or removes what its change returns.
  public static let updating = TokenCacheRule(
    rawValue: "an update keeps and returns the record that its change returns")
  /// Nothing comes between an update's reading and its writing.
  public static let atomicUpdates = TokenCacheRule(rawValue: "updates of one record are atomic: none is lost")
  /// The refresh lock keeps others out.
  public static let refreshLock = TokenCacheRule(rawValue: "a refresh lock lets one caller in at a time")
  /// The refresh lock does not lock the record.
  public static let useInside = TokenCacheRule(
    rawValue: "a record can be read, stored, updated and removed while its refresh lock is held, by any caller")
  /// A waiter that is cancelled leaves the queue.
  public static let cancellation = TokenCacheRule(
    rawValue: "a caller that is cancelled while it waits for a refresh lock leaves, and its body does not run")
  /// The refresh lock ends with its body, however that ends.
  public static let release = TokenCacheRule(
    rawValue: "a refresh lock passes on what its body returns or throws, and ends with it")
}

/// A rule that a token cache breaks, with what was seen.
public struct BrokenTokenCacheRule: Sendable, Hashable, CustomStringConvertible {
  /// The rule.
  public let rule: TokenCacheRule
  /// The observation.
  public let observation: String

  /// The rule and what happened instead.
  public var description: String { "Broken: \(rule.rawValue). Seen: \(observation)" }
}
