import Foundation

/// Baseline and subject, measured in alternating batches: what disturbs the machine disturbs both.
struct Pairs: Sendable {
  enum Clock: Sendable {
    /// The time that a user waits.
    case wall
    /// The processor time of this process, for work that never waits: others on the machine stretch it less.
    case processor

    private static let start = ContinuousClock.now

    func now() -> Double {
      switch self {
      case .wall: Self.start.duration(to: .now) / .seconds(1)
      case .processor: Double(clock()) / Double(CLOCKS_PER_SEC)
      }
    }
  }

  struct Quartiles: Sendable {
    let lower: Double
    let median: Double
    let upper: Double

    init(_ values: [Double]) {
      let sorted = values.sorted()
      func at(_ share: Double) -> Double {
        guard let last = sorted.indices.last else { return .nan }
        let place = share * Double(last)
        let low = Int(place)
        return sorted[low] + (sorted[min(low + 1, last)] - sorted[low]) * (place - Double(low))
      }
      (lower, median, upper) = (at(0.25), at(0.5), at(0.75))
    }
  }

  let ratio: Quartiles
  /// Seconds for one run of the baseline.
  let baseline: Quartiles
  /// Seconds for one run of the subject.
  let subject: Quartiles

  /// Compares two bodies, each of which runs its work so many times.
  static func compare(
    _ context: Context, pairs: Int = 31, batch: Double = 0.010, by clock: Clock = .wall,
    baseline: (Int) async throws -> Void, subject: (Int) async throws -> Void
  ) async throws -> Pairs {
    let baselineCount = try await count(for: batch, clock, baseline)
    let subjectCount = try await count(for: batch, clock, subject)
    return try await compare(pairs: context.pairs(pairs)) {
      try await seconds(baselineCount, clock, baseline)
    } subject: {
      try await seconds(subjectCount, clock, subject)
    }
  }

  /// Compares two bodies that measure themselves, in seconds for one run.
  static func compare(
    pairs: Int, baseline: () async throws -> Double, subject: () async throws -> Double
  ) async throws -> Pairs {
    var (first, second, ratios): ([Double], [Double], [Double]) = ([], [], [])
    for number in 0..<pairs {
      // A B, B A: neither is always the first.
      var (a, b) = (0.0, 0.0)
      if number % 2 == 0 { a = try await baseline() }
      b = try await subject()
      if number % 2 == 1 { a = try await baseline() }
      first.append(a)
      second.append(b)
      ratios.append(b / a)
    }
    return Pairs(ratio: Quartiles(ratios), baseline: Quartiles(first), subject: Quartiles(second))
  }

  /// Seconds for one of so many runs.
  static func seconds(
    _ count: Int, _ clock: Clock = .wall, _ body: (Int) async throws -> Void
  ) async throws -> Double {
    let start = clock.now()
    try await body(count)
    return (clock.now() - start) / Double(count)
  }

  static func seconds(_ body: () async throws -> Void) async throws -> Double {
    try await seconds(1) { _ in try await body() }
  }

  /// Returns the number of runs that take at least so long.
  private static func count(
    for batch: Double, _ clock: Clock, _ body: (Int) async throws -> Void
  ) async throws -> Int {
    var count = 1
    while true {
      let time = try await seconds(count, clock, body) * Double(count)
      if time >= batch { return count }
      count = max(count + 1, min(count * 10, Int(Double(count) * batch * 1.2 / max(time, 1e-7))))
    }
  }
}
