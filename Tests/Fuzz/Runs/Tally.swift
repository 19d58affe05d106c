/// Counts of verdicts.
struct Tally: Codable {
  /// An input about which something has to be said.
  struct Case: Codable {
    var number: Int
    var reason: String
  }

  var accepted = 0
  var refused = 0
  var broken = 0
  var traps = 0
  /// Inputs that no child judged, because none could be started.
  var lost = 0
  /// The first few inputs that broke a promise or the process.
  var cases: [Case] = []
  var slowestSeconds = 0.0
  var slowestNumber = 0

  /// Counts one verdict.
  mutating func add(_ verdict: FuzzSubject.Verdict, number: Int, seconds: Double) {
    switch verdict {
    case .accepted: accepted += 1
    case .refused: refused += 1
    case .broken(let reason):
      broken += 1
      note(number, reason)
    }
    if seconds > slowestSeconds { (slowestSeconds, slowestNumber) = (seconds, number) }
  }

  /// Counts an input that ended its process.
  mutating func addTrap(number: Int, reason: String) {
    traps += 1
    note(number, reason)
  }

  /// Adds the counts of another range.
  mutating func add(_ other: Tally) {
    accepted += other.accepted
    refused += other.refused
    broken += other.broken
    traps += other.traps
    lost += other.lost
    cases = Array((cases + other.cases).prefix(10))
    if other.slowestSeconds > slowestSeconds {
      (slowestSeconds, slowestNumber) = (other.slowestSeconds, other.slowestNumber)
    }
  }

  private mutating func note(_ number: Int, _ reason: String) {
    if cases.count < 10 { cases.append(Case(number: number, reason: reason)) }
  }
}
