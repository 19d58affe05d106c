public import B2CTokenCache

/// A check of the rules that the SDK relies on in a token cache.
public enum TokenCacheConformance {
  /// Checks every rule, including those of a `SharedTokenCache` if the cache is one.
  ///
  /// A cache that deadlocks never returns, so give the test a time limit.
  ///
  /// ```swift
  /// @Test(.timeLimit(.minutes(1))) func myCacheKeepsTheRules() async throws {
  ///   let broken = try await TokenCacheConformance.brokenRules { MyTokenCache() }
  ///   #expect(broken.isEmpty, "\(broken)")
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - makeSecondInstance: Returns a second instance over the store of a cache, as another process would have. With
  ///     `nil`, the default, the rules about sharing, about waiting for a refresh lock and about a lock that cannot be
  ///     taken are not checked.
  ///   - makeUnreachableCache: Returns a cache whose store, including its refresh locks, cannot be reached. With `nil`,
  ///     the default, its rules are not checked.
  ///   - makeCache: Returns an empty cache. It is called once for each rule.
  /// - Returns: The broken rules, each with the evidence, or none if the cache is right.
  /// - Throws: The error of `makeCache` or `makeSecondInstance`, because without a cache there is nothing to check.
  public static func brokenRules<Cache: TokenCache>(
    makeSecondInstance: (@Sendable (Cache) async throws -> Cache)? = nil,
    makeUnreachableCache: (@Sendable () async throws -> Cache)? = nil,
    makeCache: @Sendable () async throws -> Cache
  ) async throws -> [String] {
    var broken: [String?] = []
    for check in ConformanceCheck.records + ConformanceCheck.callers + ConformanceCheck.shared {
      let cache = try await makeCache()
      broken.append(await check.problem(of: [cache, try await makeSecondInstance?(cache)].compactMap(\.self)))
    }
    // A cache that already throws when it is opened without its store has passed.
    if let cache = try? await makeUnreachableCache?() {
      broken.append(await ConformanceCheck.failing.problem(of: [cache]))
      // A cache that only one process refreshes, for example the keychain's, may have no refresh locks.
      if makeSecondInstance != nil { broken.append(await ConformanceCheck.failingLock.problem(of: [cache])) }
    }
    return broken.compactMap(\.self)
  }
}
