import B2CCore
import Foundation
import TestSupport

/// Cells that may end the process.
extension FaultCell {
  /// What a cell came to whose process the platform ended.
  static let processEnds = "process ends"

  /// Runs the cell in a child process.
  func runApart() throws -> Result {
    let start = ContinuousClock.now
    let child = try ChildProcess(
      ApartCell.self, [fault.name, operation.rawValue, times.map { "\($0)" } ?? "all"], keepsErrors: true)
    let output = child.readToEnd()
    let seconds = start.duration(to: .now) / .seconds(1)
    let lines = output.split(separator: "\n").map(String.init)
    if child.ending == 0, let outcome = lines.first {
      return Result(outcome: outcome, seconds: seconds, broken: Array(lines.dropFirst()))
    }
    guard ProofTransport.mayEndTheProcess, child.errors.contains("Transfer completed, but there's no response") else {
      return Result(outcome: Self.processEnds, seconds: seconds, broken: ["the process ended: \(child.ending)"])
    }
    return Result(outcome: Self.processEnds, seconds: seconds, broken: [])
  }
}

/// One cell, as a process of its own: the outcome, then a line for each promise that was broken.
struct ApartCell: ProofCommand {
  static let name = "fault-cell"
  static let summary = ""

  static func run(_ options: ProofOptions) async throws -> Bool {
    let name = try options.value(0, "the fault")
    let operationName = try options.value(1, "the operation")
    guard let fault = WireFault.all.first(where: { $0.name == name }),
      let operation = FaultOperation(rawValue: operationName)
    else { throw ProofError("no such cell: \(name) x \(operationName)") }
    let world = try await FaultWorld()
    let result = try await FaultCell(fault: fault, operation: operation, times: Int(try options.value(2, "the times")))
      .run(in: world)
    print(([result.outcome] + result.broken).joined(separator: "\n"))
    await world.stop()
    return true
  }
}
