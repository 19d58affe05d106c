public import B2CTokenCache

/// Checks whether a token cache does what the SDK relies on, and says in words what it does not.
///
/// ```swift
/// @Test func myCacheKeepsTheRules() async {
///   let broken = await TokenCacheConformance { MyTokenCache() }.brokenRules()
///   #expect(broken.isEmpty, "\(broken)")
/// }
/// ```
public struct TokenCacheConformance: Sendable {
  /// Makes an empty cache.
  public typealias Factory = @Sendable () async throws -> any TokenCache

  private let makeCache: Factory
  private let timeLimit: Duration
  private let clock: any Clock<Duration>

  /// Makes a second instance over the store of a cache, where there is such a thing; `nil` leaves the rule out.
  public var makeSecondInstance: (@Sendable (any TokenCache) async throws -> any TokenCache)?
  /// Makes a cache whose store cannot be reached, where there is such a thing; `nil` leaves the rule out.
  public var makeUnreachableCache: Factory?

  /// Prepares the suite.
  ///
  /// - Parameters:
  ///   - timeLimit: How long the check of one rule may take: it finds a deadlock. Raise it for a slow store.
  ///   - clock: The clock for it.
  ///   - makeCache: Makes an empty cache, a new one at each call.
  public init(
    timeLimit: Duration = .seconds(60), clock: any Clock<Duration> = ContinuousClock(), makeCache: @escaping Factory
  ) {
    self.timeLimit = timeLimit
    self.clock = clock
    self.makeCache = makeCache
  }

  /// Checks every rule.
  ///
  /// - Returns: The broken ones; none when the cache is sound.
  public func brokenRules() async -> [BrokenTokenCacheRule] {
    var broken: [BrokenTokenCacheRule] = []
    for check in checks {
      if let observation = await observe(check) {
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

  private func observe(_ check: ConformanceCheck) async -> String? {
    let clock = clock
    let timeLimit = timeLimit
    let makeCache = makeCache
    let answer = FirstAnswer<String?>()
    let work = Task {
      do {
        answer.give(try await check.body(try await makeCache()))
      } catch {
        answer.give("an error was thrown: \(error)")
      }
    }
    let timer = Task {
      try await clock.sleep(for: timeLimit)
      answer.give("not finished within the time limit of \(timeLimit): too slow, or deadlocked; see timeLimit")
    }
    let observation = await answer.value
    work.cancel()
    timer.cancel()
    return observation
  }
}
