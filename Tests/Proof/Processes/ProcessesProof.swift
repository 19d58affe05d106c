import B2CTokenCache
import Foundation

/// Lets processes share one folder and counts what they have done.
struct ProcessesProof: ProofCommand {
  static let name = "processes"
  static let summary = "8 processes x 500 read-modify-write rounds on shared and on own records"

  static let processes = 8

  /// The lines of the table; a part in a file of its own is one more line here.
  static let parts: [ProcessesPart] = [
    .additions("one record, shared by all", accounts: { _ in ["shared"] }),
    .additions("four records, shared by all", accounts: { _ in ["a", "b", "c", "d"] }),
    .additions("a record for each", accounts: { ["own-\($0)"] }),
    .additions("one record, under its refresh lock", "--refresh-lock", accounts: { _ in ["locked"] }),
    .refresh,
  ]

  static func run(_ options: ProofOptions) async throws -> Bool {
    var table = Table("\(processes) processes on", "counted", "expected", "found", "seconds", "")
    var isKept = true
    var notes: [String] = []
    for part in parts {
      let outcome = try await part.run(options)
      isKept = isKept && outcome.isKept
      notes += outcome.notes.map { "\(part.name): \($0)" }
      table.add(
        part.name, part.unit, "\(outcome.expected)", "\(outcome.found)",
        String(format: "%.2f", outcome.seconds), outcome.isKept ? "kept" : "BROKEN")
    }
    table.show()
    for note in notes.prefix(10) { print("BROKEN  \(note)") }
    return isKept
  }
}
