import B2CConnector
import Foundation

/// Feeds every parser of outside data with input that grows, and compares the processor time.
struct GrowthProof: ProofCommand {
  static let name = "growth"
  static let summary = "every parser of outside data: eight times the input takes about eight times as long"

  private static let factor = 8
  private static let tries = 5
  private static let mark = "growth"

  static func run(_ options: ProofOptions) async throws -> Bool {
    var rows: [(parser: String, input: String, small: Double, growth: Double, isBroken: Bool)] = []
    for subject in try await GrowthSubject.all(isBroken: options.isBroken) {
      let small = try await seconds(subject, size: subject.smallSize)
      let growth = try await growth(subject, from: small)
      rows.append((subject.parser, subject.input, small, growth, growth > subject.bound))
    }
    let lines = rows.map { row in
      "| \(row.parser) | `\(row.input)` | \(String(format: "%.2f", row.small * 1_000)) ms | "
        + String(format: "%.1f", row.growth) + " times" + (row.isBroken ? " **BROKEN**" : "") + " |"
    }
    let table =
      "| parser | repeated input | 16 KiB (settings: 6) | eight times as much takes |\n|---|---|---|---|\n"
      + lines.joined(separator: "\n")
    print(table)
    if options.flags.contains("--write") {
      try MarkdownSection(file: try options.value(0, "the file")).replace(mark, with: table)
    }
    let broken = rows.filter(\.isBroken)
    for row in broken { print("BROKEN  \(row.parser), \(row.input): grows more than in proportion") }
    return broken.isEmpty
  }

  /// A busy machine stretches one measurement, hardly ever three: the smallest ratio counts.
  private static func growth(_ subject: GrowthSubject, from small: Double) async throws -> Double {
    var least = Double.infinity
    var small = small
    for _ in 0..<3 {
      least = min(least, try await seconds(subject, size: subject.smallSize * factor) / small)
      if least <= subject.bound { break }
      small = try await seconds(subject, size: subject.smallSize)
    }
    return least
  }

  /// The least processor time of several parses of an input of a size.
  private static func seconds(_ subject: GrowthSubject, size: Int) async throws -> Double {
    let parse = subject.prepare(size)
    var least = Double.infinity
    for _ in 0..<tries {
      var count = 0
      let start = clock()
      var spent = 0.0
      // So many parses that the clock's steps do not matter.
      repeat {
        try await parse()
        count += 1
        spent = Double(clock() - start) / Double(CLOCKS_PER_SEC)
      } while spent < 0.005
      least = min(least, spent / Double(count))
      if spent > 1 { break }
    }
    return least
  }
}
