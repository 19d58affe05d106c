import Foundation

/// What a soak run has to show, from the logs of its processes and the record of its servers.
struct SoakVerdict {
  /// A promise, what was seen of it, and whether it was kept.
  struct Line {
    let promise: String
    let seen: String
    let isKept: Bool
  }

  private(set) var lines: [Line] = []

  mutating func add(_ promise: String, _ seen: String, _ isKept: Bool) {
    lines.append(Line(promise: promise, seen: seen, isKept: isKept))
  }

  /// Every error has the code that the fault table has for a fault that was set shortly before.
  mutating func addErrors(_ failures: [SoakLog.Failure], _ windows: [SoakWorld.Window]) {
    let unexplained = failures.filter { failure in
      !windows.contains { window in
        // A worker's answer may be late, never early.
        (window.start - 0.5...window.end + SoakPlan.aftermath).contains(failure.time)
          && Self.codes(of: window).contains(failure.code)
      }
    }
    let codes = Dictionary(grouping: failures, by: \.code).map { "\($0.key) \($0.value.count)" }.sorted()
    add(
      "no error that the fault table does not explain",
      "\(failures.count) errors (\(codes.joined(separator: ", "))) after \(windows.reduce(0) { $0 + $1.hits }) faulty answers; "
        + "\(unexplained.count) unexplained", unexplained.isEmpty)
    for failure in unexplained.prefix(20) {
      print("UNEXPLAINED  \(failure.call): \(failure.code) at \(failure.time): \(failure.text)")
    }
  }

  /// What a fault may end in: the matrix's codes, and statuses that `data(for:)` returns as they are.
  private static func codes(of window: SoakWorld.Window) -> Set<String> {
    var codes = Set(window.operations.map { window.fault.expected[$0] })
    // A call that needs keys has the key set's error; a status of the task server is no error of `data(for:)`.
    if window.operations.contains(.list) {
      codes.formUnion(window.fault.name.split(separator: " ").compactMap { Int($0) }.map { "status \($0)" })
    }
    return codes
  }

  /// Every token that came within half a token's life of its user's last one has a reason.
  mutating func addRefreshes(_ count: Int, _ early: [SoakWorld.EarlyToken], _ windows: [SoakWorld.Window]) {
    let ofSignIns = early.count { $0.isOfSignIn }
    // A token that the API refuses is replaced.
    let refusals = windows.filter { $0.operations.contains(.list) && $0.fault.name.contains("401") }
    let unexplained = early.filter { token in
      !token.isOfSignIn && !token.previousWasDamaged
        && !refusals.contains { ($0.start - 0.5...$0.end + SoakPlan.aftermath).contains(token.time) }
    }
    add(
      "every refresh has a reason: half of the life of the user's last token is over, the API refused it, or a fault happened to the answer that brought it",
      "\(count) refreshes; \(early.count) early tokens: \(ofSignIns) of sign-ins, "
        + "\(early.count - ofSignIns - unexplained.count) after a fault; \(unexplained.count) unexplained",
      count > 0 && unexplained.isEmpty)
    for token in unexplained.prefix(20) {
      print("UNEXPLAINED  refresh at \(token.time), \(token.time - token.previous) s after the last token")
    }
  }

  /// Memory and descriptors in the last fifth of the run are those of the second fifth.
  mutating func addResources(_ samples: [[SoakLog.Sample]]) {
    for (name, bound, value) in [
      ("memory", 8.0, { (sample: SoakLog.Sample) in Double(sample.memory) / 1_048_576 }),
      ("descriptors", 12.0, { (sample: SoakLog.Sample) in Double(sample.files) }),
    ] {
      let growth = samples.map { own in
        Self.mean(own, 0.8..<1, value) - Self.mean(own, 0.2..<0.4, value)
      }
      let unit = name == "memory" ? " MB" : ""
      add(
        "\(name) flat: last fifth against second fifth, at most \(Int(bound))\(unit) more",
        growth.map { String(format: "%+.1f", $0) }.joined(separator: ", ") + unit,
        growth.allSatisfy { $0 <= bound })
    }
  }

  private static func mean(
    _ samples: [SoakLog.Sample], _ part: Range<Double>, _ value: (SoakLog.Sample) -> Double
  ) -> Double {
    let count = Double(samples.count)
    let some = samples[Int(count * part.lowerBound)..<Int(count * part.upperBound)]
    return some.isEmpty ? 0 : some.reduce(0) { $0 + value($1) } / Double(some.count)
  }

  /// A table in Markdown.
  var table: String {
    "| promise | seen | |\n|---|---|---|\n"
      + lines.map { "| \($0.promise) | \($0.seen) | \($0.isKept ? "kept" : "**BROKEN**") |" }.joined(separator: "\n")
  }
}
