import B2CConnector
import B2CTestKit
import Foundation
import TestSupport

/// Every fault of a server meets every request of the package.
struct FaultsProof: ProofCommand {
  static let name = "faults"
  static let summary = "every server fault x every request: a typed error in time, nothing lost, nothing told"

  /// A call that takes longer counts as hanging.
  static let watchdog = Duration.seconds(20)
  /// The deadline, and the time that a busy machine may add.
  static let longestCell = FaultWorld.deadline / .seconds(1) + 15
  /// The memory that one large answer may take while it is refused, this program's own server included.
  private static let memoryBound = 8 << 20
  /// The memory that all cells together may leave behind.
  private static let leakBound = 64 << 20

  static func run(_ options: ProofOptions) async throws -> Bool {
    let start = ContinuousClock.now
    // It makes no difference whether a large answer comes once or each time.
    let cells = FaultCell.all.filter { !(options.isQuick && $0.times == 1 && $0.fault.isLarge) }
    var matrix = FaultMatrix()
    let together = cells.filter { !$0.fault.isLarge && !$0.fault.mayEndTheProcess }
    // Some cells run first, so that what is loaded once does not count as growth.
    try await matrix.run(Array(together.prefix(40)), atATime: 8)
    let before = ResidentMemory.current
    try await matrix.run(together, atATime: 8)
    let left = ResidentMemory.current - before
    _ = WireFault.bomb.count
    var peaks: [String: Int] = [:]
    for cell in cells where cell.fault.isLarge {
      ResidentMemory.resetPeak()
      let before = ResidentMemory.current
      try await matrix.run([cell], atATime: 1)
      peaks[cell.fault.name] = max(peaks[cell.fault.name] ?? 0, ResidentMemory.peak - before)
    }
    for cell in cells where cell.fault.mayEndTheProcess { matrix[cell] = try cell.runApart() }

    let tables = """
      The fault stays:

      \(matrix.markdown(WireFault.all, times: nil))

      The fault happens once, and the server then behaves:

      \(matrix.markdown(WireFault.all.filter { !$0.isRefusal && !$0.isLarge }, times: 1))
      """
    print(tables)
    if options.flags.contains("--write") {
      try MarkdownPart(file: try options.value(0, "the file")).replace("proof \(name)", with: tables)
    }
    var broken = cells.flatMap { cell in (matrix[cell]?.broken ?? ["not run"]).map { "\(cell.name): \($0)" } }
    if left > leakBound { broken.append("\(left >> 20) MB are left behind; the bound is \(leakBound >> 20) MB") }
    for (fault, peak) in peaks.sorted(by: { $0.key < $1.key }) where peak > memoryBound {
      broken.append("\(fault) takes \(peak >> 20) MB; the bound is \(memoryBound >> 20) MB")
    }
    let large = peaks.map { "\($0.value >> 20) MB during \($0.key)" }.sorted().joined(separator: ", ")
    print(
      """

      \(ProofTransport.name): \(cells.count) cells in \(Int(start.duration(to: .now) / .seconds(1))) s; the slowest \
      took \(String(format: "%.2f", cells.compactMap { matrix[$0]?.seconds }.max() ?? 0)) s (bound \(longestCell) s).
      Processes ended by the platform's URLSession: \(cells.count { matrix[$0]?.outcome == FaultCell.processEnds }) \
      (swift-corelibs-foundation issue 5285).
      Memory: \(left >> 20) MB more after all cells (bound \(leakBound >> 20) MB), \
      at most \(large) (bound \(memoryBound >> 20) MB).
      """)
    for line in broken { print("BROKEN  \(line)") }
    return broken.isEmpty
  }
}

/// The results of cells, several of which run at the same time.
struct FaultMatrix: Sendable {
  private var results: [String: FaultCell.Result] = [:]

  subscript(cell: FaultCell) -> FaultCell.Result? {
    get { results[cell.name] }
    set { results[cell.name] = newValue }
  }

  mutating func run(_ cells: [FaultCell], atATime width: Int) async throws {
    let queue = Locked(cells[...])
    let parts = try await simultaneously(width) { _ in
      var results: [String: FaultCell.Result] = [:]
      while let cell = queue.withLock({ $0.popFirst() }) { results[cell.name] = try await cell.run() }
      return results
    }
    for part in parts { results.merge(part) { $1 } }
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
        guard let result = self[FaultCell(fault: fault, operation: operation, times: times)] else { return "" }
        return result.broken.isEmpty ? result.outcome : "**BROKEN** \(result.outcome)"
      }
      lines.append("| \(fault.name) | " + cells.joined(separator: " | ") + " |")
    }
    return lines.joined(separator: "\n")
  }
}

/// A cell of the matrix: a fault meets an operation, and every promise is checked.
struct FaultCell: Sendable {
  struct Result: Sendable {
    var outcome: String
    var seconds: Double
    var broken: [String]
  }

  let fault: WireFault
  let operation: FaultOperation
  /// The number of requests that it happens to, or `nil` for all.
  let times: Int?

  /// Every cell but those of a port that is closed once, because it stays closed for the next try.
  static let all = [nil, 1].flatMap { times in
    WireFault.all.filter { times == nil || !$0.isRefusal }.flatMap { fault in
      FaultOperation.allCases.map { FaultCell(fault: fault, operation: $0, times: times) }
    }
  }

  var name: String { "\(fault.name) x \(operation.rawValue)\(times == nil ? "" : ", once")" }

  /// The documented code.
  private var expected: String {
    guard times != nil else { return fault.expected[operation] }
    switch fault.recovery {
    case .retry where operation.isRepeated, .retryOfAnything where operation.isRepeated || operation == .add:
      return "value"
    case .newToken where operation.isOfTaskAPI: return "value"
    default: return fault.expected[operation]
    }
  }

  /// A sign-in asks for keys while the page is open, and again when that has failed by the time they are needed.
  private var accepted: Set<String> { operation == .keys && times != nil ? [expected, "value"] : [expected] }

  func run() async throws -> Result {
    let world = try await FaultWorld()
    let scene = try await FaultScene(world)
    let front = operation.isOfTaskAPI ? world.taskFront : world.tenantFront
    let elsewhere = try world.elsewhere
    let arm: @Sendable () async -> Void = {
      await front.arm(fault, on: operation.target, times: times, other: elsewhere)
    }
    if operation == .code { scene.whenLeft.withLock { $0 = arm } } else { await arm() }
    let start = ContinuousClock.now
    let ending = await Watchdog.run(FaultsProof.watchdog) { await scene.run(operation) }
    var result = Result(outcome: ending?.outcome ?? "HANG", seconds: start.duration(to: .now) / .seconds(1), broken: [])
    if front.hits == 0, !fault.isRefusal { result.broken.append("the fault did not happen") }
    if let ending {
      try await front.disarm()
      result.broken += await scene.promises(after: ending, operation, endsSession: fault.endsSession)
      if !accepted.contains(result.outcome) { result.broken.append("\(result.outcome) instead of \(expected)") }
      if result.seconds > FaultsProof.longestCell { result.broken.append("took \(result.seconds) s") }
    } else {
      result.broken.append("does not come back")
    }
    await world.stop()
    return result
  }
}

extension FaultCell {
  /// The outcome of a cell whose process the platform ended.
  static let processEnds = "process ends"

  func runApart() throws -> Result {
    let start = ContinuousClock.now
    let child = try ChildProcess(ApartCell.self, [name], keepsErrors: true)
    var lines = child.readToEnd().split(separator: "\n").map(String.init)
    let seconds = start.duration(to: .now) / .seconds(1)
    if child.ending == 0, !lines.isEmpty {
      return Result(outcome: lines.removeFirst(), seconds: seconds, broken: lines)
    }
    let isOfPlatform =
      ProofTransport.mayEndTheProcess && child.errors.contains("Transfer completed, but there's no response")
    return Result(
      outcome: Self.processEnds, seconds: seconds, broken: isOfPlatform ? [] : ["the process ended: \(child.ending)"])
  }
}

/// A cell in a process of its own, which prints the outcome and a line for each promise that was broken.
struct ApartCell: ProofCommand {
  static let name = "fault-cell"

  static func run(_ options: ProofOptions) async throws -> Bool {
    let name = try options.value(0, "the cell")
    let result = try await require(FaultCell.all.first { $0.name == name }).run()
    print(([result.outcome] + result.broken).joined(separator: "\n"))
    return true
  }
}
