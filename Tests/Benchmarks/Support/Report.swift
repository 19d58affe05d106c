import Foundation

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
    let lines = [["row", "measured", "", "quartiles", "goal", ""]] + measurements.map { [$0.row] + $0.cells }
    let widths = (0..<6).map { column in lines.map { $0[column].count }.max() ?? 0 }
    for line in lines {
      let cells = zip(line, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
      print(cells.joined(separator: "  ").replacingOccurrences(of: " +$", with: "", options: .regularExpression))
    }
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
    let file = "Tests/Benchmarks/README.md"
    var document = try String(contentsOfFile: file, encoding: .utf8)
    let (begin, end) = ("<!-- benchmarks results: begin -->", "<!-- benchmarks results: end -->")
    guard let start = document.range(of: begin), let stop = document.range(of: end), start.upperBound < stop.lowerBound
    else { throw Failure("\(file) has no part between \(begin) and \(end)") }
    let text = (lines + [""] + meanings).joined(separator: "\n")
    document.replaceSubrange(start.upperBound..<stop.lowerBound, with: "\n\n\(text)\n\n")
    try document.write(toFile: file, atomically: false, encoding: .utf8)
  }

  /// A figure as it is shown.
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
