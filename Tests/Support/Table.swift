internal import Foundation

/// Rows under headings, in columns as wide as their widest cell.
package struct Table {
  private var rows: [[String]]

  package init(_ headings: String...) { rows = [headings] }

  package mutating func add(_ cells: String...) { rows.append(cells) }
  package mutating func add(_ cells: [String]) { rows.append(cells) }

  /// Prints the table, with a line under the headings.
  package func show() {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
    for (number, row) in rows.enumerated() {
      let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
      print(cells.joined(separator: "  ").replacingOccurrences(of: " +$", with: "", options: .regularExpression))
      if number == 0 { print(widths.map { String(repeating: "-", count: $0) }.joined(separator: "  ")) }
    }
  }
}

/// A part of a document that a program writes, between two comments.
package struct MarkdownPart {
  private let file: String

  package init(file: String) { self.file = file }

  /// Replaces the text between the comments of a name.
  package func replace(_ name: String, with text: String) throws {
    let (begin, end) = ("<!-- \(name): begin -->", "<!-- \(name): end -->")
    let document = try String(contentsOfFile: file, encoding: .utf8)
    guard let start = document.range(of: begin), let stop = document.range(of: end), start.upperBound < stop.lowerBound
    else { throw Failure("\(file) has no part between \(begin) and \(end)") }
    let new = document[..<start.upperBound] + "\n\n" + text + "\n\n" + document[stop.lowerBound...]
    try String(new).write(toFile: file, atomically: false, encoding: .utf8)
  }
}
