import Foundation

/// How many cancelled calls ended how.
struct CancelCount: Sendable {
  private var counts: [CancelScene.Call: [String: Int]] = [:]
  private(set) var hangs = 0
  /// How long the cancelled calls took to come back, in seconds.
  private var returns: [Double] = []
  private(set) var untyped: [String] = []

  mutating func note(_ call: CancelScene.Call, _ ending: CancelScene.Ending) {
    if ending.outcome != "value" { returns.append(ending.seconds) }
    let outcome = ending.outcome ?? "HANG"
    if ending.outcome == nil { hangs += 1 }
    if outcome.hasPrefix("untyped") { untyped.append(outcome) }
    counts[call, default: [:]][outcome, default: 0] += 1
  }

  mutating func add(_ other: CancelCount) {
    counts.merge(other.counts) { $0.merging($1, uniquingKeysWith: +) }
    hangs += other.hangs
    returns += other.returns
    untyped += other.untyped
  }

  /// The time that this part of the cancelled calls came back within, in milliseconds.
  func milliseconds(of part: Double) -> String {
    guard !returns.isEmpty else { return "0" }
    let index = min(returns.count - 1, Int(Double(returns.count) * part))
    return String(format: "%.1f", returns.sorted()[index] * 1_000)
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
