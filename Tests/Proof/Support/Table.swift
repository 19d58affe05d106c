import Foundation

/// Rows under headings, in columns as wide as their widest cell.
struct Table {
  private var rows: [[String]]

  init(_ headings: String...) {
    rows = [headings]
  }

  mutating func add(_ cells: String...) {
    rows.append(cells)
  }

  /// Prints the table, with a line under the headings.
  func show() {
    let widths = rows.reduce(into: [Int]()) { widths, row in
      for (column, cell) in row.enumerated() {
        if column == widths.count { widths.append(0) }
        widths[column] = max(widths[column], cell.count)
      }
    }
    for (number, row) in rows.enumerated() {
      let cells = zip(row, widths).map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) }
      print(cells.joined(separator: "  ").replacingOccurrences(of: " +$", with: "", options: .regularExpression))
      if number == 0 { print(widths.map { String(repeating: "-", count: $0) }.joined(separator: "  ")) }
    }
  }
}

/// A part of a document that a program writes, between two comments.
struct MarkdownSection {
  let file: String

  /// Replaces what is between the comments of a name.
  func replace(_ name: String, with text: String) throws {
    let begin = "<!-- proof \(name): begin -->"
    let end = "<!-- proof \(name): end -->"
    let document = try String(contentsOfFile: file, encoding: .utf8)
    guard let start = document.range(of: begin), let stop = document.range(of: end), start.upperBound < stop.lowerBound
    else { throw ProofError("\(file) has no part between \(begin) and \(end)") }
    let new = document[..<start.upperBound] + "\n\n" + text + "\n\n" + document[stop.lowerBound...]
    try String(new).write(toFile: file, atomically: false, encoding: .utf8)
  }
}
