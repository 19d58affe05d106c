#if os(Linux)
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
          lines.append("  swift run simulation \(arguments)")
        }
      }
      lines.append("in danger")
      for invariant in Invariant.allCases {
        let count = dangers[invariant] ?? 0
        lines.append("  \(count)  \(invariant.rawValue)\(count == 0 ? "  (NEVER IN DANGER)" : "")")
      }
      lines.append("excused: " + Self.list(excused))
      lines.append("chaos: " + Self.list(chaos))
      lines.append(
        "\(calls) calls, \(jobs) jobs, \(Int(hours)) simulated hours, \(Int(seconds)) s, "
          + "\(Int(Double(max(steps, calls)) / max(seconds, 0.001))) calls or steps a second")
      lines.append("\(runs) \(unit), \(steps) steps, \(faults) faults")
      return lines.joined(separator: "\n")
    }

    /// The same for programs.
    func json(_ seconds: Double, processor: Double) -> String {
      let fields: [String: Any] = [
        "runs": runs, "steps": steps, "calls": calls, "jobs": jobs, "hours": hours, "seconds": seconds,
        "processorSeconds": processor,
        "faults": found.map {
          ["kind": $0.key, "runs": $0.value.runs, "first": $0.value.first, "detail": $0.value.detail]
        },
        "dangers": Dictionary(uniqueKeysWithValues: Invariant.allCases.map { ($0.rawValue, dangers[$0] ?? 0) }),
        "excused": excused, "chaos": chaos,
      ]
      let data = try? JSONSerialization.data(withJSONObject: fields, options: [.sortedKeys, .prettyPrinted])
      return String(decoding: data ?? Data(), as: UTF8.self)
    }

    private static func list(_ counts: [String: Int]) -> String {
      counts.isEmpty
        ? "nothing" : counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }
  }
#endif
