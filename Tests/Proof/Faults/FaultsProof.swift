import B2CConnector
import Foundation

/// Every fault of a server meets every request of the package.
struct FaultsProof: ProofCommand {
  static let name = "faults"
  static let summary = "every server fault x every request: a typed error in time, nothing lost, nothing told"

  /// A call that is not back by then hangs.
  static let watchdog = Duration.seconds(20)
  /// The deadline, and what a busy machine may add.
  static let longestCell = FaultWorld.deadline / .seconds(1) + 3
  /// What one large answer may add to the process while it is refused, this program's own server included.
  static let memoryBound = 8 << 20
  /// What all cells together may leave behind.
  static let leakBound = 64 << 20
  private static let mark = "faults"

  static func run(_ options: ProofOptions) async throws -> Bool {
    let start = ContinuousClock.now
    var worlds: [FaultWorld] = []
    for _ in 0..<8 {
      worlds.append(
        try await FaultWorld(transport: options.isBroken ? CarelessTransport() : ProofTransport.make()))
    }
    // Redirects are enough to find the broken transport by; the short form leaves it at that.
    let faults = WireFault.all.filter {
      !options.isBroken || !($0.isLarge || $0.mayEndTheProcess || options.isQuick && !$0.isRedirect)
    }
    // A large answer that comes once is no different, and a broken transport need not fail twice.
    let cells = (options.isBroken ? [nil] : [nil, 1]).flatMap { times in
      faults.filter { !(options.isQuick && times == 1 && $0.isLarge) }.flatMap { fault in
        FaultOperation.allCases.map { FaultCell(fault: fault, operation: $0, times: times) }
      }
    }.filter(\.isMeaningful)
    var matrix = FaultMatrix()
    let together = cells.filter { !$0.fault.isLarge && !$0.fault.mayEndTheProcess }
    // One of each first, so that what is loaded once does not count as growth.
    try await matrix.run(Array(together.prefix(40)), in: worlds)
    let before = ResidentMemory.current
    try await matrix.run(together, in: worlds)
    let left = ResidentMemory.current - before
    let peaks = try await runLarge(cells.filter(\.fault.isLarge), &matrix, worlds[0])
    try matrix.runApart(cells.filter(\.fault.mayEndTheProcess))
    for world in worlds { await world.stop() }

    let tables = self.tables(matrix, faults)
    print(tables)
    if let index = options.flags.contains("--write") ? 0 : nil {
      try MarkdownSection(file: try options.value(index, "the file")).replace(mark, with: tables)
    }
    var broken = matrix.broken(cells)
    if left > leakBound { broken.append("\(left >> 20) MB are left behind; the bound is \(leakBound >> 20) MB") }
    for (fault, peak) in peaks.sorted(by: { $0.key < $1.key }) where peak > memoryBound {
      broken.append("\(fault) takes \(peak >> 20) MB; the bound is \(memoryBound >> 20) MB")
    }
    let ended = cells.count { matrix.result($0)?.outcome == FaultCell.processEnds }
    let large = peaks.map { "\($0.value >> 20) MB during \($0.key)" }.sorted().joined(separator: ", ")
    let slowest = cells.compactMap { cell in matrix.result(cell).map { ($0.seconds, cell) } }.max { $0.0 < $1.0 }
    print(
      """

      \(ProofTransport.name): \(cells.count) cells in \
      \(String(format: "%.0f", start.duration(to: .now) / .seconds(1))) s; the slowest took \(String(format: "%.2f", slowest?.0 ?? 0)) s (bound \(longestCell) s).
      Processes ended by the platform's URLSession: \(ended) (swift-corelibs-foundation issue 5285).
      Requests at the other origin: \(worlds.map(\.other.requestCount).reduce(0, +)).
      Memory: \(left >> 20) MB more after all cells (bound \(leakBound >> 20) MB), \
      at most \(large) (bound \(memoryBound >> 20) MB).
      """)
    for line in broken { print("BROKEN  \(line)") }
    return broken.isEmpty
  }

  /// Runs cells one by one, and returns the most that a cell of each fault added to the memory in use.
  private static func runLarge(
    _ cells: [FaultCell], _ matrix: inout FaultMatrix, _ world: FaultWorld
  ) async throws -> [String: Int] {
    _ = WireFault.bomb.count
    var peaks: [String: Int] = [:]
    for cell in cells {
      ResidentMemory.resetPeak()
      let before = ResidentMemory.current
      try await matrix.run([cell], in: [world])
      peaks[cell.fault.name] = max(peaks[cell.fault.name] ?? 0, ResidentMemory.peak - before)
    }
    return peaks
  }

  private static func tables(_ matrix: FaultMatrix, _ faults: [WireFault]) -> String {
    """
    The fault stays:

    \(matrix.markdown(faults, times: nil))

    The fault happens once, and the server then behaves:

    \(matrix.markdown(faults.filter { !$0.isRefusal && !$0.isLarge }, times: 1))
    """
  }
}
