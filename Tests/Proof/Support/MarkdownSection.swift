import Foundation

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
