#if os(Linux)
  import Foundation

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
        guard let script = Script.all.first(where: { $0.name == name }) else {
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
#endif
