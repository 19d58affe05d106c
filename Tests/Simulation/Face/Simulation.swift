import Foundation

/// The program: walks, scripts, and the check that a seed repeats itself.
struct Simulation {
  let options: Options
  private var report: Report
  private let begin = realSeconds()

  init(_ options: Options) {
    self.options = options
    report = Report(options)
  }

  private var seconds: Double { realSeconds() - begin }

  /// Runs what was asked for; returns the exit status.
  mutating func run() throws -> Int32 {
    // Lazy values of the libraries are made now, so that no seed has to make them.
    _ = SpareKeys.all
    for seed in UInt64(1)...2 { try walk(seed) { _ in } }
    report = Report(options)
    if options.checksDeterminism { return try checkDeterminism() }
    if options.hunts { return try hunt() }
    if options.shrinks { return try shrink(options.seeds.lowerBound) }
    if let name = options.script {
      try runScripts(named: name)
    } else {
      for seed in options.seeds { report.add(try walk(seed, line), name: "seed \(seed)") }
    }
    print(report.text(seconds, unit: options.script == nil ? "seeds" : "runs"))
    return report.faults == 0 ? 0 : 1
  }

  private var line: (String) -> Void {
    options.traces ? { print(String(format: "%12.6f", machine.seconds), $0) } : { _ in }
  }

  @discardableResult
  func walk(
    _ seed: UInt64, skipping: Set<Int> = [], reduced: (inout Shape) -> Void = { _ in },
    _ line: @escaping (String) -> Void
  ) throws -> Ledger {
    machine.start(seed: seed)
    var shape = Shape(&machine.draw, without: options.without)
    reduced(&shape)
    return try play(shape, line) { world in
      let walk = Walk(world, without: options.without)
      world.ledger.plannedSteps = walk.steps.count
      try walk.run(skipping: skipping)
    }
  }

  private func play(_ shape: Shape, _ line: @escaping (String) -> Void, _ steps: (World) throws -> Void) throws
    -> Ledger
  {
    let world = try World(shape)
    world.onLine = line
    world.ledger.ignored = options.without.filter { $0.hasPrefix("I") && $0.contains(" ") }.sorted()
    world.ledger.onFault = { kind, detail in world.note("FAULT \(kind): \(detail)") }
    world.note(shape.summary)
    try steps(world)
    world.ledger.onFault = { _, _ in }
    return world.ledger
  }

  // MARK: Scripts

  func play(_ script: Script, _ seed: UInt64, line: @escaping (String) -> Void) throws -> Ledger {
    machine.start(seed: seed)
    return try play(script.shape, line) { world in
      try script.steps(Stage(world: world))
      try LastLook(world: world).look()
    }
  }

  private mutating func runScripts(named name: String) throws {
    let scripts = Script.named(name, quarter: options.quarter)
    guard !scripts.isEmpty else {
      print("no such script; --list names them")
      exit(64)
    }
    for script in scripts {
      var kinds: [String: Int] = [:]
      var firsts: [String: UInt64] = [:]
      let seeds = options.script == nil || options.seeds == 1...100 ? 1...UInt64(options.schedules) : options.seeds
      for seed in seeds {
        let ledger = try play(script, seed, line: line)
        for kind in ledger.faults.keys {
          kinds[kind, default: 0] += 1
          firsts[kind] = firsts[kind] ?? seed
        }
        report.add(ledger, name: "\(script.name) --seed \(seed)")
      }
      print("\(script.name): \(kinds.isEmpty ? "clean" : "")")
      for (kind, count) in kinds.sorted(by: { $0.key < $1.key }) {
        print("  \(count)/\(seeds.count)  \(kind)  (seed \(firsts[kind] ?? 0))")
      }
    }
  }

  // MARK: Shrinking

  /// Leaves out people, connectors and steps as long as a fault of the first kind stays; then prints the trace.
  func shrink(_ seed: UInt64) throws -> Int32 {
    let whole = try walk(seed) { _ in }
    guard let kind = whole.firstFault else {
      print("seed \(seed) is clean")
      return 0
    }
    var reductions: [(inout Shape) -> Void] = []
    var skipped: Set<Int> = []
    func stays() throws -> Bool {
      try walk(seed, skipping: skipped, reduced: { shape in reductions.forEach { $0(&shape) } }) { _ in }
        .faults[kind] != nil
    }
    let candidates: [(inout Shape) -> Void] = [
      { $0.processes = 1 }, { $0.connectors = 1 }, { $0.connectors = min($0.connectors, 2) }, { $0.people = 1 },
      { $0.people = min($0.people, 2) }, { $0.clockSkew = 0 }, { $0.slowness = 0 }, { $0.distance = 20 },
    ]
    for candidate in candidates {
      reductions.append(candidate)
      if try !stays() { reductions.removeLast() }
    }
    for _ in 0..<2 {
      for number in (0..<whole.plannedSteps).reversed() where !skipped.contains(number) {
        skipped.insert(number)
        if try !stays() { skipped.remove(number) }
      }
    }
    print("seed \(seed), \(kind): \(whole.plannedSteps - skipped.count) of \(whole.plannedSteps) steps")
    var isShown = false
    try walk(seed, skipping: skipped, reduced: { shape in reductions.forEach { $0(&shape) } }) {
      // What comes after the fault explains nothing.
      if !isShown { Self.traced($0) }
      isShown = isShown || $0.hasPrefix("FAULT \(kind)")
    }
    return 1
  }

  // MARK: Determinism

  private func checkDeterminism() throws -> Int32 {
    var different: [UInt64] = []
    for seed in options.seeds {
      try walk(seed) { _ in }
      let (hash, jobs) = (machine.hash, machine.jobs)
      try walk(seed) { _ in }
      if hash != machine.hash || jobs != machine.jobs { different.append(seed) }
    }
    print("\(options.seeds.count) seeds run twice, \(different.count) differ \(different.prefix(10))")
    return different.isEmpty ? 0 : 1
  }
}

extension Simulation {
  /// Looks for a fault in a build that has one: the named scripts first, then seeds, until the first fault.
  ///
  /// Prints the fewest steps that show it, and in the last line what was found, by what, and how many runs it took.
  ///
  /// - Returns: 0 when a fault was found.
  mutating func hunt() throws -> Int32 {
    let begin = realSeconds()
    func found(_ by: String, _ runs: Int, _ kind: String) -> Int32 {
      print("FOUND\t\(by)\t\(runs)\t\(Int(realSeconds() - begin)) s\t\(kind)")
      return 0
    }
    for name in (options.script ?? "").split(separator: ",") {
      guard let script = Script.named().first(where: { $0.name == name }) else {
        print("no such script: \(name)")
        return 2
      }
      for schedule in 1...UInt64(options.schedules) {
        guard let kind = try play(script, schedule, line: { _ in }).faults.keys.min() else { continue }
        var isShown = false
        _ = try play(script, schedule) {
          if !isShown { Self.traced($0) }
          isShown = isShown || $0.hasPrefix("FAULT")
        }
        return found("\(script.name) --seed \(schedule)", Int(schedule), kind)
      }
    }
    for seed in options.seeds {
      guard let kind = try walk(seed, { _ in }).faults.keys.min() else { continue }
      _ = try shrink(seed)
      return found("seed \(seed)", Int(seed - options.seeds.lowerBound + 1), kind)
    }
    return 1
  }

  /// Prints a line of a trace.
  static func traced(_ line: String) { print(String(format: "%12.6f", machine.seconds), line) }
}
