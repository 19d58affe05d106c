import Foundation

/// What all runs together have shown.
struct Report {
  private struct Found {
    var runs = 0
    var first: String
    var detail: String
  }

  private(set) var runs = 0
  private(set) var faults = 0
  private var steps = 0
  private var calls = 0
  private var jobs: UInt64 = 0
  private var hours = 0.0
  private var found: [String: Found] = [:]
  private var dangers: [Invariant: Int] = [:]
  private var excused: [String: Int] = [:]
  private var chaos: [String: Int] = [:]

  mutating func add(_ ledger: Ledger, name: String) {
    runs += 1
    steps += ledger.steps
    calls += ledger.calls
    jobs += machine.jobs
    hours += machine.seconds / 3600
    for (kind, detail) in ledger.faults {
      faults += 1
      found[kind, default: Found(first: name, detail: detail)].runs += 1
    }
    dangers.merge(ledger.dangers, uniquingKeysWith: +)
    excused.merge(ledger.excused, uniquingKeysWith: +)
    chaos.merge(ledger.chaos, uniquingKeysWith: +)
  }

  /// The first kind of fault that was found, by name.
  var fault: String? { found.keys.min() }

  /// The report for people; the last line is the summary.
  func text(_ seconds: Double, unit: String) -> String {
    var lines: [String] = []
    if !found.isEmpty {
      lines.append("faults (runs, first in, kind)")
      for (kind, fault) in found.sorted(by: { ($0.value.runs, $0.key) > ($1.value.runs, $1.key) }) {
        lines.append("  \(fault.runs)  \(fault.first)  \(kind): \(fault.detail)")
      }
      lines.append("to see them again")
      for first in Set(found.values.map(\.first)).sorted() {
        let arguments = first.hasPrefix("seed") ? "--\(first) --shrink" : "--script \(first) --trace"
        lines.append("  swift run\(Self.configuration) simulation \(arguments)")
      }
    }
    lines.append("in danger")
    for invariant in Invariant.allCases {
      let count = dangers[invariant] ?? 0
      lines.append("  \(count)  \(invariant.rawValue)\(count == 0 ? "  (NEVER IN DANGER)" : "")")
    }
    for (title, counts) in [("excused", excused), ("what happened", chaos)] {
      lines.append(title)
      lines += counts.sorted { $0.key < $1.key }.map { "  \($0.value)  \($0.key)" }
    }
    lines.append("\(calls) calls, \(jobs) jobs, \(Int(hours)) simulated hours, \(Int(seconds)) s")
    lines.append("\(runs) \(unit), \(steps) steps, \(faults) faults")
    return lines.joined(separator: "\n")
  }

  /// What a fault was found with: optimised code runs in another order.
  private static var configuration: String {
    #if DEBUG
      ""
    #else
      " -c release"
    #endif
  }
}
