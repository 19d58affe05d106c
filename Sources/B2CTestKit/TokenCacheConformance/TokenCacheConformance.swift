internal import B2CCore
public import B2CTokenCache

/// Checks whether a token cache does what the SDK relies on, and describes each rule that it breaks.
///
/// ```swift
/// @Test func myCacheKeepsTheRules() async {
///   let broken = await TokenCacheConformance { MyTokenCache() }.brokenRules()
///   #expect(broken.isEmpty, "\(broken)")
/// }
/// ```
public struct TokenCacheConformance: Sendable {
  /// Creates an empty cache.
  public typealias Factory = @Sendable () async throws -> any TokenCache

  private let makeCache: Factory
  private let timeLimit: Duration
  private let clock: any Clock<Duration>

  /// Creates a second instance over the store of a cache; `nil` leaves the rules on sharing out.
  public var makeSecondInstance: (@Sendable (any TokenCache) async throws -> any TokenCache)?
  /// Creates a cache whose store cannot be reached; `nil` leaves the rule out.
  public var makeUnreachableCache: Factory?

  /// Creates the suite.
  ///
  /// - Parameters:
  ///   - timeLimit: How long the check of one rule may take: it finds a deadlock. Raise it for a slow store.
  ///   - clock: The clock for it.
  ///   - makeCache: Creates an empty cache, a new one at each call.
  public init(
    timeLimit: Duration = .seconds(60), clock: any Clock<Duration> = ContinuousClock(), makeCache: @escaping Factory
  ) {
    self.timeLimit = timeLimit
    self.clock = clock
    self.makeCache = makeCache
  }

  /// Checks every rule.
  ///
  /// - Returns: The broken rules; none when the cache is right.
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

/// A value that is set once; later ones are dropped.
///
/// A cache that hangs cannot be waited for, so the suite goes on without it.
private final class FirstAnswer<Value: Sendable>: Sendable {
  private enum State {
    case open
    case awaited(CheckedContinuation<Value, Never>)
    case given(Value)
    case done
  }

  private let state = Locked(State.open)

  /// Waits for the first value; to be called once.
  var value: Value {
    get async {
      await withCheckedContinuation { continuation in
        let value: Value? = state.withLock { state in
          if case .given(let value) = state {
            state = .done
            return value
          }
          state = .awaited(continuation)
          return nil
        }
        if let value { continuation.resume(returning: value) }
      }
    }
  }

  func give(_ value: Value) {
    let waiting: CheckedContinuation<Value, Never>? = state.withLock { state in
      switch state {
      case .open:
        state = .given(value)
        return nil
      case .awaited(let continuation):
        state = .done
        return continuation
      case .given, .done:
        return nil
      }
    }
    waiting?.resume(returning: value)
  }
}
