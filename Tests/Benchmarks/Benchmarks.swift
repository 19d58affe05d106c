import Foundation

/// `Tests/Benchmarks/run` measures every row of the goals table and its baseline in the same process and run.
///
/// Ends with 0 if every row ran, every count holds and no figure is more than twice its goal, with 1 otherwise. It only
/// shows a smaller miss, because two runs on a shared machine can differ by that much.
@main
struct Benchmarks {
  /// Every row, those that users feel first; a new one is an extension of `Row` in `Rows` and a name here.
  static let rows: [Row] =
    [
      .firstToken, .signInPage, .endurance, .silentHit, .mainActorHit, .parallelHit, .keychainHit, .userGrowth,
      .store, .foreignChange, .tokenRequests, .taskCall, .decoding, .launch, .idToken, .consumerBuild, .programSize,
    ] + Row.server

  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    do {
      if arguments.first == "child" {
        try await Child.run(Array(arguments.dropFirst()))
        exit(0)
      }
      exit(try await run(Options(arguments)) ? 0 : 1)
    } catch {
      note("benchmarks: \(error)")
      exit(2)
    }
  }

  private static func run(_ options: Options) async throws -> Bool {
    let context = try Context(options)
    defer { context.remove() }
    var measurements: [Measurement] = []
    var isComplete = true
    for row in rows where options.includes(row) {
      note("row \(row.number): \(row.title)")
      let start = ContinuousClock.now
      let state: String
      do {
        let measured = try await row.run(context).map { $0.of(row) }
        measurements += measured
        state = measured.contains { $0.isMet == false } ? "missed" : "met"
      } catch {
        isComplete = false
        state = "did not run: \(error)"
      }
      let seconds = start.duration(to: .now) / .seconds(1)
      note("row \(row.number): \(state), \(Report.text(seconds, "s"))")
    }
    let report = Report(measurements: measurements)
    report.show()
    if let file = options.json { try report.save(to: file) }
    if options.writes { try report.write() }
    let broken = measurements.filter(\.isBroken)
    for measurement in broken {
      let reason = measurement.isCount ? "the count does not hold" : "more than twice its goal"
      note("row \(measurement.row), \(measurement.name): \(reason)")
    }
    return isComplete && broken.isEmpty
  }

  private static func note(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }
}
