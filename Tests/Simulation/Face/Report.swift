import Foundation

/// What all runs together have shown.
struct Report {
  private struct Found {
    var runs = 0
    var first: String
    var detail: String
  }

  private(set) var runs = 0
  private(set) var steps = 0
  private(set) var calls = 0
  private(set) var faults = 0
  private var jobs: UInt64 = 0
  private var hours = 0.0
  private var found: [String: Found] = [:]
  private var dangers: [Invariant: Int] = [:]
  private var excused: [String: Int] = [:]
  private var chaos: [String: Int] = [:]
  private var network: [String: [String: Int]] = [:]
  /// The arguments that all runs had in common, for the command that repeats one.
  private let arguments: String

  init(_ options: Options) {
    let kinds = options.without.sorted().joined(separator: ",")
    arguments = kinds.isEmpty ? "" : " --without " + (kinds.contains(" ") ? "\"\(kinds)\"" : kinds)
  }

  mutating func add(_ ledger: Ledger, name: String) {
    runs += 1
    steps += ledger.steps
    calls += ledger.calls
    jobs += machine.jobs
    hours += machine.seconds / 3600
    for (kind, fault) in ledger.faults {
      faults += 1
      found[kind, default: Found(first: name, detail: fault.detail)].runs += 1
    }
    dangers.merge(ledger.dangers, uniquingKeysWith: +)
    excused.merge(ledger.excused, uniquingKeysWith: +)
    chaos.merge(ledger.chaos, uniquingKeysWith: +)
    network.merge(ledger.network) { $0.merging($1, uniquingKeysWith: +) }
  }

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
        lines.append("  swift run\(Self.configuration) simulation \(arguments)\(self.arguments)")
      }
    }
    lines.append("in danger")
    for invariant in Invariant.allCases {
      let count = dangers[invariant] ?? 0
      lines.append("  \(count)  \(invariant.rawValue)\(count == 0 ? "  (NEVER IN DANGER)" : "")")
    }
    lines.append("excused: " + Self.list(excused))
    lines.append("what happened to apps, stores and servers")
    lines += Self.table(chaos.mapValues { ["": $0] })
    lines.append("what happened to requests")
    lines += Self.table(network)
    lines.append(
      "\(calls) calls, \(jobs) jobs, \(Int(hours)) simulated hours, \(Int(seconds)) s, "
        + "\(Int(Double(max(steps, calls)) / max(seconds, 0.001))) calls or steps a second")
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

  /// One line for each kind: the whole, then its parts.
  private static func table(_ counts: [String: [String: Int]]) -> [String] {
    counts.sorted { $0.key < $1.key }.map { kind, parts in
      let whole = parts.values.reduce(0, +)
      return "  \(whole)  \(kind)" + (parts.count == 1 && parts[""] != nil ? "" : " (\(list(parts)))")
    }
  }

  private static func list(_ counts: [String: Int]) -> String {
    counts.isEmpty
      ? "nothing" : counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
  }
}
