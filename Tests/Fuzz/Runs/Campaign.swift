import Foundation

/// The parent process: hands out ranges to children, survives their traps, prints the table.
struct Campaign {
  private static let rangeLength = 20_000

  private let arguments: Arguments

  init(_ arguments: Arguments) {
    self.arguments = arguments
  }

  /// Runs every subject; true when nothing trapped and nothing was broken.
  func run() -> Bool {
    var isClean = true
    Fuzz.say(
      Self.row(["subject", "inputs", "accepted", "refused", "broken", "traps", "lost", "seed", "seconds", "slowest"]))
    Fuzz.say(Self.row(Array(repeating: "---", count: 10)))
    for subject in arguments.subjects {
      let clock = ContinuousClock()
      let start = clock.now
      let tally = run(subject)
      let seconds = (clock.now - start).components.seconds
      let inputs = tally.accepted + tally.refused + tally.broken + tally.traps
      Fuzz.say(
        Self.row([
          subject.name, "\(inputs)", "\(tally.accepted)", "\(tally.refused)", "\(tally.broken)", "\(tally.traps)",
          "\(tally.lost)",
          "\(arguments.seed)", "\(seconds)", "\(Int(tally.slowestSeconds * 1_000_000)) µs (\(tally.slowestNumber))",
        ]))
      for entry in tally.cases {
        Fuzz.say("  \(entry.reason): fuzz \(subject.name) --seed \(arguments.seed) --show \(entry.number)")
      }
      isClean = isClean && tally.traps == 0 && tally.broken == 0 && inputs == arguments.count
    }
    return isClean
  }

  private static func row(_ cells: [String]) -> String {
    "| " + cells.joined(separator: " | ") + " |"
  }

  private func run(_ subject: FuzzSubject) -> Tally {
    var tally = Tally()
    var start = 0
    while start < arguments.count {
      let range = start..<min(arguments.count, start + Self.rangeLength)
      start = range.upperBound
      switch run(subject, range, isTracing: false) {
      case .finished(let part): tally.add(part)
      case .lost: tally.lost += range.count
      case .trapped(_, let reason): start = resume(subject, range, reason, &tally)
      }
    }
    return tally
  }

  /// Finds the input that ended a child, counts it and what stood before it, and says where to go on.
  private func resume(_ subject: FuzzSubject, _ range: Range<Int>, _ reason: String, _ tally: inout Tally) -> Int {
    guard case .trapped(let last?, let reason) = run(subject, range, isTracing: true) else {
      tally.addTrap(number: range.lowerBound, reason: "somewhere in \(range), and not again: \(reason)")
      return range.upperBound
    }
    if case .finished(let before) = run(subject, range.lowerBound..<last, isTracing: false) { tally.add(before) }
    tally.addTrap(number: last, reason: reason)
    return last + 1
  }

  private enum Outcome {
    case finished(Tally)
    case trapped(last: Int?, reason: String)
    case lost
  }

  /// Runs a range in a child of its own.
  private func run(_ subject: FuzzSubject, _ range: Range<Int>, isTracing: Bool) -> Outcome {
    let words =
      [subject.name, "--seed", "\(arguments.seed)", "--work", "\(range.lowerBound)", "\(range.upperBound)"]
      + (isTracing ? ["--trace"] : [])
    // On a busy machine starting a process may fail for a while; that says nothing about the subject.
    for attempt in 1...5 {
      do {
        return try launch(words)
      } catch {
        Fuzz.say("  attempt \(attempt) to start a child for \(range) failed: \(error)")
        Thread.sleep(forTimeInterval: Double(attempt))
      }
    }
    return .lost
  }

  private func launch(_ words: [String]) throws -> Outcome {
    let child = Process()
    child.executableURL = Bundle.main.executableURL
    child.arguments = words
    // A trap would print a page of its own.
    child.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
    let pipe = Pipe()
    child.standardOutput = pipe
    child.standardError = FileHandle.nullDevice
    try child.run()
    let lines = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self).split(separator: "\n")
    child.waitUntilExit()
    let isDone = child.terminationReason == .exit && child.terminationStatus == 0
    if isDone, let line = lines.last, let tally = try? JSONDecoder().decode(Tally.self, from: Data(line.utf8)) {
      return .finished(tally)
    }
    let way = child.terminationReason == .exit ? "code" : "signal"
    return .trapped(
      last: lines.last.flatMap { Int($0) }, reason: "the process ended with \(way) \(child.terminationStatus)")
  }
}
