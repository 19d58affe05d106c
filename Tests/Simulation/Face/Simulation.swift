import Foundation

/// The program: walks, scripts, and the check that a seed repeats itself.
struct Simulation {
  let options: Options

  /// Runs what was asked for; returns the exit status.
  func run() throws -> Int32 {
    let begin = realSeconds()
    // Lazy values of the libraries are made now, so that no seed has to make them.
    _ = Walk.spareKeys
    for seed in UInt64(1)...2 { try walk(seed) }
    if options.checksDeterminism { return try checkDeterminism() }
    if options.shrinks { return try shrink(options.seeds.lowerBound) }
    func line(_ text: String) { if options.traces { Self.trace(text) } }
    var report = Report()
    for script in scripts {
      for seed in options.seeds {
        let name = script.map { "\($0.name) --seed \(seed)" } ?? "seed \(seed)"
        report.add(try script.map { try play($0, seed, line) } ?? walk(seed, line), name: name)
        guard options.hunts, let fault = report.fault else { continue }
        print("FOUND\t\(name)\t\(report.runs)\t\(fault)")
        return 0
      }
    }
    print(report.text(realSeconds() - begin, unit: options.script == nil ? "seeds" : "runs"))
    return report.faults == 0 && !options.hunts ? 0 : 1
  }

  /// The scripts to play; `nil` for a walk.
  private var scripts: [Script?] {
    guard let name = options.script else { return [nil] }
    let scripts = Script.named(name, quarter: options.quarter)
    guard !scripts.isEmpty else {
      print("There is no script of this name.")
      exit(64)
    }
    return scripts
  }

  @discardableResult
  private func walk(
    _ seed: UInt64, skipping: Set<Int> = [], reduced: (inout Shape) -> Void = { _ in },
    _ line: @escaping (String) -> Void = { _ in }
  ) throws -> Ledger {
    machine.start(seed: seed)
    var shape = Shape(&machine.draw)
    reduced(&shape)
    return try play(shape, line) { try Walk($0).run(skipping: skipping) }
  }

  private func play(_ script: Script, _ seed: UInt64, _ line: @escaping (String) -> Void) throws -> Ledger {
    machine.start(seed: seed)
    return try play(script.shape, line) { world in
      try script.steps(Stage(world: world))
      try LastLook(world: world).look()
    }
  }

  private func play(_ shape: Shape, _ line: @escaping (String) -> Void, _ steps: (World) throws -> Void) throws
    -> Ledger
  {
    let world = try World(shape)
    world.onLine = line
    world.ledger.onFault = { kind, detail in world.note("FAULT \(kind): \(detail)") }
    world.note(shape.summary)
    try steps(world)
    world.ledger.onFault = { _, _ in }
    return world.ledger
  }

  private static func trace(_ line: String) { print(String(format: "%12.6f", machine.seconds), line) }

  /// Leaves out people, connectors and steps as long as a fault of the first kind stays; then prints the trace.
  private func shrink(_ seed: UInt64) throws -> Int32 {
    let whole = try walk(seed)
    guard let kind = whole.firstFault else {
      print("seed \(seed) is clean")
      return 0
    }
    var reductions: [(inout Shape) -> Void] = []
    var skipped: Set<Int> = []
    func again(_ line: @escaping (String) -> Void = { _ in }) throws -> Ledger {
      try walk(seed, skipping: skipped, reduced: { shape in reductions.forEach { $0(&shape) } }, line)
    }
    let candidates: [(inout Shape) -> Void] = [
      { $0.processes = 1 }, { $0.connectors = 1 }, { $0.connectors = min($0.connectors, 2) }, { $0.people = 1 },
      { $0.people = min($0.people, 2) }, { $0.clockSkew = 0 }, { $0.slowness = 0 }, { $0.distance = 20 },
    ]
    for candidate in candidates {
      reductions.append(candidate)
      if try again().faults[kind] == nil { reductions.removeLast() }
    }
    for _ in 0..<2 {
      for number in (0..<whole.plannedSteps).reversed() where !skipped.contains(number) {
        skipped.insert(number)
        if try again().faults[kind] == nil { skipped.remove(number) }
      }
    }
    print("seed \(seed), \(kind): \(whole.plannedSteps - skipped.count) of \(whole.plannedSteps) steps")
    var isShown = false
    _ = try again {
      // What comes after the fault explains nothing.
      if !isShown { Self.trace($0) }
      isShown = isShown || $0.hasPrefix("FAULT \(kind)")
    }
    return 1
  }

  private func checkDeterminism() throws -> Int32 {
    var different: [UInt64] = []
    for seed in options.seeds {
      try walk(seed)
      let (hash, jobs) = (machine.hash, machine.jobs)
      try walk(seed)
      if hash != machine.hash || jobs != machine.jobs { different.append(seed) }
    }
    print("\(options.seeds.count) seeds run twice, \(different.count) differ \(different.prefix(10))")
    return different.isEmpty ? 0 : 1
  }
}
