/// How many cancelled calls ended how.
struct CancelCount: Sendable {
  private var counts: [CancelScene.Call: [String: Int]] = [:]
  private(set) var hangs = 0
  private(set) var slowest = 0.0
  private(set) var untyped: [String] = []

  mutating func note(_ call: CancelScene.Call, _ ending: CancelScene.Ending) {
    slowest = max(slowest, ending.seconds)
    let outcome = ending.outcome ?? "HANG"
    if ending.outcome == nil { hangs += 1 }
    if outcome.hasPrefix("untyped") { untyped.append(outcome) }
    counts[call, default: [:]][outcome, default: 0] += 1
  }

  mutating func add(_ other: CancelCount) {
    counts.merge(other.counts) { $0.merging($1, uniquingKeysWith: +) }
    hangs += other.hangs
    slowest = max(slowest, other.slowest)
    untyped += other.untyped
  }

  /// Prints the table.
  func show() {
    var table = Table("call", "outcome", "times")
    for call in CancelScene.Call.allCases {
      for (outcome, count) in (counts[call] ?? [:]).sorted(by: { $0.key < $1.key }) {
        table.add(call.rawValue, outcome, "\(count)")
      }
    }
    table.show()
  }
}
