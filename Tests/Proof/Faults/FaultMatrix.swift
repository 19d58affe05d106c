import B2CCore
import Foundation

/// Runs cells, several at a time, and keeps what came of them.
struct FaultMatrix: Sendable {
  private(set) var results: [String: FaultCell.Result] = [:]

  /// Runs cells in as many worlds as are given.
  mutating func run(_ cells: [FaultCell], in worlds: [FaultWorld]) async throws {
    let queue = Locked(cells[...])
    try await withThrowingTaskGroup(of: [String: FaultCell.Result].self) { group in
      for world in worlds {
        group.addTask {
          var results: [String: FaultCell.Result] = [:]
          while let cell = queue.withLock({ $0.popFirst() }) {
            results[Self.key(cell)] = try await cell.run(in: world)
          }
          return results
        }
      }
      for try await part in group { results.merge(part) { _, new in new } }
    }
  }

  /// Runs cells one by one, each in a process of its own.
  mutating func runApart(_ cells: [FaultCell]) throws {
    for cell in cells { results[Self.key(cell)] = try cell.runApart() }
  }

  func result(_ cell: FaultCell) -> FaultCell.Result? { results[Self.key(cell)] }

  /// Everything that was broken, a line for each.
  func broken(_ cells: [FaultCell]) -> [String] {
    cells.flatMap { cell in
      (result(cell)?.broken ?? ["not run"]).map {
        "\(cell.fault.name) x \(cell.operation.rawValue)\(cell.times == nil ? "" : ", once"): \($0)"
      }
    }
  }

  /// A Markdown table: rows are faults, columns operations.
  func markdown(_ faults: [WireFault], times: Int?) -> String {
    let operations = FaultOperation.allCases
    var lines = [
      "| fault | " + operations.map(\.rawValue).joined(separator: " | ") + " |",
      "|---|" + operations.map { _ in "---" }.joined(separator: "|") + "|",
    ]
    for fault in faults {
      let cells = operations.map { operation in
        let cell = FaultCell(fault: fault, operation: operation, times: times)
        guard let result = result(cell) else { return "" }
        return result.broken.isEmpty ? result.outcome : "**BROKEN** \(result.outcome)"
      }
      lines.append("| \(fault.name) | " + cells.joined(separator: " | ") + " |")
    }
    return lines.joined(separator: "\n")
  }

  private static func key(_ cell: FaultCell) -> String {
    "\(cell.fault.name)/\(cell.operation.rawValue)/\(cell.times ?? 0)"
  }
}
