import Foundation
import TestSupport

/// The measurements of a run, shown as a table and kept as JSON.
struct Report {
  let measurements: [Measurement]

  /// Writes a JSON file.
  func save(to file: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try encoder.encode(measurements).write(to: URL(fileURLWithPath: file))
  }

  /// Prints every measurement with its goal.
  func show() {
    var table = Table("row", "measured", "", "quartiles", "goal", "")
    for measurement in measurements { table.add([measurement.row] + measurement.cells) }
    table.show()
  }

  /// Writes the table, its date and commit, and what each of its rows means into the README of the benchmarks.
  func write() throws {
    let commit = try Tool.run("git", "describe", "--always", "--dirty", "--exclude", "*")
    let date = Date().formatted(.iso8601.year().month().day())
    var lines = [
      "Measured on \(date) at commit \(commit).", "", "| row | measured | value | quartiles | goal | |",
      "|---|---|---|---|---|---|",
    ]
    var meanings: [String] = []
    for row in Benchmarks.rows {
      let own = measurements.filter { $0.row == row.number }
      guard !own.isEmpty else { continue }
      lines.append("| **\(row.number)** | **\(row.title)** | | | | |")
      lines += own.map { "| | " + $0.cells.joined(separator: " | ") + " |" }
      meanings.append("- **Row \(row.number)**. \(row.meaning)")
    }
    try MarkdownPart(file: "Tests/Benchmarks/README.md")
      .replace("benchmarks results", with: (lines + [""] + meanings).joined(separator: "\n"))
  }

  /// Returns a figure as text.
  static func text(_ value: Double, _ unit: String) -> String {
    let counted = ["requests", "allocations", "records", "calls", "descriptors"].contains(unit)
    if counted, value == value.rounded() { return "\(Int(value)) \(value == 1 ? String(unit.dropLast()) : unit)" }
    if unit == "µs", value >= 10_000 { return text(value / 1_000, "ms") }
    let digits = abs(value) >= 100 ? 0 : abs(value) >= 10 ? 1 : 2
    return String(format: "%.\(digits)f", value) + " " + unit
  }
}

extension Measurement {
  /// The cells of its line, without the row: name, value, quartiles, goal and verdict.
  fileprivate var cells: [String] {
    [
      name, Report.text(value, unit),
      quartiles?.map { String(format: "%.2f", $0) }.joined(separator: " – ") ?? "",
      goal.map { (isExact ? "exactly " : "at most ") + Report.text($0, unit) } ?? "",
      isMet.map { $0 ? "met" : "**missed**" } ?? "",
    ]
  }
}
