import Foundation
import TestSupport

/// A row of the goals table: one subject and its baseline.
struct Row: Sendable {
  /// The row's number in the goals table, for example `1b`.
  let number: String
  let title: String
  /// Whether it takes minutes, so that `--check` leaves it out.
  var takesMinutes = false
  let run: @Sendable (Context) async throws -> [Measurement]
}

struct Measurement: Encodable, Sendable {
  var row = ""
  var name: String
  var value: Double
  var unit: String
  var quartiles: [Double]?
  /// The most that is allowed; `nil` for a figure that is shown for information.
  var goal: Double?
  /// Whether the figure is a count, which is the same in every run.
  var isCount = false

  init(_ name: String, _ value: Double, _ unit: String, goal: Double? = nil) {
    self.name = name
    self.value = value
    self.unit = unit
    self.goal = goal
  }

  /// A count that is the same in every run; of requests, the goal is the one right number.
  init(count name: String, _ value: Double, _ unit: String, goal: Double) {
    self.init(name, value, unit, goal: goal)
    isCount = true
  }

  init(_ name: String, _ pairs: Pairs, goal: Double? = nil) {
    self.init(name, pairs.ratio.median, "x", goal: goal)
    quartiles = [pairs.ratio.lower, pairs.ratio.upper]
  }

  /// Whether the goal is the only good value, because no token request is as wrong as two.
  var isExact: Bool { isCount && unit == "requests" }

  /// Whether the goal is met; `nil` for a figure without a goal.
  var isMet: Bool? { goal.map { isExact ? value == $0 : value <= $0 } }

  /// Whether the figure is so far from its goal that noise cannot be the reason.
  var isBroken: Bool { goal.map { isCount ? isMet == false : value > 2 * $0 } ?? false }

  func of(_ row: Row) -> Measurement {
    var copy = self
    copy.row = row.number
    return copy
  }
}

struct Report {
  let measurements: [Measurement]

  func save(to file: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try encoder.encode(measurements).write(to: URL(fileURLWithPath: file))
  }

  func show() {
    var table = Table("row", "measured", "", "quartiles", "goal", "")
    for measurement in measurements { table.add([measurement.row] + measurement.cells) }
    table.show()
  }

  /// Writes the table, with its date and commit, into the README of the benchmarks.
  func write() throws {
    let commit = try Tool.run("git", "describe", "--always", "--dirty", "--exclude", "*")
    let date = Date().formatted(.iso8601.year().month().day())
    var lines = [
      "Measured on \(date) at commit \(commit).", "", "| row | measured | value | quartiles | goal | |",
      "|---|---|---|---|---|---|",
    ]
    for row in Benchmarks.rows {
      let own = measurements.filter { $0.row == row.number }
      guard !own.isEmpty else { continue }
      lines.append("| **\(row.number)** | **\(row.title)** | | | | |")
      lines += own.map { "| | " + $0.cells.joined(separator: " | ") + " |" }
    }
    try MarkdownPart(file: "Tests/Benchmarks/README.md")
      .replace("benchmarks results", with: lines.joined(separator: "\n"))
  }

  static func text(_ value: Double, _ unit: String) -> String {
    let counted = ["requests", "allocations", "records", "calls", "descriptors"].contains(unit)
    if counted, value == value.rounded() { return "\(Int(value)) \(value == 1 ? String(unit.dropLast()) : unit)" }
    if unit == "µs", value >= 10_000 { return text(value / 1_000, "ms") }
    let digits = abs(value) >= 100 ? 0 : abs(value) >= 10 ? 1 : 2
    return String(format: "%.\(digits)f", value) + " " + unit
  }
}

extension Measurement {
  fileprivate var cells: [String] {
    [
      name, Report.text(value, unit),
      quartiles?.map { String(format: "%.2f", $0) }.joined(separator: " – ") ?? "",
      goal.map { (isExact ? "exactly " : "at most ") + Report.text($0, unit) } ?? "",
      isMet.map { $0 ? "met" : "**missed**" } ?? "",
    ]
  }
}
