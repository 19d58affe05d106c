public import B2CTokenCache

/// Checks whether a token cache does what the SDK relies on.
public enum TokenCacheConformance {
  /// Checks every rule, those of a `SharedTokenCache` included where the cache is one.
  ///
  /// A cache that deadlocks is found by the time limit of the test.
  ///
  /// ```swift
  /// @Test(.timeLimit(.minutes(1))) func myCacheKeepsTheRules() async throws {
  ///   let broken = try await TokenCacheConformance.brokenRules { MyTokenCache() }
  ///   #expect(broken.isEmpty, "\(broken)")
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - makeSecondInstance: Makes a second instance over the store of a cache, as another process does; `nil` leaves the
  ///     rules on sharing and on waiting for a refresh lock out.
  ///   - makeUnreachableCache: Makes a cache whose store cannot be reached; `nil` leaves the rule out.
  ///   - makeCache: Makes an empty cache, for each rule one.
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
    // A cache that cannot be opened without its store reports the failure even earlier.
    if let cache = try? await makeUnreachableCache?() {
      broken.append(await ConformanceCheck.failing.problem(of: [cache]))
    }
    return broken.compactMap(\.self)
  }
}
