import Foundation

/// The measurements of a run, shown as tables and kept as JSON.
struct Report {
  private let measurements: [Measurement]

  init(_ measurements: [Measurement], isQuick: Bool) {
    self.measurements = measurements.map { measurement in
      var copy = measurement
      copy.isQuick = isQuick ? true : nil
      copy.date = copy.date ?? Date().formatted(.iso8601.year().month().day())
      return copy
    }
  }

  /// Reads what earlier runs have kept.
  init(contentsOf file: String) throws {
    measurements = try JSONDecoder().decode([Measurement].self, from: Data(contentsOf: URL(fileURLWithPath: file)))
  }

  /// Writes a JSON file, in which the rows of this run replace the same rows of earlier runs.
  func merge(into file: String) throws {
    let earlier = (try? Report(contentsOf: file).measurements) ?? []
    let new = Set(measurements.map(\.row))
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let all = earlier.filter { !new.contains($0.row) } + measurements
    try encoder.encode(all).write(to: URL(fileURLWithPath: file))
  }

  /// Prints every measurement with its goal.
  func show() {
    var lines = [["row", "measured", "", "quartiles", "goal", ""]]
    for measurement in measurements {
      lines.append([
        measurement.row, measurement.name,
        Self.text(measurement.value, measurement.unit), Self.quartiles(measurement), Self.goal(measurement),
        Self.verdict(measurement),
      ])
    }
    let widths = (0..<6).map { column in lines.map { $0[column].count }.max() ?? 0 }
    for line in lines {
      let cells = zip(line, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
      print(cells.joined(separator: "  ").replacingOccurrences(of: " +$", with: "", options: .regularExpression))
    }
  }

  /// Writes the table into the README beside the benchmarks.
  func write() throws {
    let quick = Set(measurements.filter { $0.isQuick == true }.map(\.row)).sorted()
    guard quick.isEmpty else {
      throw Failure("the JSON file has figures of --quick (rows \(quick.joined(separator: ", "))): measure them again")
    }
    let file = "Tests/Benchmarks/README.md"
    let document = try String(contentsOfFile: file, encoding: .utf8)
    try Self.replacing("results", in: document, with: results).write(toFile: file, atomically: false, encoding: .utf8)
  }

  private func own(_ row: Row) -> [Measurement] {
    measurements.filter { $0.row == row.number }
  }

  private var results: String {
    var lines = ["| row | measured | value | quartiles | goal | |", "|---|---|---|---|---|---|"]
    for row in Benchmarks.rows where !own(row).isEmpty {
      let date = own(row).first?.date ?? ""
      lines.append("| **\(row.number)** | **\(row.title)** (\(row.meaning)) | | | | \(date) |")
      for measurement in own(row) {
        let remark = measurement.remark.map { ": \($0)" } ?? ""
        lines.append(
          "| | \(measurement.name)\(remark) | \(Self.text(measurement.value, measurement.unit)) | "
            + "\(Self.quartiles(measurement)) | \(Self.goal(measurement)) | \(Self.verdict(measurement)) |")
      }
    }
    return lines.joined(separator: "\n")
  }

  private static func replacing(_ name: String, in document: String, with text: String) throws -> String {
    let (begin, end) = ("<!-- benchmarks \(name): begin -->", "<!-- benchmarks \(name): end -->")
    guard let start = document.range(of: begin), let stop = document.range(of: end), start.upperBound < stop.lowerBound
    else { throw Failure("the document has no part between \(begin) and \(end)") }
    return String(document[..<start.upperBound] + "\n\n" + text + "\n\n" + document[stop.lowerBound...])
  }
}

extension Report {
  /// A figure as it is shown.
  static func text(_ value: Double, _ unit: String) -> String {
    let counted = ["requests", "allocations", "records", "descriptors"].contains(unit)
    if counted, value == value.rounded() { return "\(Int(value)) \(value == 1 ? String(unit.dropLast()) : unit)" }
    if unit == "µs", value >= 10_000 { return text(value / 1_000, "ms") }
    let digits = abs(value) >= 100 ? 0 : abs(value) >= 10 ? 1 : 2
    return String(format: "%.\(digits)f", value) + " " + unit
  }

  private static func quartiles(_ measurement: Measurement) -> String {
    guard let quartiles = measurement.quartiles else { return "" }
    return quartiles.map { String(format: "%.2f", $0) }.joined(separator: " – ")
  }

  private static func goal(_ measurement: Measurement) -> String {
    guard let goal = measurement.goal else { return "" }
    return (measurement.isExact ? "exactly " : "at most ") + text(goal, measurement.unit)
  }

  private static func verdict(_ measurement: Measurement) -> String {
    switch measurement.isMet {
    case nil: ""
    case true?: "met"
    case false?: "**missed**"
    }
  }
}
